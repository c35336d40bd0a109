// The places in files of the values that a server names by their paths.

import { parseJsonPath } from '../../core/json/json-path.ts'
import { actionsFile, databasesFile, fileOfKey, fileOfKeyInV2 } from './parts.ts'
import { YamlFiles } from './yaml-files.ts'

/** A path of keys and indices in a document. */
export type Path = readonly (string | number)[]

/** The place of a value, such as `actions.yaml:3:5`; null: it is in no file. */
export type Place = (path: Path) => string | null

/** The place of a value of a metadata folder. */
export function placesIn(directory: string): Place {
  const files = new YamlFiles(directory)
  const inFile = new Map(Object.entries({ ...fileOfKeyInV2, ...fileOfKey, sources: databasesFile }))
  return ([key, ...rest]) => {
    if (key === 'actions' || key === 'custom_types') return placeIn(files, actionsFile, [key, ...rest])
    const name = inFile.get(String(key))
    return name === undefined ? null : placeIn(files, name, rest)
  }
}

/** The place in one file; null if there is no such file. */
export const placeIn = (files: YamlFiles, name: string, path: Path): string | null =>
  files.has(name) ? files.place(name, path) : null

/** The path within the document, from one within the request. */
export function pathInDocument(path: unknown): Path {
  const keys = typeof path === 'string' ? (parseJsonPath(path) ?? []) : []
  const inner = keys[0] === 'args' ? keys.slice(1) : keys
  return inner[0] === 'metadata' ? inner.slice(1) : inner
}
