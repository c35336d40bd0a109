// The effect of a mutation on a world, and its answer.

import { merged, objectOf, rowValue } from '../answer.ts'
import type { Coverage } from '../coverage.ts'
import { type Expected, exactly } from '../expected.ts'
import { Num } from '../json.ts'
import { datumOf, type Item, type Run } from '../request.ts'
import { scopeOf } from '../rows.ts'
import { compareData } from '../types.ts'
import { columnOf, displayName, hidingColumn, type Row, type Table, type World } from '../world.ts'
import type { Assignment } from './assignments.ts'
import { Context, every, presetTuple } from './context.ts'
import type { Change, Mutation, MutationRoot, ResponseItem, RootOf } from './mutation.ts'
import { planRefusals } from './plan-refusals.ts'
import { located, type Refusal, Refused } from './refusal.ts'
import { rootName } from './root-names.ts'
import { RowInserter } from './row-inserter.ts'
import { attempt, type Condition, remove, update } from './statements.ts'

export type Outcome =
  | { readonly kind: 'done'; readonly data: Expected; readonly world: World }
  /** One of these errors; everything is unchanged except sequences. */
  | { readonly kind: 'refused'; readonly refusals: readonly Refusal[] }

/** Runs all fields of a mutation, each on the result of the previous ones; an error rolls all of them back. */
export function execute(mutation: Mutation, world: World, run: Run, coverage?: Coverage): Outcome {
  const refusals = planRefusals(mutation, world, run)
  if (refusals.length > 0) return { kind: 'refused', refusals }
  const context = new Context(world, mutation.role, run, coverage)
  try {
    const fields = merged(mutation.roots, scopeOf(context.view(), run), (root) => rootName(root, world))
    const data = objectOf(fields, ([root]) => located('$', () => rootAnswer(root!, context)))
    if (fields.size > 1) context.store.happened('several fields')
    commit(context)
    return { kind: 'done', data, world: context.store.world }
  } catch (error) {
    if (error instanceof Refused) return { kind: 'refused', refusals: error.refusals as readonly Refusal[] }
    throw error
  }
}

/** An error of a deferred constraint belongs to no field. */
function commit({ store }: Context): void {
  const refusals = store.deferred.flatMap((check) => attempt(check).refusals)
  if (refusals.length > 0) throw new Refused(refusals.map((refusal) => ({ ...refusal, path: '$' })))
  if (store.deferred.length > 0) store.happened('a deferred check')
}

function rootAnswer(root: MutationRoot, context: Context): Expected {
  if (root.kind === 'typename') return exactly('mutation_root')
  switch (root.kind) {
    case 'insert': {
      const { rows, affected } = insertRows(root, context)
      return responseOf(root, { affected, groups: rows.map((row) => [row]) }, context)
    }
    case 'insertOne': {
      const path = `$.selectionSet.${rootName(root, context.store.world)}.args.object`
      const target = { table: root.table, conflict: root.conflict, path }
      return rowOf(root, new RowInserter(context).insert([root.row], target, new Map()), context)
    }
    case 'update':
      return responseOf(root, inAnyOrder(updateRows(root, context.asked(root.where), context)), context)
    case 'updateMany': {
      const answers = root.updates.map((each) => {
        const rows = updateRows({ table: root.table, ...each }, context.asked(each.where), context)
        return responseOf(root, inAnyOrder(rows), context)
      })
      if (answers.length > 1) context.store.happened('several updates in one field')
      return { kind: 'list', items: answers }
    }
    case 'updateByKey':
      return rowOf(root, updateRows(root, keyCondition(root, context), context), context)
    case 'delete':
      return responseOf(root, inAnyOrder(deleteRows(root, context.asked(root.where), context)), context)
    case 'deleteByKey':
      return rowOf(root, deleteRows(root, keyCondition(root, context), context), context)
  }
}

function insertRows(root: RootOf<'insert'>, context: Context) {
  const inserter = new RowInserter(context)
  const path = `$.selectionSet.${rootName(root, context.store.world)}.args.objects`
  const given = root.lift && context.run === 1 ? root.lift.second : root.rows
  const rows = inserter.insert(given, { table: root.table, conflict: root.conflict, path }, new Map())
  return { rows, affected: inserter.affected }
}

function updateRows(
  { table, changes }: Pick<RootOf<'update'>, 'table' | 'changes'>,
  where: Condition,
  context: Context,
): readonly Row[] {
  const { filter, check, presets } = context.writes.update(table)!
  const preset = [...presetTuple(presets)].map(([id, stored]): Assignment => {
    return {
      column: columnOf(context.store.world, id),
      operator: '_set',
      operand: stored === null ? null : stored.datum,
    }
  })
  const assignments = [...changes.flatMap((change) => assignmentsOf(change, context)), ...preset]
  if (assignments.length === 0) return []
  if (preset.length > 0) context.store.happened('presets of an update')
  return update(context.store, {
    table,
    assignments,
    where: every(context.there(table), context.permitted(filter), where),
    check: context.permitted(check ?? []),
  })
}

const assignmentsOf = ({ operator, values }: Change, { store, run }: Context): readonly Assignment[] =>
  values.map(({ column, leaf }) => {
    return { column: columnOf(store.world, column), operator, operand: datumOf(leaf, run) }
  })

function deleteRows({ table }: { readonly table: string }, where: Condition, context: Context): readonly Row[] {
  const { filter } = context.writes.delete(table)!
  const { store } = context
  const found = every(context.there(table), context.permitted(filter), where)
  const hiding = hidingColumn(store.table(table))
  if (!hiding || hiding.nullable) return remove(store, table, found)
  const assignments: readonly Assignment[] = [{ column: hiding, operator: '_set', operand: true }]
  const hidden = update(store, { table, where: found, assignments, check: () => true })
  if (hidden.length > 0) store.happened('a row was hidden in the place of being deleted')
  return hidden
}

function keyCondition({ key }: Pick<RootOf<'updateByKey'>, 'key'>, { store, run }: Context): Condition {
  return (row) =>
    key.every(({ column, leaf }) => {
      return compareData(columnOf(store.world, column).type, row[column]!.datum, datumOf(leaf, run)) === 0
    })
}

/** The rows that a field changed; the order within a group is known only to the database. */
interface Affected {
  readonly affected: number
  readonly groups: readonly (readonly Row[])[]
}

const inAnyOrder = (rows: readonly Row[]): Affected => ({
  affected: rows.length,
  groups: rows.length === 0 ? [] : [rows],
})

interface Responding {
  readonly table: string
  readonly response: readonly ResponseItem[]
}

function responseOf({ table: id, response }: Responding, { affected, groups }: Affected, context: Context): Expected {
  const table = context.store.table(id)
  const scope = scopeOf(context.view(), context.run)
  const names = { typename: '__typename', affected: 'affected_rows', returning: 'returning' } as const
  const fields = merged(response, scope, ({ kind }) => names[kind])
  return objectOf(fields, (selections) => {
    const [item] = selections
    if (item!.kind === 'typename') return exactly(`${displayName(table)}_mutation_response`)
    if (item!.kind === 'affected') return exactly(new Num(String(affected)))
    context.view().require(id)
    const items = selections.flatMap((selection) => (selection.kind === 'returning' ? selection.items : []))
    return {
      kind: 'rows',
      groups: groups.map((group) => group.map((row) => returned(table, row, items, context))),
      offset: 0,
      limit: Number.POSITIVE_INFINITY,
    }
  })
}

function rowOf(
  { table, items }: { readonly table: string; readonly items: readonly Item[] },
  [row]: readonly Row[],
  context: Context,
): Expected {
  return row ? returned(context.store.table(table), row, items, context) : exactly(null)
}

/** A row after the statement, with related rows as they are when the field is done. */
function returned({ id }: Table, row: Row, items: readonly Item[], context: Context): Expected {
  const view = context.view()
  if (!view.rows(id).includes(row)) context.store.happened('a row was returned that is gone or hidden')
  return rowValue(id, row, items, scopeOf(view, context.run))
}
