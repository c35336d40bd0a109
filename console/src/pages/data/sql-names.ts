// Names and texts as parts of SQL.

import type { TableName } from '../../server/names.ts'

/** A name as SQL has it. */
export const sqlName = (name: string): string =>
  /^[a-z_][a-z\d_]*$/.test(name) && !reserved.has(name) ? name : `"${name.replaceAll('"', '""')}"`

/** Words that cannot be names of columns without quotes, as far as people use them as such. */
const reserved = new Set(
  'all and any array as asc both case cast check collate column constraint create default desc distinct do else end except false fetch for foreign from grant group having in initially into lateral leading limit not null offset on only or order placing primary references returning select some symmetric table then to trailing true union unique user using variadic when where window with'.split(
    ' ',
  ),
)

/** A table as SQL has it. */
export const sqlTable = ({ schema, name }: TableName): string => `${sqlName(schema)}.${sqlName(name)}`

/** A text as SQL has it. */
export const sqlText = (text: string): string => `'${text.replaceAll("'", "''")}'`
