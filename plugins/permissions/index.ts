// Access of roles other than `admin` to a table: its permissions, and servers that validate the values of changes.

import { definePlugin, environmentValue } from '../../sdk/index.ts'
import { permissionFacets } from './metadata.ts'
import { createPermissions, dropPermissions, setPermissionComment } from './operations.ts'
import { validationContribution } from './validation/guard.ts'
import { explainAccess } from './verdicts/operations.ts'

export { resolveExpression } from './boolean-expression.ts'
export { type ColumnRefusal, kindText, requireColumn } from './columns.ts'
export { columnCodec } from './comparisons.ts'
export type { ExpressionContext, ExpressionReader, ReachedRows } from './expression-context.ts'
export type { BooleanExpression } from './expression-syntax.ts'
export { renameInExpression, type TableLookup } from './rename.ts'
export type { Members, PermissionEntry, PermissionKind, Permissions } from './schema.ts'
export { type ValidateInput, validationOf } from './validation/schema.ts'

export default definePlugin({
  name: 'permissions',
  dependencies: ['tables'],
  register(engine) {
    const { dialect, outgoing } = engine
    const facets = permissionFacets(dialect)
    engine.metadata.facet(facets.insert)
    engine.metadata.facet(facets.select)
    engine.metadata.facet(facets.update)
    engine.metadata.facet(facets.delete)
    engine.graphql.contribute(validationContribution({ outgoing, dialect, environment: environmentValue }))
    engine.operations.add(
      ...createPermissions(dialect),
      ...dropPermissions,
      setPermissionComment,
      explainAccess(engine),
    )
  },
})
