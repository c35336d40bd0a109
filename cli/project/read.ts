// A metadata folder as one document.

import { existsSync, readdirSync } from 'node:fs'
import { isJsonObject } from '../../core/json/json.ts'
import { Failure } from '../exits.ts'
import { actionsFile, databasesFile, fileOfKey, fileOfKeyInV2, type Json, typesFile, versionFile } from './parts.ts'
import type { Project } from './project.ts'
import { withTypes } from './sdl.ts'
import { YamlFiles } from './yaml-files.ts'

/** Reads the metadata of a project; refuses a folder that is missing or half there. */
export function readMetadata({ metadata, version }: Project): Json {
  if (!existsSync(metadata) || readdirSync(metadata).length === 0) {
    throw new Failure('failed', `${metadata}: there is no metadata; trellis metadata export writes it`)
  }
  const files = new YamlFiles(metadata)
  const main = version === 3 ? databasesFile : fileOfKeyInV2['tables']!
  if (!files.has(main)) throw new Failure('failed', `${main}: it does not exist, so the folder is not complete`)
  // Applying it would remove all metadata.
  if (files.value(main) === null) throw new Failure('failed', `${main}: it is empty; [] stands for an empty list`)
  const document: Record<string, unknown> = { version: versionIn(files) ?? version }
  if (version === 3) document['sources'] = listIn(files, databasesFile)
  else for (const [key, file] of Object.entries(fileOfKeyInV2)) addPart(document, files, { key, file })
  for (const [key, file] of Object.entries(fileOfKey)) addPart(document, files, { key, file })
  return { ...document, ...actionsIn(files) }
}

function versionIn(files: YamlFiles): number | null {
  if (!files.has(versionFile)) return null
  const value = files.value(versionFile)
  const version = isJsonObject(value) ? value['version'] : value
  if (version === 2 || version === 3) return version
  throw new Failure('failed', `${versionFile}: the version is 2 or 3`)
}

function listIn(files: YamlFiles, file: string): readonly unknown[] {
  const value = files.value(file) ?? []
  if (!Array.isArray(value)) throw new Failure('failed', `${file}: it must be a list`)
  return value
}

interface Part {
  readonly key: string
  readonly file: string
}

/** Adds a file's value, unless it says nothing: the server then has its defaults. */
function addPart(document: Record<string, unknown>, files: YamlFiles, { key, file }: Part): void {
  if (!files.has(file)) return
  const value = files.value(file)
  if (value === null || (Array.isArray(value) && value.length === 0)) return
  if (isJsonObject(value) && Object.keys(value).length === 0) return
  document[key] = value
}

/** Actions and custom types, from YAML and from the types of GraphQL. */
function actionsIn(files: YamlFiles): Json {
  const value = files.has(actionsFile) ? files.value(actionsFile) : null
  if (value !== null && !isJsonObject(value)) throw new Failure('failed', `${actionsFile}: it must be a mapping`)
  if (!files.has(typesFile)) return partsOf(value ?? {})
  return partsOf(withTypes(value ?? {}, files.text(typesFile)))
}

/** The parts that say something. */
function partsOf({ actions, custom_types: types, ...others }: Json): Json {
  const [unknown] = Object.keys(others)
  if (unknown !== undefined) throw new Failure('failed', `${actionsFile}: unknown key "${unknown}"`)
  const kept = isJsonObject(types)
    ? Object.entries(types).filter(([, list]) => !Array.isArray(list) || list.length > 0)
    : []
  return {
    ...(Array.isArray(actions) && actions.length > 0 && { actions }),
    ...(kept.length > 0 && { custom_types: Object.fromEntries(kept) }),
  }
}
