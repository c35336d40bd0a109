// The GraphQL schemas of roles for tools: search, SDL, and differences, without an introspection.

import type { PlannedSchema } from '../../sdk/graphql.ts'
import { definePlugin, serviceKey } from '../../sdk/index.ts'
import { inTurns } from '../../sdk/services.ts'
import { compareSchemas, type SchemaDifferences } from './differences.ts'
import { KeptDescriptions } from './kept.ts'
import { diffRoleSchemas, getRoleSchema, type Schemas, searchSchema } from './operations.ts'
import { printSchemaSteps } from './printed.ts'
import { indexSchema } from './schema-index.ts'

export { Differences } from './operations.ts'

/** Compares two schemas, of any models; lists at most a number of differences. */
export type CompareSchemas = (a: PlannedSchema, b: PlannedSchema, most: number) => Promise<SchemaDifferences>

/** The comparison of schemas, for other plugins. */
export const schemaComparison = serviceKey<CompareSchemas>('schemaComparison')

export default definePlugin({
  name: 'role-schemas',
  dependencies: ['metadata'],
  register(engine) {
    const { graphql, operations } = engine
    const schemas: Schemas = {
      of: (role, backendOnly) => graphql.schema(role, backendOnly),
      indexes: new KeptDescriptions(indexSchema),
      printed: new KeptDescriptions(printSchemaSteps),
    }
    engine.provide(schemaComparison, async (a, b, most) => {
      const [indexA, indexB] = [await schemas.indexes.of(a), await schemas.indexes.of(b)]
      return inTurns(compareSchemas(indexA, indexB, most))
    })
    operations.add(searchSchema(schemas), getRoleSchema(schemas), diffRoleSchemas(schemas))
  },
})
