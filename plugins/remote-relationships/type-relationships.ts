// Resolves relationships from remote types: the needed fields of the type, and the table or remote field that they lead to.

import {
  type GraphQLField,
  type GraphQLObjectType,
  getNamedType,
  getNullableType,
  isLeafType,
  isObjectType,
  isRequiredArgument,
} from 'graphql'
import type { FieldMap, SchemaScope } from '../../sdk/graphql.ts'
import { badRequest, type Dialect, nameText } from '../../sdk/index.ts'
import { isUniqueBy, type PgType } from '../../sdk/metadata.ts'
import { isJsonObject } from '../../sdk/services.ts'
import { columnPair } from '../../sdk/sql.ts'
import { type RelationshipOfObject, tableFields } from '../custom-types/index.ts'
import {
  neededName,
  type RelationshipDefinitions,
  type RemoteServers,
  type ResolvingRelationship,
  remoteSchemaRef,
  type TypeMember,
} from '../remote-schemas/index.ts'
import { checkedSteps, columnsOf, type JoinedMembers, type RemoteStep } from './check.ts'
import { depthOf, joinedField } from './graphql.ts'
import { located, type RemoteJoin } from './metadata.ts'
import { columnOf, type RemoteRelationshipDefinition } from './schema.ts'
import { leadsToTable, renamedToTable, type ToTable } from './to-table.ts'
import { type TypeDefinition, typeDefinitionSchema, writtenDefinition } from './type-definitions.ts'

/** The definitions of relationships from remote types. */
export const typeRelationships = (dialect: Dialect, servers: RemoteServers): RelationshipDefinitions => ({
  schema: typeDefinitionSchema(dialect, true),
  source: (definition) => (leadsToTable(definition) ? definition.to_source.source : undefined),
  write: (definition, form) => writtenDefinition(definition as TypeDefinition, form),
  resolve: (given) => resolveRelationship(given, servers),
  rename: (definition, rename) => (leadsToTable(definition) ? renamedToTable(definition, rename) : definition),
})

const broken = (reason: string) => badRequest('constraint-violation', reason)

/** The object type that has a relationship. */
interface Owner {
  readonly given: ResolvingRelationship
  readonly type: GraphQLObjectType
  readonly localType: string
  /** The local name of a field. */
  localField(name: string): string
}

function resolveRelationship(given: ResolvingRelationship, servers: RemoteServers): TypeMember {
  const { relationship, remote, typeName } = given
  const where = `in remote schema "${remote.name}": in type "${typeName}": in remote relationship "${relationship.name}"`
  return located(where, () => {
    const owner = ownerOf(given)
    const definition = relationship.definition as TypeDefinition
    return 'to_source' in definition
      ? toTable(definition.to_source, owner)
      : toRemoteField(definition.to_remote_schema, owner, servers)
  })
}

function ownerOf(given: ResolvingRelationship): Owner {
  const { remote, typeName, relationship } = given
  const { schema, names } = remote.types
  if (remote.isHidden) throw broken(`remote schema with name "${remote.name}" is hidden`)
  const type = schema.getType(typeName)
  if (!type) throw broken(`type "${typeName}" not found in remote schema`)
  if (!isObjectType(type)) throw broken(`type "${typeName}" is no object type`)
  const roots = [schema.getQueryType(), schema.getMutationType(), schema.getSubscriptionType()]
  if (roots.includes(type)) throw broken(`type "${typeName}" is a root type, whose fields are no members of an object`)
  const localField = (name: string) => names.localField(typeName, name)
  const taken = Object.keys(type.getFields()).map(localField)
  if (taken.includes(relationship.name)) {
    throw broken(`field with name "${relationship.name}" already exists in type "${typeName}"`)
  }
  return { given, type, localType: names.localType(typeName), localField }
}

/** A field whose value joins; throws if an object's value does not have it, or only with arguments. */
function neededField(name: string, { type }: Owner): GraphQLField<unknown, unknown> {
  const fields = type.getFields()
  const field = Object.hasOwn(fields, name) ? fields[name] : undefined
  if (!field) throw broken(`field with name "${name}" not found in type "${type.name}"`)
  if (field.args.some(isRequiredArgument)) throw broken(`field "${name}" of type "${type.name}" needs arguments`)
  return field
}

/** The name under which an object of a call's result has the value of a field. */
const nameOf = (field: string, { localType, localField }: Owner): string => neededName(localType, localField(field))

function toTable({ relationship_type, table: tableName, field_mapping }: ToTable, owner: Owner): TypeMember {
  const { relationship, context, ref } = owner.given
  const table = context.table(tableName)
  context.depend(ref, { kind: 'table', table: tableName }, 'remote_table')
  if (!table) throw broken(`table "${nameText(tableName)}" does not exist`)
  const mapping = Object.entries(field_mapping).map(([name, column]) => {
    const field = neededField(name, owner)
    const type = table.columns.get(column)?.type
    context.depend(ref, { kind: 'column', table: tableName, name: column }, 'right_column')
    if (!type) throw broken(`column "${column}" does not exist in table "${nameText(tableName)}"`)
    requireComparable(field, { column, type }, owner)
    return { field: nameOf(name, owner), column, type }
  })
  const columns = mapping.map(({ column }) => column)
  const { name } = relationship
  const unique = isUniqueBy(table.catalog, columns)
  const resolved: RelationshipOfObject = { name, type: relationship_type, table: tableName, mapping, unique }
  return {
    name,
    needs: Object.keys(field_mapping).map(owner.localField),
    fields: (scope) => tableFields(scope, resolved, fieldsOf(owner)),
  }
}

/** The names that an aggregate must not take. */
const fieldsOf = ({ type, localField }: Owner): ReadonlySet<string> =>
  new Set(Object.keys(type.getFields()).map(localField))

const numbers = ['int2', 'int4', 'int8', 'float4', 'float8', 'numeric', 'money']
const others = ['uuid', 'date', 'timestamp', 'timestamptz', 'time', 'timetz', 'interval', 'json', 'jsonb', 'bytea']

/** The columns whose values no value of the built-in scalar equals. Values of other scalars are texts, or unknown. */
const unequal: ReadonlyMap<string, readonly string[]> = new Map([
  ['Int', [...others, 'bool']],
  ['Float', [...others, 'bool']],
  ['Boolean', [...others, ...numbers]],
])

function requireComparable(
  { name, type }: GraphQLField<unknown, unknown>,
  { column, type: columnType }: { readonly column: string; readonly type: PgType },
  owner: Owner,
): void {
  const leaf = getNullableType(type)
  if (!isLeafType(leaf)) {
    throw broken(`field "${name}" of type "${owner.type.name}" is of type "${type}", which is no scalar or enum`)
  }
  const isUnequal = columnType.isArray || unequal.get(leaf.name)?.includes(columnType.name)
  if (!isUnequal && columnPair([name, column], [columnType, columnType])) return
  throw broken(`field "${name}" is of type "${leaf.name}", and column "${column}" of type "${columnType.sql}"`)
}

function toRemoteField(definition: RemoteRelationshipDefinition, owner: Owner, servers: RemoteServers): TypeMember {
  const { relationship, remotes, context, ref, remote } = owner.given
  const { remote_schema: remoteSchema, service_fields: fields } = definition
  if (remoteSchema !== remote.name) context.depend(ref, remoteSchemaRef(remoteSchema), 'remote_schema')
  const steps = checkedSteps(definition, membersOf(fields, owner), remotes)
  const used = [...new Set(steps.flatMap((step) => columnsOf(step.arguments)))]
  const { name } = relationship
  const join: RemoteJoin = {
    ...{ name, remoteSchema, values: [] },
    columns: used.map((field) => nameOf(field, owner)),
    steps: steps.map((step) => withNeededNames(step, owner)),
  }
  return {
    name,
    needs: used.map(owner.localField),
    fields: (scope) => remoteFields({ scope, join, servers, owner: owner.localType }),
  }
}

function membersOf(names: readonly string[], owner: Owner): JoinedMembers {
  const members = names.map((name) => {
    const { type } = neededField(name, owner)
    return [name, { name: getNamedType(type).name, isEnum: false, depth: depthOf(type) }] as const
  })
  return { text: `type "${owner.type.name}"`, types: new Map(members) }
}

/** A step whose arguments use the values that the server is asked for. */
function withNeededNames({ arguments: given, ...step }: RemoteStep, owner: Owner): RemoteStep {
  const inValue = (value: unknown): unknown => {
    const field = columnOf(value)
    if (field !== null) return `$${nameOf(field, owner)}`
    if (Array.isArray(value)) return value.map(inValue)
    return isJsonObject(value) ? inMembers(value) : value
  }
  const inMembers = (members: object) =>
    Object.fromEntries(Object.entries(members).map(([name, value]) => [name, inValue(value)]))
  return { ...step, arguments: inMembers(given) }
}

interface RemoteFieldsOf {
  readonly scope: SchemaScope
  readonly join: RemoteJoin
  readonly servers: RemoteServers
  readonly owner: string
}

function remoteFields({ scope, join, servers, owner }: RemoteFieldsOf): FieldMap {
  const joined = joinedField({ scope, relationship: join, servers, owner })
  if (!joined) return new Map()
  const make = () => {
    const { planner, ...field } = joined()
    return { ...field, extensions: { member: planner } }
  }
  return new Map([[join.name, make]])
}
