// A document to adopt, with the places of its keys: a folder, a file, or another server.

import { existsSync, statSync } from 'node:fs'
import { basename, dirname, resolve } from 'node:path'
import { isJsonObject } from '../../core/json/json.ts'
import type { Call } from '../command.ts'
import { Failure } from '../exits.ts'
import { exportMetadata } from '../metadata/server.ts'
import type { Json } from '../project/parts.ts'
import { type Place, placeIn, placesIn } from '../project/places.ts'
import { openProject } from '../project/project.ts'
import { readMetadata } from '../project/read.ts'
import { YamlFiles } from '../project/yaml-files.ts'
import { connect, type Target } from '../target/target.ts'
import { textOfFile } from '../text-file.ts'

/** A document, and the places of its values. */
export interface Given {
  readonly document: Json
  readonly place: Place
}

/** Reads the document that a word names. */
export async function givenBy(call: Call, word: string): Promise<Given> {
  if (/^https?:\/\//.test(word)) return { document: await exportOf(call, word), place: () => null }
  const path = resolve(call.io.cwd, word)
  if (!existsSync(path)) throw new Failure('usage', `${word}: there is no such folder or file`)
  return statSync(path).isDirectory() ? folder(call, word) : file(path)
}

/** Connects to the server that metadata or answers come from. The secrets of the target are not for it. */
export async function otherServer({ io, flags, project }: Call, endpoint: string): Promise<Target> {
  const secretFile = flags['from-admin-secret-file']
  const secret = typeof secretFile === 'string' ? textOfFile(resolve(io.cwd, secretFile), secretFile).trim() : undefined
  return connect({
    io: { ...io, env: {} },
    flags: { endpoint, ...(secret !== undefined && { 'admin-secret': secret }) },
    project: { ...project, adminSecret: null },
  })
}

async function exportOf(call: Call, endpoint: string): Promise<Json> {
  const other = await otherServer(call, endpoint)
  try {
    return (await exportMetadata(other)).document
  } finally {
    await other.close()
  }
}

function folder({ io }: Call, word: string): Given {
  const project = openProject({ io, flags: { project: word } })
  return { document: readMetadata(project), place: placesIn(project.metadata) }
}

function file(path: string): Given {
  const files = new YamlFiles(dirname(path))
  const name = basename(path)
  const value = files.value(name)
  if (!isJsonObject(value)) throw new Failure('failed', `${name}: it is not a document of metadata`)
  const isExported = isJsonObject(value['metadata'])
  return {
    document: isExported ? (value['metadata'] as Json) : value,
    place: (inner) => placeIn(files, name, isExported ? ['metadata', ...inner] : inner),
  }
}
