// Soft delete: rows of tables with a column `deleted_at` are hidden from everybody once a time stands there, and deleting one
// writes the time. GraphQL, permissions, relationships, aggregates and the data operations all follow.
// `npm start -- --plugin ./examples/soft-delete.ts`

import { constantValue, definePlugin, isNull, type NarrowedTable, updateInstead } from 'trellis'

const column = 'deleted_at'

const isSoft = ({ table }: NarrowedTable) => table.columns.get(column)?.type.name === 'timestamptz'

export default definePlugin({
  name: 'soft-delete',
  register(engine) {
    engine.access.narrow({
      name: 'soft delete',
      rows: (place) => (isSoft(place) ? isNull(column) : null),
      change(change, place) {
        if (change.kind !== 'delete' || !isSoft(place)) return change
        return updateInstead(change, [{ column, value: constantValue('now', 'timestamptz') }])
      },
    })
  },
})
