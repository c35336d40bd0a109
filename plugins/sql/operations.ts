// `run_sql`: any SQL, and its effects on the metadata.

import { operation } from '../../sdk/metadata.ts'
import type { ScriptResult } from '../../sdk/sql.ts'
import { presentTables } from './catalog-changes.ts'
import { presentFunctions } from './function-changes.ts'
import { followCatalog } from './metadata-effects.ts'
import { isChecked, RunSqlArgs, SqlResult } from './schema.ts'
import { runScript } from './script.ts'

/** Rows with their column names first, every cell as text; null for commands that return none. */
function resultJson({ columns, rows }: ScriptResult) {
  if (!columns || !rows) return { result_type: 'CommandOk', result: null }
  return { result_type: 'TuplesOk', result: [columns, ...rows.map((row) => row.map((cell) => cell ?? 'NULL'))] }
}

export const runSql = operation({
  type: 'run_sql',
  about: { summary: 'Runs SQL, and adapts the metadata to changes of tracked objects.', result: SqlResult },
  args: RunSqlArgs,
  forReaders: false,
  access: ({ read_only }) => (read_only ? 'READ ONLY' : 'READ WRITE'),
  editsMetadata: isChecked,
  writesRows: true,
  check: 'new',
  async handle(context, args) {
    const { transaction, catalog, dialect, applySession } = context
    await context.storeEdits()
    const run = () => runScript(transaction, { sql: args.sql, restore: applySession, helps: dialect.errorsHelp })
    if (!isChecked(args)) return resultJson(await run())
    const tables = await presentTables(transaction, catalog.tables.values())
    const functions = await presentFunctions(transaction, catalog)
    const result = await run()
    await followCatalog(context, { tables, functions, cascade: args.cascade ?? false })
    context.refreshCatalog('all')
    return resultJson(result)
  },
})
