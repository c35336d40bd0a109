import { type Static, Type } from '../../sdk/index.ts'

export const RunSqlArgs = Type.Object(
  {
    sql: Type.String({ examples: ['select 1'] }),
    cascade: Type.Optional(Type.Boolean()),
    check_metadata_consistency: Type.Optional(Type.Boolean()),
    read_only: Type.Optional(Type.Boolean()),
  },
  { missingKey: 'A' },
)

/** Column names and rows, every cell as text; null for a command without rows. */
export const SqlResult = Type.Union([
  Type.Object({ result_type: Type.Literal('TuplesOk'), result: Type.Array(Type.Array(Type.String())) }),
  Type.Object({ result_type: Type.Literal('CommandOk'), result: Type.Null() }),
])

export type RunSqlArgs = Static<typeof RunSqlArgs>

/** Words of statements that may change objects of the metadata; comments and constants count too. */
const catalogWords = /\b(alter|drop|replace|create function|comment on)\b/i

/** Whether the metadata is checked after the script. */
export function isChecked({
  sql,
  check_metadata_consistency: asked,
  read_only: readOnly = false,
}: RunSqlArgs): boolean {
  return !readOnly && (asked ?? catalogWords.test(sql))
}
