// `select`, `count`, `insert`, `update` and `delete`.

import type { TableAccess } from '../../sdk/access.ts'
import { badRequest, nameText, within } from '../../sdk/index.ts'
import { type OperationContext, operation } from '../../sdk/metadata.ts'
import {
  allOf,
  type Change,
  type MutationPlan,
  manyQuery,
  mutationProgram,
  type Output,
  Printer,
  type ResponseEntry,
  soleStep,
} from '../../sdk/sql.ts'
import type { Caller, ReadableTable } from './caller.ts'
import { callerOf, type DataOptions, printerOptions } from './calling.ts'
import { planInsert } from './insert.ts'
import { requireDistinct } from './order-by.ts'
import { readTransformed } from './read-transformed.ts'
import { runCount, runProgram, runStatement } from './run.ts'
import { Changed, Count, CountArgs, DeleteArgs, InsertArgs, Rows, SelectArgs, UpdateArgs } from './schema.ts'
import { columnOutput, planSelect } from './select.ts'
import { patchConditions, planAssignments } from './update.ts'

const data = { adminOnly: false, editsMetadata: false } as const

export const selectRows = (options: DataOptions) =>
  operation({
    ...data,
    type: 'select',
    about: { summary: 'Reads rows by the names of the database.', result: Rows },
    access: 'any',
    args: SelectArgs,
    async handle(context, args) {
      const caller = await callerOf(context, args.table, options)
      const access = caller.readableByItself(caller.table(args.table, { action: 'select', at: ['table'] }))
      const select = planSelect(args, access, caller)
      const printer = new Printer(printerOptions(context))
      const rows = await runStatement(printer.finish(manyQuery(select, null, printer)), context)
      return readTransformed({ kind: 'many', select }, rows, caller.reads)
    },
  })

export const countRows = (options: DataOptions) =>
  operation({
    ...data,
    type: 'count',
    about: { summary: 'Counts rows.', result: Count },
    access: 'any',
    args: CountArgs,
    async handle(context, { table, distinct = [], where }) {
      const caller = await callerOf(context, table, options)
      const because = '; "count" is only allowed if the role has "select" permissions on the table'
      const access = caller.readableByItself(caller.table(table, { action: 'select', because }), because)
      const hint = `Relationships can't be used in "distinct".`
      caller.cost.add(distinct.length)
      const distinctOn = within('distinct', () =>
        distinct.map((name, i) =>
          within(i, () => {
            const column = caller.readableColumn(access, name, hint)
            caller.refuseTransformed(access.select, name)
            requireDistinct(column)
            return column.name
          }),
        ),
      )
      const rows = access.select.rows({ distinctOn, where: within('where', () => caller.condition(where, access)) })
      return runCount(rows, context)
    },
  })

/** The answer of a change. */
interface MutationResult {
  readonly returning?: readonly unknown[]
  readonly affected_rows: number
}

export const insertRows = (options: DataOptions) =>
  operation({
    ...data,
    type: 'insert',
    writesRows: true,
    mayBeLarge: ['objects'],
    about: { summary: 'Inserts rows.', result: Changed },
    args: InsertArgs,
    async handle(context, args) {
      const caller = await callerOf(context, args.table, options)
      const access = caller.table(args.table, { action: 'insert' })
      refuseImmutable(access, 'insertable')
      caller.permission(access, 'insert')
      const because = '; "returning" can only be used if the role has "select" permission on the table'
      const returning = args.returning && planReturning(args.returning, caller.readable(access, because), caller)
      const results: MutationResult[] = []
      for (const change of await planInsert(args, access, caller)) {
        results.push(await runChange(change, returning, { context, access, caller }))
      }
      return merged(results)
    },
  })

export const updateRows = (options: DataOptions) =>
  operation({
    ...data,
    type: 'update',
    writesRows: true,
    about: { summary: 'Updates rows.', result: Changed },
    args: UpdateArgs,
    async handle(context, args) {
      const caller = await callerOf(context, args.table, options)
      const { table } = args
      const access = caller.table(table, { action: 'update', at: ['table'] })
      refuseImmutable(access, 'updatable')
      const permission = caller.permission(access, 'update')
      const readable = caller.readable(access, needsSelect('update'))
      const assignments = planAssignments(args, { table: access.table, readable, permission }, caller)
      const returning = args.returning && planReturning(args.returning, readable, caller)
      const asked = within('where', () => caller.condition(args.where, readable))
      const where = allOf([asked, ...patchConditions(assignments)])
      return runChange(permission.change({ assignments, where }), returning, { context, access, caller })
    },
  })

export const deleteRows = (options: DataOptions) =>
  operation({
    ...data,
    type: 'delete',
    writesRows: true,
    about: { summary: 'Deletes rows.', result: Changed },
    args: DeleteArgs,
    async handle(context, args) {
      const caller = await callerOf(context, args.table, options)
      const { table } = args
      const access = caller.table(table, { action: 'delete' })
      refuseImmutable(access, 'deletable')
      const permission = caller.permission(access, 'delete')
      const readable = caller.readable(access, needsSelect('delete'))
      const returning = args.returning && planReturning(args.returning, readable, caller)
      const where = within('where', () => caller.condition(args.where, readable))
      return runChange(permission.change(where), returning, { context, access, caller })
    },
  })

function refuseImmutable({ table }: TableAccess, action: 'insertable' | 'updatable' | 'deletable'): void {
  const { kind, [action]: isAllowed } = table.catalog
  const what = kind === 'table' || kind === 'partitioned' ? 'table' : 'view'
  if (!isAllowed) throw badRequest('not-supported', `${what} "${nameText(table.name)}" is not ${action}`)
}

const needsSelect = (operation: string): string =>
  `; "${operation}" is only allowed if the role has "select" permission as "where" can't be used without "select" permission on the table`

/** The object of an affected row. */
function planReturning(columns: readonly string[], access: ReadableTable, caller: Caller): Output {
  const hint = `Relationships can't be used in "returning".`
  return within('returning', () => {
    const entries = [...new Set(columns)].map((name) => {
      return { key: name, value: columnOutput(caller.readableColumn(access, name, hint), access, caller) }
    })
    return { kind: 'object', entries }
  })
}

interface RunOptions {
  readonly context: OperationContext
  readonly access: TableAccess
  readonly caller: Caller
}

async function runChange(
  change: Change,
  returning: Output | undefined,
  { context, access, caller }: RunOptions,
): Promise<MutationResult> {
  const entries: ResponseEntry[] = returning
    ? [{ key: 'returning', value: { kind: 'returning', output: returning } }]
    : []
  entries.push({ key: 'affected_rows', value: { kind: 'affected' } })
  const answer = { kind: 'response', entries } as const
  const plan: MutationPlan = { table: access.table, steps: [soleStep(change)], answer }
  const program = mutationProgram(plan, printerOptions(context))
  const result = (await runProgram(program, context)) as MutationResult
  const read = (row: unknown) => readTransformed(returning!, row, caller.reads)
  return result.returning && caller.reads.size > 0 ? { ...result, returning: result.returning.map(read) } : result
}

/** The results of the parts of one insert. */
function merged([first, ...others]: readonly MutationResult[]): MutationResult {
  if (others.length === 0) return first!
  const results = [first!, ...others]
  const affected_rows = results.reduce((sum, result) => sum + result.affected_rows, 0)
  return first!.returning
    ? { returning: results.flatMap(({ returning = [] }) => returning), affected_rows }
    : { affected_rows }
}
