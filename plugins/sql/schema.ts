import { type Static, Type } from '../../sdk/index.ts'
import { mostRows } from './tuning.ts'

const script = {
  sql: Type.String({ examples: ['select 1'] }),
  cascade: Type.Optional(Type.Boolean()),
  check_metadata_consistency: Type.Optional(Type.Boolean()),
  read_only: Type.Optional(Type.Boolean()),
}

export const RunSqlArgs = Type.Object(script, { missingKey: 'A' })

export const RunSqlV2Args = Type.Object(
  {
    ...script,
    /** Rows of each statement that are answered; 1,000 when absent. */
    limit: Type.Optional(Type.Integer({ minimum: 0, maximum: mostRows })),
    /** Seconds after which a statement ends. */
    timeout: Type.Optional(Type.Number({ minimum: 0.001, maximum: 86_400 })),
  },
  { missingKey: 'A' },
)

const StatementOutcome = Type.Object(
  {
    command: Type.String(),
    row_count: Type.Union([Type.Integer(), Type.Null()]),
    columns: Type.Union([Type.Array(Type.Object({ name: Type.String(), type: Type.String() })), Type.Null()]),
    rows: Type.Union([Type.Array(Type.Array(Type.Union([Type.String(), Type.Null()]))), Type.Null()]),
    has_more: Type.Boolean(),
  },
  { title: 'StatementOutcome' },
)

const Notice = Type.Object({ severity: Type.String(), message: Type.String() }, { title: 'Notice' })

/** The outcome of each statement, the notices of all, and the seconds of the whole. */
export const SqlResultV2 = Type.Object({
  results: Type.Array(StatementOutcome),
  notices: Type.Array(Notice),
  seconds: Type.Number(),
})

/** Column names and rows, every cell as text; null for a command without rows. */
export const SqlResult = Type.Union([
  Type.Object({ result_type: Type.Literal('TuplesOk'), result: Type.Array(Type.Array(Type.String())) }),
  Type.Object({ result_type: Type.Literal('CommandOk'), result: Type.Null() }),
])

export type RunSqlArgs = Static<typeof RunSqlArgs>

/** Words of statements that may change objects of the metadata; comments and constants count too. */
const catalogWords = /\b(alter|drop|replace|create function|comment on)\b/i

/** Functions of Citus that place the rows of tables. */
const placingWords = /\b(\w*distributed?_table\w*|create_reference_table|citus_\w*local_table\w*)\b/i

/** Whether the metadata is checked after the script. */
export function isChecked({
  sql,
  check_metadata_consistency: asked,
  read_only: readOnly = false,
}: RunSqlArgs): boolean {
  return !readOnly && (asked ?? (catalogWords.test(sql) || placingWords.test(sql)))
}
