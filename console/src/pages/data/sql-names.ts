// Names and texts as parts of SQL.

import type { TableName } from '../../server/names.ts'

/** A name as SQL has it. */
export const sqlName = (name: string): string =>
  /^[a-z_][a-z\d_]*$/.test(name) && !reserved.has(name) ? name : `"${name.replaceAll('"', '""')}"`

/** The words that PostgreSQL takes as names only in quotes. */
const reserved = new Set(
  'all analyse analyze and any array as asc asymmetric authorization binary both case cast check collate collation column concurrently constraint create cross current_catalog current_date current_role current_schema current_time current_timestamp current_user default deferrable desc distinct do else end except false fetch for foreign freeze from full grant group having ilike in initially inner intersect into is isnull join lateral leading left like limit localtime localtimestamp natural not notnull null offset on only or order outer overlaps placing primary references returning right select session_user similar some symmetric system_user table tablesample then to trailing true union unique user using variadic verbose when where window with'.split(
    ' ',
  ),
)

/** A table as SQL has it. */
export const sqlTable = ({ schema, name }: TableName): string => `${sqlName(schema)}.${sqlName(name)}`

/** A text as SQL has it. */
export const sqlText = (text: string): string => `'${text.replaceAll("'", "''")}'`
