// The form in which a role reads a transformed column. A composed role reads a row in a form of a parent that sees the row
// and shows the column; where parents differ, masks go before stored values.

import { isDeepStrictEqual } from 'node:util'
import { always, type Condition } from '../compiler/plan/plan.ts'
import { sql } from '../database/sql/sql.ts'
import type { ColumnReader, ColumnReading, ColumnTransform, Model } from '../metadata/document/model.ts'

/** A role that reads the columns of a table. */
export interface Reader {
  readonly role: string
  readonly model: Model
  /** The parts of its permission, if it is composed of others. */
  readonly composed?: {
    /** The rows in which it sees a column; absent: all. */
    readonly masks: ReadonlyMap<string, Condition>
    /** The roles whose permissions show a column. */
    showing(column: string): readonly string[]
    /** The rows that some of these roles see; null: all that the role sees. */
    seenBy(roles: readonly string[]): Condition | null
  }
}

/** A form that a statement can choose by row. */
type RowReading = 'stored' | 'hidden' | Pick<Extract<ColumnReading, { sql: unknown }>, 'sql'>

/** A form, and rows that have it unless an earlier form has them. */
export interface RowForm {
  readonly reading: RowReading
  readonly rows: Condition
}

/** The forms of a composed role whose parents read a column differently. */
export interface FormsByRow {
  readonly byRow: readonly RowForm[]
}

/** A form, and the roles that read it. */
interface SharedForm<Form> {
  readonly reading: Form
  readonly roles: readonly string[]
}

/** The form of a column for a role. */
export function readingOf(
  transform: ColumnTransform,
  place: Pick<ColumnReader, 'table' | 'column'>,
  { role, model, composed }: Reader,
): ColumnReading | FormsByRow {
  if (!composed) return transform.read({ ...place, role, model })
  const forms = composed.showing(place.column.name).map((each) => {
    return { reading: transform.read({ ...place, role: each, model }), roles: [each] }
  })
  const agreed = joined(forms)
  if (agreed.length === 1) return agreed[0]!.reading
  const differing = joined(agreed.map(({ reading, roles }) => ({ reading: rowReading(reading), roles })))
  const byRow: RowForm[] = []
  for (const { reading, roles } of differing.toSorted((a, b) => widthOf(a.reading) - widthOf(b.reading))) {
    const rows = composed.seenBy(roles)
    if (rows === null && byRow.length === 0) return reading
    byRow.push({ reading, rows: rows ?? always })
    if (rows === null) break
  }
  return { byRow }
}

/** In some rows only, a role can neither compare a transformed column nor have JavaScript read it. */
export function rowReading(reading: ColumnReading): RowReading {
  if (typeof reading !== 'object') return reading
  return 'value' in reading ? 'hidden' : { sql: (value) => reading.sql(value) }
}

const widthOf = (reading: RowReading): number =>
  ['hidden', 'masked', 'stored'].indexOf(typeof reading === 'object' ? 'masked' : reading)

/** The forms, each of them once. */
function joined<Form extends ColumnReading>(forms: readonly SharedForm<Form>[]): readonly SharedForm<Form>[] {
  const found: SharedForm<Form>[] = []
  for (const form of forms) {
    const place = found.findIndex(({ reading }) => isSame(reading, form.reading))
    if (place === -1) found.push(form)
    else found[place] = { ...form, roles: [...found[place]!.roles, ...form.roles] }
  }
  return found
}

const value = sql`value`

/** Whether two forms are known to give the same values. */
function isSame(a: ColumnReading, b: ColumnReading): boolean {
  if (typeof a !== 'object' || typeof b !== 'object') return a === b
  if ((a.comparable === true) !== (b.comparable === true)) return false
  if ('value' in a || 'value' in b) return a === b || (Object.hasOwn(a, 'value') && isDeepStrictEqual(a, b))
  return isDeepStrictEqual(a.sql(value), b.sql(value))
}
