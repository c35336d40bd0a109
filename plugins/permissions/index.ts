// Access of roles other than `admin` to a table: select, insert, update and delete permissions.

import { definePlugin } from '../../sdk/index.ts'
import { deletePermissions, insertPermissions, selectPermissions, updatePermissions } from './metadata.ts'
import { createPermissions, dropPermissions, setPermissionComment } from './operations.ts'
import { explainAccess } from './verdicts/operations.ts'

export { resolveExpression } from './boolean-expression.ts'
export { type ColumnRefusal, kindText, requireColumn } from './columns.ts'
export { columnCodec } from './comparisons.ts'
export type { ExpressionContext, ExpressionReader, ReachedRows } from './expression-context.ts'
export type { BooleanExpression } from './expression-syntax.ts'
export { renameInExpression, type TableLookup } from './rename.ts'
export type { Members, PermissionEntry, PermissionKind, Permissions } from './schema.ts'

export default definePlugin({
  name: 'permissions',
  dependencies: ['tables'],
  register(engine) {
    engine.metadata.facet(insertPermissions)
    engine.metadata.facet(selectPermissions)
    engine.metadata.facet(updatePermissions)
    engine.metadata.facet(deletePermissions)
    engine.operations.add(...createPermissions, ...dropPermissions, setPermissionComment, explainAccess(engine))
  },
})
