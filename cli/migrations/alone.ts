// Migrations without a transaction, statement by statement on a connection of their own.

import pg from 'pg'
import { messageOf } from '../../core/errors/thrown.ts'
import { Failure } from '../exits.ts'
import type { Target } from '../target/target.ts'
import type { Migration } from './files.ts'
import { aloneTexts } from './state.ts'
import { statementsOf } from './statements.ts'

interface Alone {
  readonly target: Target
  readonly migration: Migration
  readonly isUp: boolean
  readonly text: string
  readonly file: string
}

/** Runs a migration and records it; earlier statements of one that fails stay. */
export async function runAlone({ target, migration, isUp, text, file }: Alone): Promise<void> {
  const client = new pg.Client({ connectionString: target.databaseUrl! })
  client.on('error', () => {})
  await client.connect()
  try {
    const place = { source: target.source, version: migration.version }
    const [lock] = (await client.query<{ locked: boolean }>(aloneTexts.lock)).rows
    if (!lock!.locked) throw new Failure('conflict', `${file}: another run of migrations holds the lock`)
    await client.query(aloneTexts.create)
    const [found] = (await client.query<{ recorded: boolean }>(aloneTexts.isRecorded(place))).rows
    if (isUp && found!.recorded) throw new Failure('conflict', `${file}: another run has applied it meanwhile`)
    await runStatements(client, { file, text, version: migration.version })
    await client.query(isUp ? aloneTexts.record(target.source, migration) : aloneTexts.forget(place))
  } finally {
    await client.end().catch(() => {})
  }
}

interface Script {
  readonly file: string
  readonly text: string
  readonly version: string
}

async function runStatements(client: pg.Client, { file, text, version }: Script): Promise<void> {
  const statements = statementsOf(text)
  for (const [at, { sql, line }] of statements.entries()) {
    try {
      await client.query(sql)
    } catch (error) {
      const advice = at === 0 ? [] : [`the ${at} statements before it ran and stay: finish or undo them by hand, then`]
      const mark = at === 0 ? [] : [`trellis migrate mark ${version} applied, or pending`]
      throw new Failure('failed', `${file} line ${line}: ${messageOf(error)}`, [...advice, ...mark])
    }
  }
}
