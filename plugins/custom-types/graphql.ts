// Custom types in a role's schema, and the plans of their relationships.

import {
  GraphQLEnumType,
  type GraphQLFieldConfig,
  GraphQLInputObjectType,
  type GraphQLInputType,
  GraphQLList,
  GraphQLNonNull,
  GraphQLObjectType,
  type GraphQLOutputType,
  GraphQLScalarType,
  specifiedScalarTypes,
} from 'graphql'
import { type FieldMap, type MemberPlanner, type SchemaScope, scalarType } from '../../sdk/graphql.ts'
import { graphqlBaseName } from '../../sdk/index.ts'
import { columnPair, type Output } from '../../sdk/sql.ts'
import {
  aggregateType,
  planAggregate,
  planRow,
  planRows,
  rowList,
  rowType,
  selectArguments,
} from '../tables/graphql.ts'
import type { InputModel, NamedType, ObjectModel, RelationshipOfObject, ResolvedType } from './model.ts'
import type { CustomEnum } from './schema.ts'

export { planStored } from './stored.ts'

/** The GraphQL type for arguments. */
export function inputTypeOf(scope: SchemaScope, type: ResolvedType): GraphQLInputType {
  const nullable = type.kind === 'list' ? new GraphQLList(inputTypeOf(scope, type.of)) : namedInput(scope, type.of)
  return type.isNullable ? nullable : new GraphQLNonNull(nullable)
}

/** The GraphQL type for results. */
export function outputTypeOf(scope: SchemaScope, type: ResolvedType): GraphQLOutputType {
  const nullable = type.kind === 'list' ? new GraphQLList(outputTypeOf(scope, type.of)) : namedOutput(scope, type.of)
  return type.isNullable ? nullable : new GraphQLNonNull(nullable)
}

function namedInput(scope: SchemaScope, type: NamedType) {
  if (type.kind === 'object') throw new Error(`"${type.object.name}" is not an input type`)
  return type.kind === 'input' ? inputObjectType(scope, type.input) : leafType(scope, type)
}

function namedOutput(scope: SchemaScope, type: NamedType) {
  if (type.kind === 'input') throw new Error(`"${type.input.name}" is not an output type`)
  return type.kind === 'object' ? objectType(scope, type.object) : leafType(scope, type)
}

function leafType(
  scope: SchemaScope,
  type: Exclude<NamedType, { kind: 'input' | 'object' }>,
): GraphQLScalarType | GraphQLEnumType {
  switch (type.kind) {
    case 'builtIn':
      return specifiedScalarTypes.find((scalar) => scalar.name === type.name)!
    case 'database':
      return scalarType(scope, type.type)!
    case 'scalar': {
      const { name, description } = type.scalar
      return scope.type(name, () => new GraphQLScalarType({ name, description }))
    }
    case 'enum':
      return enumType(scope, type.enumeration)
    default:
      return type satisfies never
  }
}

function enumType(scope: SchemaScope, { name, description, values }: CustomEnum): GraphQLEnumType {
  return scope.type(name, () => {
    const entries = values.map((each) => {
      const deprecated = each.is_deprecated === true ? { deprecationReason: 'enum value is deprecated' } : {}
      return [each.value, { description: each.description, ...deprecated }]
    })
    return new GraphQLEnumType({ name, description, values: Object.fromEntries(entries) })
  })
}

function inputObjectType(scope: SchemaScope, { name, description, fields }: InputModel): GraphQLInputObjectType {
  return scope.type(name, () => {
    const fieldOf = (field: InputModel['fields'][number]) =>
      [field.name, { type: inputTypeOf(scope, field.type), description: field.description ?? null }] as const
    return new GraphQLInputObjectType({ name, description, fields: () => Object.fromEntries(fields.map(fieldOf)) })
  })
}

/** The type of an object, with the relationships that the role sees; those to tables need select permission. */
function objectType(scope: SchemaScope, object: ObjectModel): GraphQLObjectType {
  const { name, description, fields } = object
  return scope.type(name, () => {
    const own = (field: ObjectModel['fields'][number]) =>
      [field.name, { type: outputTypeOf(scope, field.type), description: field.description ?? null }] as const
    const related = () => [...relationshipFields(scope, object)].map(([key, make]) => [key, make()] as const)
    return new GraphQLObjectType({
      name,
      description,
      fields: () => Object.fromEntries<GraphQLFieldConfig<unknown, unknown>>([...fields.map(own), ...related()]),
    })
  })
}

function relationshipFields(scope: SchemaScope, { fields, relationships, members }: ObjectModel): FieldMap {
  const taken = new Set([...fields, ...relationships, ...members].map(({ name }) => name))
  const map = new Map<string, () => GraphQLFieldConfig<unknown, unknown>>()
  for (const relationship of relationships) {
    for (const [name, make] of tableFields(scope, relationship, taken)) map.set(name, make)
  }
  for (const member of members) {
    const make = member.field(scope)
    if (make) map.set(member.name, make)
  }
  return map
}

/**
 * The fields of a relationship to a table, each with a planner `member`; none if the role may not select from the table.
 * Names in `taken` are left out for the aggregate.
 */
export function tableFields(
  scope: SchemaScope,
  relationship: RelationshipOfObject,
  taken: ReadonlySet<string>,
): FieldMap {
  const map = new Map<string, () => GraphQLFieldConfig<unknown, unknown>>()
  const access = scope.access(relationship.table)
  const select = access?.select
  if (!select || access.table.graphqlName === null) return map
  // The handler's values would tell those that the role does not see.
  if (relationship.mapping.some(({ column }) => select.transformed.has(column))) return map
  map.set(relationship.name, () => scope.spelledField(relationshipField(scope, relationship)))
  const aggregate = scope.withSuffix(relationship.name, '_aggregate')
  if (relationship.type === 'object' || !select.allowAggregations || taken.has(aggregate)) return map
  return map.set(aggregate, () => scope.spelledField(aggregateField(scope, relationship)))
}

/** The object's fields in the mapping, with the types of their columns. */
const needsOf = ({ mapping }: RelationshipOfObject) =>
  Object.fromEntries(mapping.map(({ field, type }) => [field, type]))

const pairsOf = ({ mapping }: RelationshipOfObject) =>
  mapping.map(({ field, column, type }) => {
    const pair = columnPair([field, column], [type, type])
    if (!pair) throw new Error(`values of the column "${column}" cannot be compared`)
    return pair
  })

function relationshipField(scope: SchemaScope, relationship: RelationshipOfObject) {
  const { table } = scope.access(relationship.table)!
  const member = memberOf(relationship)
  if (relationship.type === 'object') {
    return { type: rowType(scope, table), description: 'An object relationship', extensions: { member } }
  }
  return {
    type: rowList(scope, table),
    description: 'An array relationship',
    args: selectArguments(scope, table),
    extensions: { member },
  }
}

function memberOf(relationship: RelationshipOfObject): MemberPlanner {
  const mapping = pairsOf(relationship)
  return {
    kind: 'relational',
    needs: needsOf(relationship),
    plan(field, context): Output {
      const { table, select } = context.schema.access(relationship.table)!
      if (relationship.type === 'array') {
        const rows = planRows(field, context, table, { mapping })
        return { kind: 'many', select: { rows, output: planRow(field, context, table) } }
      }
      const rows = select!.row({ mapping })
      return { kind: 'one', unique: relationship.unique, select: { rows, output: planRow(field, context, table) } }
    },
  }
}

function aggregateField(scope: SchemaScope, relationship: RelationshipOfObject) {
  const { table } = scope.access(relationship.table)!
  const mapping = pairsOf(relationship)
  const member: MemberPlanner = {
    kind: 'relational',
    needs: needsOf(relationship),
    plan(field, context) {
      const rows = planRows(field, context, table, { mapping })
      return { kind: 'aggregate', select: { rows, output: planAggregate(field, context, table) } }
    },
  }
  return {
    type: new GraphQLNonNull(aggregateType(scope, table)),
    description: `An aggregate relationship with "${graphqlBaseName(table.name)}"`,
    args: selectArguments(scope, table),
    extensions: { member },
  }
}
