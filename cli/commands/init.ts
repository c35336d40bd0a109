// `trellis init`

import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import type { Command } from '../command.ts'
import { Failure } from '../exits.ts'
import { exportMetadata } from '../metadata/server.ts'
import { openProject } from '../project/project.ts'
import { writeMetadata } from '../project/write.ts'

/** A text of YAML in quotes, whatever its characters. */
const quoted = (text: string): string => JSON.stringify(text)

export const command: Command = {
  words: '[DIR]',
  count: [0, 1],
  details:
    'Makes a project: config.yaml, and folders for metadata, migrations and seeds. With --from the metadata of a server is written into it. The secret is never written: give it as a variable.',
  flags: { from: { value: 'URL', description: 'the server of the project, whose metadata is exported' } },
  async run(call) {
    const { io, flags, words } = call
    const directory = resolve(io.cwd, words[0] ?? (typeof flags['project'] === 'string' ? flags['project'] : '.'))
    if (existsSync(join(directory, 'config.yaml'))) {
      throw new Failure('failed', `${directory}: there is a project already, with its config.yaml`)
    }
    const { from } = flags
    if (typeof from === 'string' && (flags['endpoint'] ?? from) !== from) {
      throw new Failure('usage', '--from and --endpoint name two servers: keep one')
    }
    // Read first, so that an unreachable server leaves no half project.
    const served = typeof from === 'string' ? await exportMetadata(await call.target({ endpoint: from })) : null
    const source = call.project.source
    mkdirSync(directory, { recursive: true })
    const endpoint = from ?? flags['endpoint'] ?? 'http://localhost:8080'
    const isNamed = source !== 'default'
    writeFileSync(
      join(directory, 'config.yaml'),
      `version: 3\nendpoint: ${quoted(String(endpoint))}\n${isNamed ? `source: ${quoted(source)}\n` : ''}`,
    )
    const project = openProject({ io, flags: { project: directory } })
    for (const folder of [join(project.migrations, source), join(project.seeds, source)]) {
      mkdirSync(folder, { recursive: true })
    }
    writeMetadata(project, served?.document ?? { version: 3, sources: [] })
    call.changed(`made ${directory}`)
    return { text: `${directory}\n` }
  },
}
