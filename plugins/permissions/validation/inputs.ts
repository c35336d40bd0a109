// The values that a change asks a server about: those of the request, by table.

import type { Arguments, GuardedChange, SchemaScope } from '../../../sdk/graphql.ts'
import { badRequest, nameKey, nameText, type QualifiedName } from '../../../sdk/index.ts'
import type { TableModel } from '../../../sdk/metadata.ts'
import { isJsonObject } from '../../../sdk/services.ts'
import type { MutationPlan, MutationStep } from '../../../sdk/sql.ts'
import { type ValidateInput, validationOf } from './schema.ts'

type ChangeKind = MutationStep['change']['kind']

/** A question that the permission on a table requires. */
export interface Question {
  readonly table: QualifiedName
  readonly validation: ValidateInput
  /** The values in the arguments of a request. */
  inputs(args: Arguments): readonly unknown[]
}

/** A change of one table, whose permission may require a question. */
interface TableChange {
  readonly kind: ChangeKind
  readonly table: QualifiedName
  /** Whether it updates the rows that an insert conflicts with. */
  readonly isUpsert: boolean
}

/** The questions about a change: those of its own table first. */
export function questionsOf(scope: SchemaScope, { plan, field }: GuardedChange): readonly Question[] {
  const plans = 'list' in plan ? plan.list : [plan]
  const isByKey = plans[0]?.answer.kind === 'row'
  return changesOf(plans).flatMap(({ kind, table, isUpsert }) => {
    const validation = validationOf(scope.access(table)?.[kind]?.definition ?? {})
    if (!validation) return []
    const inserted = (args: Arguments) => {
      const rows = insertedRows(args)
      if (rows) return rowsOf(table, rows, { scope, of: 'list' in plan ? table : plan.table.name })
      throw badRequest('not-supported', `"${field.name}" inserts rows that "validate_input" does not know`)
    }
    const inputs = (args: Arguments): readonly unknown[] => {
      if (kind === 'insert') return inserted(args)
      if (kind === 'delete') return [isByKey ? { pk_columns: args } : args]
      if (isUpsert) return inserted(args).map((row) => ({ _set: row }))
      return Array.isArray(args['updates']) ? args['updates'] : [args]
    }
    return [{ table, validation, inputs }]
  })
}

/** The different changes of plans, those of nested rows too. */
function changesOf(plans: readonly MutationPlan[]): readonly TableChange[] {
  const found = new Map<string, TableChange>()
  const add = (change: TableChange) => {
    found.set(`${change.kind} ${change.isUpsert} ${nameKey(change.table)}`, change)
  }
  const visit = ({ change, before, after }: MutationStep): void => {
    const { kind, table } = change
    add({ kind, table, isUpsert: false })
    if (change.kind === 'insert' && change.onConflict?.update) add({ kind: 'update', table, isUpsert: true })
    for (const step of [...before, ...after]) visit(step)
  }
  for (const step of plans.flatMap(({ steps }) => steps)) visit(step)
  return [...found.values()]
}

const insertedRows = ({ object, objects }: Arguments): readonly unknown[] | null =>
  object === undefined ? (Array.isArray(objects) ? objects : null) : [object]

interface Rows {
  readonly scope: SchemaScope
  /** The table of the rows. */
  readonly of: QualifiedName
}

/** The values of a table's columns in rows and in those nested in them. */
function rowsOf(wanted: QualifiedName, rows: readonly unknown[], { scope, of }: Rows): readonly unknown[] {
  const table = scope.access(of)?.table
  if (!table) return []
  const isWanted = nameText(of) === nameText(wanted)
  return rows.filter(isJsonObject).flatMap((row) => {
    const nested = nestedRows(row, table)
    const values = Object.entries(row).filter(([name]) => !nested.some((each) => each.name === name))
    const below = nested.flatMap(({ target, data }) => rowsOf(wanted, data, { scope, of: target }))
    return isWanted ? [Object.fromEntries(values), ...below] : below
  })
}

interface Nested {
  readonly name: string
  readonly target: QualifiedName
  readonly data: readonly unknown[]
}

function nestedRows(row: Readonly<Record<string, unknown>>, { fields }: TableModel): readonly Nested[] {
  return Object.entries(row).flatMap(([name, value]) => {
    const field = fields.get(name)
    if (field?.kind !== 'relationship') return []
    const data = isJsonObject(value) ? [value['data'] ?? []].flat() : []
    return [{ name, target: field.target, data }]
  })
}
