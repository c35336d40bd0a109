// `run_sql`: any SQL, and its effects on the metadata.

import { type OperationContext, operation } from '../../sdk/metadata.ts'
import type { KeptRows, ScriptResult, StatementResult, Transaction } from '../../sdk/sql.ts'
import { nameConnection } from './cancelling.ts'
import { presentTables } from './catalog-changes.ts'
import { presentFunctions } from './function-changes.ts'
import { followCatalog } from './metadata-effects.ts'
import { isChecked, RunSqlArgs, RunSqlV2Args, SqlResult, SqlResultV2 } from './schema.ts'
import { runScript } from './script.ts'
import { mostCharacters } from './tuning.ts'

/** Rows with their column names first, every cell as text; null for commands that return none. */
function resultJson({ columns, rows }: ScriptResult) {
  if (!columns || !rows) return { result_type: 'CommandOk', result: null }
  return { result_type: 'TuplesOk', result: [columns, ...rows.map((row) => row.map((cell) => cell ?? 'NULL'))] }
}

const running = {
  type: 'run_sql',
  forReaders: false,
  access: ({ read_only }: RunSqlArgs) => (read_only ? 'READ ONLY' : 'READ WRITE'),
  editsMetadata: isChecked,
  writesRows: true,
  check: 'new',
} as const

/** Runs a script, and follows its changes of tracked objects. */
async function runFollowed(context: OperationContext, args: RunSqlArgs, most?: KeptRows): Promise<ScriptResult> {
  const { transaction, catalog, dialect, applySession } = context
  const run = () => runScript(transaction, { sql: args.sql, most, restore: applySession, helps: dialect.errorsHelp })
  if (!isChecked(args)) return run()
  const tables = await presentTables(transaction, catalog.tables.values())
  const functions = await presentFunctions(transaction, catalog)
  const result = await run()
  await followCatalog(context, { tables, functions, cascade: args.cascade ?? false })
  context.refreshCatalog('all')
  return result
}

export const runSql = operation({
  ...running,
  about: { summary: 'Runs SQL, and adapts the metadata to changes of tracked objects.', result: SqlResult },
  args: RunSqlArgs,
  async handle(context, args) {
    await context.storeEdits()
    return resultJson(await runFollowed(context, args))
  },
})

const rowsByDefault = 1000

/** Version 2 tells apart NULL and text, types, and the outcomes of all statements. */
export const runSqlV2 = operation({
  ...running,
  version: 2,
  about: {
    summary: 'Runs SQL as version 1 does, and answers with the outcome of each statement, with types and nulls.',
    result: SqlResultV2,
  },
  args: RunSqlV2Args,
  async handle(context, { limit = rowsByDefault, timeout, ...args }) {
    const { transaction } = context
    await context.storeEdits()
    await nameConnection(context.requestId, transaction)
    if (timeout !== undefined) {
      await transaction.rows(`set local statement_timeout = ${Math.ceil(timeout * 1000)}`)
    }
    const started = performance.now()
    const { all, notices } = await runFollowed(context, args, { rows: limit, characters: mostCharacters })
    const seconds = Math.round(performance.now() - started) / 1000
    // A statement that consists of comments has no command.
    const ran = all.filter(({ command }) => command !== '')
    return { results: await outcomesOf(transaction, ran), notices, seconds }
  },
})

async function outcomesOf(transaction: Transaction, results: readonly StatementResult[]) {
  const oids = [...new Set(results.flatMap(({ columns }) => (columns ?? []).map(({ type }) => type)))]
  const types = await transaction.rows<{ oid: number; name: string }>(
    'select oid, pg_catalog.format_type(oid, null) as name from unnest($1::oid[]) as oid',
    [oids],
  )
  const nameOf = new Map(types.map(({ oid, name }) => [Number(oid), name]))
  return results.map(({ command, rowCount, columns, rows, hasMore }) => ({
    command,
    row_count: rowCount,
    columns: columns?.map(({ name, type }) => ({ name, type: nameOf.get(type) ?? 'unknown' })) ?? null,
    rows: columns ? rows : null,
    has_more: hasMore,
  }))
}
