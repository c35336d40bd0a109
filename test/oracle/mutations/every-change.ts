// Updates with every operator of every type.

import type { Draw } from '../draw.ts'
import { allItems, drawTypeWorld, tableId } from '../every-operator.ts'
import { RequestValues } from '../generate-arguments.ts'
import { dataText } from '../json.ts'
import { typeNames } from '../types.ts'
import { View } from '../view.ts'
import { type Table, tableOf, type World } from '../world.ts'
import type { MutationCase } from './case.ts'
import { updateOperatorsOf, worldAfter } from './generate.ts'
import { WriteValues } from './generate-values.ts'
import type { Mutation, UpdateOperator } from './mutation.ts'
import { changeEvent } from './statements.ts'

/** The required events. */
export const expectedChanges: readonly string[] = typeNames.flatMap((type) =>
  updateOperatorsOf(type).map((operator) => changeEvent(operator, type)),
)

/** Updates. Most of them change something; the others change nothing or are refused. */
export function drawChangeCase(draw: Draw): MutationCase {
  const start = drawTypeWorld(draw)
  const script: Mutation[] = []
  let world = start
  for (const type of typeNames) {
    for (const operator of updateOperatorsOf(type)) {
      for (const isEffective of [true, true, false]) {
        const mutation = drawChange(draw, operator, tableOf(world, tableId(type)), world, isEffective)
        script.push(mutation)
        for (const run of [0, 1] as const) world = worldAfter(mutation, world, run) ?? world
      }
    }
  }
  return { world: start, scripts: [script], probes: [] }
}

/** Draws until the row changes, if that is wanted. */
function drawChange(draw: Draw, operator: UpdateOperator, table: Table, world: World, isEffective: boolean): Mutation {
  const [key, column] = table.columns as [Table['columns'][number], Table['columns'][number]]
  const requestValues = new RequestValues(draw, new View(world, null))
  const values = new WriteValues(draw, world, requestValues)
  for (let tries = 200; ; tries--) {
    const row = draw.pick(table.rows)
    const change = { operator, values: [values.forUpdate(column, table, operator)], lift: draw.chance(0.1) }
    const mutation: Mutation = {
      role: null,
      roots: [
        {
          ...{ kind: 'updateByKey', table: table.id, alias: null, directives: {} },
          key: [{ column: key.id, leaf: requestValues.value(key, row[key.id]!) }],
          changes: [change],
          items: allItems(table),
        },
      ],
    }
    const after = worldAfter(mutation, world)
    if (!isEffective || tries === 0 || (after !== null && isOther(tableOf(after, table.id), table, column.id))) {
      return mutation
    }
  }
}

const isOther = (after: Table, before: Table, column: string): boolean =>
  after.rows.some((row, i) => dataText(row[column]) !== dataText(before.rows[i]![column]))
