// `__schema` and `__type`, answered by graphql-js from the role's whole schema, which is assembled on first use.

import {
  type DocumentNode,
  execute,
  GraphQLDirective,
  GraphQLEnumType,
  GraphQLIncludeDirective,
  type GraphQLNamedType,
  type GraphQLObjectType,
  GraphQLSchema,
  GraphQLSkipDirective,
  getNamedType,
  introspectionTypes,
  isEnumType,
  isInputObjectType,
  isInterfaceType,
  isObjectType,
  isUnionType,
  Kind,
  lexicographicSortSchema,
} from 'graphql'
import { internalError, validationFailed } from '../../errors/errors.ts'
import { conflictingDefinitions } from '../../metadata/naming/type-names.ts'
import { compareText } from '../../names/names.ts'
import type { GraphQLOperation } from '../read/document.ts'
import type { Variables } from '../read/plan-context.ts'
import type { PlannedSchema } from '../read/planned-schema.ts'
import type { FieldSelection } from '../read/selection.ts'
import { countIntrospection, type IntrospectedValues } from './introspection-size.ts'
import { withMergedRows } from './merged-rows.ts'

const schemas = new WeakMap<PlannedSchema, GraphQLSchema>()
const wholeSchemas = new WeakMap<PlannedSchema, GraphQLSchema>()

/** The role's schema as a graphql-js schema, with members sorted by name. */
function introspectionSchema(role: PlannedSchema): GraphQLSchema {
  let schema = schemas.get(role)
  if (!schema) {
    schema = lexicographicSortSchema(assembledSchema(role))
    if (role.dialect.metaEnums === 'by name') sortMetaEnums(schema)
    schemas.set(role, schema)
  }
  return schema
}

/** The role's schema in its own order, with every type that can be reached. Cached, unlike the sorted one. */
export function wholeSchema(role: PlannedSchema): GraphQLSchema {
  let schema = wholeSchemas.get(role)
  if (!schema) {
    schema = assembledSchema(role)
    wholeSchemas.set(role, schema)
  }
  return schema
}

/**
 * The object types of an interface belong to the schema even if no field leads to them, and they may lead to further
 * types.
 */
function assembledSchema(role: PlannedSchema): GraphQLSchema {
  let declared: readonly GraphQLObjectType[] = []
  for (;;) {
    const schema = assemble(role, declared)
    const found = declaredTypes(Object.values(schema.getTypeMap()))
    if (found.length === declared.length) return schema
    declared = found
  }
}

/** The object types that interfaces declare. */
const declaredTypes = (types: readonly GraphQLNamedType[]): GraphQLObjectType[] =>
  types.flatMap((type) => (isInterfaceType(type) ? (type.extensions.possibleTypes?.() ?? []) : []))

function assemble(role: PlannedSchema, types: readonly GraphQLNamedType[]): GraphQLSchema {
  const [query, mutation, subscription] = [role.root('query'), role.root('mutation'), role.root('subscription')]
  const roots = {
    query: query.objectType(),
    mutation: mutation.isEmpty ? undefined : mutation.objectType(),
    subscription: subscription.objectType(),
  }
  const all = typesFrom([...Object.values(roots).filter((root) => root !== undefined), ...types])
  const merged = withMergedRows(all)
  const isMerged = merged !== all
  const rootOf = (root: GraphQLObjectType | undefined) =>
    isMerged ? merged.filter(isObjectType).find(({ name }) => name === root?.name) : root
  try {
    return new GraphQLSchema({
      ...{ query: rootOf(roots.query), mutation: rootOf(roots.mutation), subscription: rootOf(roots.subscription) },
      types: merged,
      directives: [fieldDirective(GraphQLIncludeDirective), fieldDirective(GraphQLSkipDirective)],
      // Empty types, such as an input without columns, are legal here but not in graphql-js.
      assumeValid: true,
    })
  } catch (error) {
    const name = role.ambiguousTypeName()
    throw name === null ? error : internalError(conflictingDefinitions(name))
  }
}

/**
 * All types that can be reached. graphql-js collects missing types by recursion, which overflows for chains of
 * thousands.
 */
function typesFrom(roots: readonly GraphQLNamedType[]): GraphQLNamedType[] {
  const reached = new Set(roots)
  for (const type of reached) for (const next of leadsTo(type)) reached.add(next)
  return [...reached]
}

function leadsTo(type: GraphQLNamedType): GraphQLNamedType[] {
  if (isUnionType(type)) return [...type.getTypes()]
  if (isInputObjectType(type)) return Object.values(type.getFields()).map((field) => getNamedType(field.type))
  if (!isObjectType(type) && !isInterfaceType(type)) return []
  const fields = Object.values(type.getFields()).flatMap((field) => [
    field.type,
    ...field.args.map((each) => each.type),
  ])
  return [...type.getInterfaces(), ...fields.map((each) => getNamedType(each))]
}

/** Sorts the enums of introspection itself. All schemas share them, and graphql-js never sorts them. */
function sortMetaEnums(schema: GraphQLSchema): void {
  const types = schema.getTypeMap()
  for (const type of introspectionTypes) {
    if (!isEnumType(type)) continue
    const { values, ...config } = type.toConfig()
    const sorted = Object.entries(values).sort(([a], [b]) => compareText(a, b))
    types[type.name] = new GraphQLEnumType({ ...config, values: Object.fromEntries(sorted) })
  }
}

const fieldDirective = (directive: GraphQLDirective) =>
  new GraphQLDirective({ ...directive.toConfig(), description: undefined })

/** The `name` argument of `__type`. */
function typeNameGiven({ nodes }: FieldSelection, variables: Variables): string | null {
  const value = nodes[0]?.arguments?.find(({ name }) => name.value === 'name')?.value
  const given = value?.kind === Kind.VARIABLE ? variables[value.name.value] : value
  if (typeof given === 'string') return given
  return value?.kind === Kind.STRING ? value.value : null
}

/** An introspection field to answer. */
export interface IntrospectedField {
  readonly field: FieldSelection
  readonly operation: GraphQLOperation
  readonly variables: Variables
}

/** The value of a selected `__schema` or `__type`, in the response's shape; refused when `values` exceeds its limit. */
export async function introspect(
  role: PlannedSchema,
  { field, operation, variables }: IntrospectedField,
  values: IntrospectedValues,
): Promise<unknown> {
  const selections = field.nodes.map((node) => ({ ...node, directives: [] }))
  const { fragments } = operation
  const document: DocumentNode = {
    kind: Kind.DOCUMENT,
    definitions: [
      { ...operation.node, selectionSet: { kind: Kind.SELECTION_SET, selections } },
      ...operation.fragments.values(),
    ],
  }
  const schema = introspectionSchema(role)
  countIntrospection(schema, { selections, fragments, typeName: typeNameGiven(field, variables) }, values)
  const result = await execute({ schema, document, variableValues: { ...variables } })
  if (result.errors?.[0]) throw validationFailed(result.errors[0].message)
  return (result.data as Record<string, unknown>)[field.responseName]
}
