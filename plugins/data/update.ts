// The plan of the data operation `update`.

import type { UpdateAccess } from '../../sdk/access.ts'
import { badRequest, within } from '../../sdk/index.ts'
import type { ColumnModel, TableModel } from '../../sdk/metadata.ts'
import { type Assignment, type Condition, columnSql, sql } from '../../sdk/sql.ts'
import { isNumeric } from '../tables/graphql.ts'
import type { Caller, ReadableTable } from './caller.ts'
import { nothing, patchAssignment } from './patch.ts'
import { mostPatched } from './tuning.ts'
import { isWritable, writtenValue } from './written-values.ts'

/** The changes that a request asks for. */
export interface UpdateRequest {
  readonly $set?: Readonly<Record<string, unknown>>
  /** Another name of `$set`, which counts more. */
  readonly values?: Readonly<Record<string, unknown>>
  readonly $inc?: Readonly<Record<string, unknown>>
  readonly $mul?: Readonly<Record<string, unknown>>
  readonly $default?: readonly string[]
  /** Operations within values of jsonb columns. */
  readonly $patch?: Readonly<Record<string, unknown>>
}

/** A table with the rights of the caller. */
export interface UpdatedTable {
  readonly table: TableModel
  readonly readable: ReadableTable
  readonly permission: UpdateAccess
}

/** The assignments that the request asks for; empty only if the permission has presets. */
export function planAssignments(
  request: UpdateRequest,
  { table, readable, permission }: UpdatedTable,
  caller: Caller,
): Assignment[] {
  const reader = new AssignmentReader(table, permission, caller)
  const assignments = [
    ...reader.read('$set', '_set', request.$set ?? request.values),
    ...reader.read('$inc', '_inc', request.$inc),
    ...reader.read('$mul', '_mul', request.$mul),
    ...reader.readDefaults(request.$default),
    ...reader.readPatches(request.$patch, readable),
  ]
  if (assignments.length + permission.presets.size === 0) {
    throw badRequest('unexpected-payload', 'atleast one of $set, $inc, $mul has to be present')
  }
  refuseRepeated(assignments)
  return assignments
}

/** The condition that the patches of a request apply to a row. */
export const patchConditions = (assignments: readonly Assignment[]): Condition[] =>
  assignments.flatMap(({ column, build }) =>
    build ? [{ kind: 'sql', build: (row) => sql`${build(columnSql(row, column))} is not null` }] : [],
  )

/** PostgreSQL refuses it in words of its own. */
function refuseRepeated(assignments: readonly Assignment[]): void {
  const columns = assignments.map(({ column }) => column)
  const repeated = columns.find((column, i) => columns.indexOf(column) !== i)
  if (repeated === undefined) return
  throw badRequest('unexpected-payload', `column "${repeated}" is assigned more than once`)
}

class AssignmentReader {
  readonly #table: TableModel
  readonly #permission: UpdateAccess
  readonly #caller: Caller

  constructor(table: TableModel, permission: UpdateAccess, caller: Caller) {
    this.#table = table
    this.#permission = permission
    this.#caller = caller
  }

  /** The assignments of one key of the request. */
  read(key: string, operator: string, values: Readonly<Record<string, unknown>> = {}): Assignment[] {
    return within(key, () =>
      Object.entries(values).map(([name, value]) => {
        const column = this.#column(name)
        if (operator !== '_set' && !isNumeric(column)) {
          throw badRequest('unexpected-payload', `column "${name}" is not numeric`)
        }
        return { column: name, operator, value: writtenValue(value, column, this.#caller) }
      }),
    )
  }

  readDefaults(names: readonly string[] = []): Assignment[] {
    return within('$default', () =>
      names.map((name) => ({ column: this.#column(name).name, operator: '_default', value: nothing })),
    )
  }

  /** A patch tells of the value before, so that the role must be allowed to read it. */
  readPatches(patches: UpdateRequest['$patch'] = {}, readable: ReadableTable): Assignment[] {
    return within('$patch', () => {
      const count = Object.values(patches).flat().length
      if (count > mostPatched) throw badRequest('unexpected-payload', `a patch has at most ${mostPatched} operations`)
      this.#caller.cost.add(count)
      return Object.entries(patches).map(([name, operations]) => {
        const column = this.#column(name)
        if (column.type.name !== 'jsonb')
          throw badRequest('unexpected-payload', `column "${name}" is not of type jsonb`)
        this.#caller.readableColumn(readable, name, '')
        this.#caller.refuseTransformed(readable.select, name)
        return within(name, () => patchAssignment(operations, column))
      })
    })
  }

  #column(name: string): ColumnModel {
    const { columns, presets } = this.#permission
    const { role } = this.#caller
    if (presets.has(name)) {
      const reason = 'its value is predefined in permission'
      throw badRequest('not-supported', `column "${name}" is not updatable for role "${role}"; ${reason}`)
    }
    const hint = "relationships can't be updated"
    const column = this.#caller.writtenColumn(this.#table, name, { action: 'update', columns, hint })
    if (isWritable(column)) return column
    throw badRequest('not-supported', `column "${name}" is not updatable for role "${role}"`)
  }
}
