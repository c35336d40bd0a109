// The plan of the data operation `update`.

import type { UpdateAccess } from '../../sdk/access.ts'
import { badRequest, within } from '../../sdk/index.ts'
import type { ColumnModel, TableModel } from '../../sdk/metadata.ts'
import type { Assignment, ParamOperand } from '../../sdk/sql.ts'
import { isNumeric } from '../tables/graphql.ts'
import type { Caller } from './caller.ts'
import { isWritable, writtenValue } from './written-values.ts'

/** The changes that a request asks for. */
export interface UpdateRequest {
  readonly $set?: Readonly<Record<string, unknown>>
  /** Another name of `$set`, which counts more. */
  readonly values?: Readonly<Record<string, unknown>>
  readonly $inc?: Readonly<Record<string, unknown>>
  readonly $mul?: Readonly<Record<string, unknown>>
  readonly $default?: readonly string[]
}

/** The operand of operators without one. */
const nothing: ParamOperand = { kind: 'param', source: { from: 'constant', value: null }, type: 'text' }

/** The assignments that the request asks for; empty only if the permission has presets. */
export function planAssignments(
  request: UpdateRequest,
  table: TableModel,
  permission: UpdateAccess,
  caller: Caller,
): Assignment[] {
  const reader = new AssignmentReader(table, permission, caller)
  const assignments = [
    ...reader.read('$set', '_set', request.$set ?? request.values),
    ...reader.read('$inc', '_inc', request.$inc),
    ...reader.read('$mul', '_mul', request.$mul),
    ...reader.readDefaults(request.$default),
  ]
  if (assignments.length + permission.presets.size === 0) {
    throw badRequest('unexpected-payload', 'atleast one of $set, $inc, $mul has to be present')
  }
  refuseRepeated(assignments)
  return assignments
}

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
