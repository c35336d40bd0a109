// `trellis metadata diff`

import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import type { Call, Command } from '../command.ts'
import { Failure } from '../exits.ts'
import type { Json } from '../project/parts.ts'
import { openProject } from '../project/project.ts'
import { readMetadata } from '../project/read.ts'
import { differencesOf } from './compare.ts'
import { exportMetadata } from './server.ts'

/** The metadata of a project's folder, of the project, or of the server. */
async function documentOf(call: Call, word: string): Promise<Json> {
  if (word === 'server') return (await exportMetadata(await call.target())).document
  if (word === 'project') return readMetadata(call.project)
  if (!existsSync(resolve(call.io.cwd, word))) throw new Failure('usage', `${word}: there is no such folder`)
  return readMetadata(openProject({ io: call.io, flags: { project: word } }))
}

/** Documents of version 2 and 3 in one form, without the version and the source's connection. */
export function comparable(document: Json): Json {
  const { version: _, sources, tables, functions, ...rest } = document
  if (!Array.isArray(sources)) return { ...rest, sources: [{ name: 'default', tables, functions }] }
  const plain = (sources as Json[]).map(({ configuration: _configuration, kind: _kind, ...source }) => source)
  return { ...rest, sources: plain }
}

export const command: Command = {
  words: '[A [B]]',
  count: [0, 2],
  details:
    'Compares two states of the metadata: A is the server and B the project when absent. Each is server, project, or the folder of another project. Exit code 4 when they differ.',
  async run(call) {
    const [a = 'server', b = 'project'] = call.words
    const [from, to] = [await documentOf(call, a), await documentOf(call, b)]
    const differences = differencesOf(comparable(from), comparable(to))
    if (differences.length === 0) return { text: 'no differences\n', data: { differences } }
    return { text: `${differences.join('\n')}\n`, data: { differences }, exit: 'differences' }
  },
}
