// The root fields by which a gateway reads the schema of a role and its entities.

import { type GraphQLFieldConfig, GraphQLList, GraphQLNonNull, GraphQLObjectType, GraphQLString } from 'graphql'
import type {
  Contribution,
  FieldMap,
  FieldSelection,
  PlanContext,
  PlannedSchema,
  SchemaScope,
} from '../../sdk/graphql.ts'
import { isUniqueBy } from '../../sdk/metadata.ts'
import { type Output, param, type RootOutput } from '../../sdk/sql.ts'
import { requireIntrospection } from '../introspection/index.ts'
import { planMembers, rowType } from '../tables/graphql.ts'
import { anyScalar, type Entity, entitiesOf, entityUnion } from './graphql/entities.ts'
import { entitiesSql } from './graphql/entities-sql.ts'
import { keysParam, typesIn } from './graphql/representations.ts'

type Field = GraphQLFieldConfig<unknown, unknown>

/** The root fields, which an SDL leaves out. */
export const ownFields = { entities: '_entities', service: '_service' } as const

/** The SDL of a role's schema for gateways. */
export type SdlOf = (schema: PlannedSchema) => Promise<string>

const serviceType = (scope: SchemaScope): GraphQLObjectType =>
  scope.type('_Service', () => {
    const sdl = { type: new GraphQLNonNull(GraphQLString), description: 'the schema as SDL' }
    return new GraphQLObjectType({ name: '_Service', fields: { sdl } })
  })

const serviceField = (scope: SchemaScope, sdlOf: SdlOf): Field => ({
  type: new GraphQLNonNull(serviceType(scope)),
  description: 'the schema of the role for a gateway',
  extensions: {
    root: {
      kind: 'resolved',
      plan(_field, { schema }) {
        requireIntrospection(schema)
        return schema
      },
      resolve: async ({ plan }) => ({ sdl: await sdlOf(plan as PlannedSchema) }),
    },
  },
})

function entitiesField(scope: SchemaScope): Field {
  const representations = new GraphQLNonNull(new GraphQLList(new GraphQLNonNull(anyScalar(scope))))
  return {
    type: new GraphQLNonNull(new GraphQLList(entityUnion(scope))),
    description: 'the rows of representations, in their order; null where the role sees no row',
    args: { representations: { type: representations } },
    extensions: { root: { kind: 'relational', plan: planEntities } },
  }
}

/** Reads the types of the representations, and those that are selected, so that all selections are checked. */
function planEntities(field: FieldSelection, context: PlanContext): RootOutput {
  const { schema } = context
  const entities = entitiesOf(schema)
  const types = typesIn(field.argument('representations')!, entities, context)
  const parts = [...entities].flatMap((named) => {
    const [name, entity] = named
    const members = field.fieldsOf(rowType(schema, entity.table))
    const isSelected = members.some(({ definition }) => definition !== null)
    if (!isSelected && !types.has(name)) return []
    const output = planMembers(members, context, entity.table)
    const { source, type } = keysParam(field, schema, named)
    return [{ entity, keys: param(source, type), output: rowOutput(entity, output, context) }]
  })
  return { kind: 'sql', build: (_row, printer) => entitiesSql(parts, printer) }
}

function rowOutput({ table, mapping }: Entity, output: Output, { schema }: PlanContext): Output {
  const rows = schema.access(table.name)!.select!.row({ mapping })
  const unique = isUniqueBy(table.catalog, table.primaryKey!.columns)
  return { kind: 'one', unique, select: { rows, output } }
}

/** The fields; `_entities` only where the role has entities. */
export const federationContribution = (sdlOf: SdlOf): Contribution => ({
  name: 'federation',
  schemas: ['standard'],
  query(scope): FieldMap {
    const service = [ownFields.service, () => serviceField(scope, sdlOf)] as const
    if (entitiesOf(scope).size === 0) return new Map([service])
    return new Map([service, [ownFields.entities, () => entitiesField(scope)]])
  },
})
