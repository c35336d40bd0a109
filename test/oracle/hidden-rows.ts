// The plugin for half of the worlds: rows whose column `hidden` is true are invisible to everyone. If that column is
// never null, deleting a row hides it.

import { type Condition, compare, constantValue, definePlugin, findOperator, updateInstead } from '../../sdk/index.ts'
import type { ColumnModel, TableModel } from '../../sdk/metadata.ts'

const hidingColumn = ({ columns }: TableModel): ColumnModel | null => {
  const column = columns.get('hidden')
  return column?.type.name === 'bool' ? column : null
}

/** The condition on rows that are not hidden. */
function isThere(column: ColumnModel): Condition {
  const isFalse = compare(column, findOperator('_eq', column.type)!, [constantValue('false', 'boolean')])
  return { kind: 'or', of: [{ kind: 'null', column: column.name, negated: false }, isFalse] }
}

export const hiddenRows = definePlugin({
  name: 'hidden-rows',
  register(engine) {
    engine.access.narrow({
      name: 'hidden rows',
      rows({ table }) {
        const column = hidingColumn(table)
        return column && isThere(column)
      },
      change(change, { table }) {
        const column = hidingColumn(table)
        if (change.kind !== 'delete' || !column || column.nullable) return change
        return updateInstead(change, [{ column: column.name, value: constantValue('true', 'boolean') }])
      },
    })
  },
})
