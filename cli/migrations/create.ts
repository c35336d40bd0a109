// `trellis migrate create`

import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import type { Call, Command } from '../command.ts'
import { Failure } from '../exits.ts'
import { fileNamePart } from '../project/parts.ts'
import type { Target } from '../target/target.ts'
import { textOfFile } from '../text-file.ts'
import { checksumOf, migrationsFolder, readMigrations } from './files.ts'
import { markText, mirrorState } from './state.ts'

/** The schema of the target's database as SQL. */
async function dumpOf(target: Target): Promise<string> {
  const opts = ['-O', '-x', '--schema-only', '--schema', 'public']
  const body = { source: target.source, opts, clean_output: true }
  const { status, body: text } = await target.ask('/v1alpha1/pg_dump', body)
  if (status === 200 && typeof text === 'string') return text
  const reason = (text as { error?: unknown } | null)?.error ?? `status ${status}`
  throw new Failure('failed', `the server cannot dump its schema: ${reason}`)
}

/** Makes both files, or neither. */
function writeFolder(folder: string, up: string): void {
  mkdirSync(folder, { recursive: true })
  try {
    writeFileSync(join(folder, 'up.sql'), up, { flag: 'wx' })
    writeFileSync(join(folder, 'down.sql'), '', { flag: 'wx' })
  } catch (error) {
    rmSync(folder, { recursive: true, force: true })
    throw error
  }
}

async function upOf({ flags, io }: Call, target: Target | null): Promise<string> {
  if (target !== null) return dumpOf(target)
  const file = flags['sql']
  return typeof file === 'string' ? textOfFile(resolve(io.cwd, file), file) : ''
}

export const command: Command = {
  words: 'NAME',
  count: [1, 1],
  details: 'Makes a folder with up.sql and down.sql. Its version is the time in milliseconds.',
  flags: {
    'from-server': { description: 'takes the schema public of the server, and records the migration there as applied' },
    sql: { value: 'FILE', description: 'takes the text of up.sql from a file' },
  },
  async run(call) {
    const { project, flags, words } = call
    if (flags['from-server'] === true && flags['sql'] !== undefined) {
      throw new Failure('usage', '--from-server and --sql both give the text of up.sql: keep one')
    }
    const last = readMigrations(project).at(-1)?.version ?? '0'
    const version = String(Math.max(Date.now(), Number(last) + 1))
    const name = fileNamePart(words[0]!.trim().replace(/\s+/g, '_'))
    const target = flags['from-server'] === true ? await call.target() : null
    const up = await upOf(call, target)
    const folder = `${version}_${name}`
    writeFolder(join(migrationsFolder(project), folder), up)
    call.changed(folder)
    if (target !== null) {
      const migration = { version, name, folder, up, down: null, checksum: checksumOf(up), replaced: new Map() }
      await target.sql(markText(target.source, migration))
      await mirrorState(target, new Map([[version, true]]))
      call.changed(`recorded ${folder} as applied`)
    }
    return { text: `${join(migrationsFolder(project), folder)}\n`, data: { version } }
  },
}
