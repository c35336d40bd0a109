// The GraphQL schemas of roles for tools: search, SDL, and differences, without an introspection.

import type { PlannedSchema } from '../../sdk/graphql.ts'
import { definePlugin, serviceKey } from '../../sdk/index.ts'
import { inTurns } from '../../sdk/services.ts'
import { compareSchemas, type SchemaDifferences } from './differences.ts'
import { KeptDescriptions } from './kept.ts'
import { diffRoleSchemas, getRoleSchema, type Schemas, searchSchema } from './operations.ts'
import { type PrintedSchema, printSchemaSteps, type SdlForm } from './printed.ts'
import { indexSchema } from './schema-index.ts'

export { Differences } from './operations.ts'
export type { PrintedSchema, SdlForm } from './printed.ts'

/** Compares two schemas, of any models; lists at most a number of differences. */
export type CompareSchemas = (a: PlannedSchema, b: PlannedSchema, most: number) => Promise<SchemaDifferences>

/** The comparison of schemas, for other plugins. */
export const schemaComparison = serviceKey<CompareSchemas>('schemaComparison')

/** Prints schemas in a form of another plugin; texts are kept as those of the usual form are. */
export type PrintSchemas = (form: SdlForm) => (schema: PlannedSchema) => Promise<PrintedSchema>

/** The SDL of schemas, for other plugins. */
export const schemaPrinter = serviceKey<PrintSchemas>('schemaPrinter')

export default definePlugin({
  name: 'role-schemas',
  dependencies: ['metadata'],
  register(engine) {
    const { graphql, operations } = engine
    const schemas: Schemas = {
      of: (role, backendOnly) => graphql.schema(role, backendOnly),
      indexes: new KeptDescriptions(indexSchema),
      printed: new KeptDescriptions((schema) => printSchemaSteps(schema)),
    }
    engine.provide(schemaComparison, async (a, b, most) => {
      const [indexA, indexB] = [await schemas.indexes.of(a), await schemas.indexes.of(b)]
      return inTurns(compareSchemas(indexA, indexB, most))
    })
    engine.provide(schemaPrinter, (form) => {
      const printed = new KeptDescriptions((schema) => printSchemaSteps(schema, form))
      return (schema) => printed.of(schema)
    })
    operations.add(searchSchema(schemas), getRoleSchema(schemas), diffRoleSchemas(schemas))
  },
})
