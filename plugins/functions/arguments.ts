// The arguments of calls in GraphQL, and the calls in SQL.

import {
  type GraphQLFieldConfigArgumentMap,
  GraphQLInputObjectType,
  type GraphQLInputType,
  GraphQLNonNull,
} from 'graphql'
import { type FieldSelection, type SchemaScope, type Value, valueType } from '../../sdk/graphql.ts'
import { badRequest, below, nameText, pathKeys } from '../../sdk/index.ts'
import { codecFor, effectful, id, join, operandSql, param, type SqlBuilder, sql } from '../../sdk/sql.ts'
import { type CallArgument, type FunctionCall, requestArguments } from './call.ts'

/**
 * The field's argument `args`, of an input type of that name, which the source may change; nothing when the request has no
 * say in the call.
 */
export function callArguments(scope: SchemaScope, call: FunctionCall, ownName: string): GraphQLFieldConfigArgumentMap {
  const typeName = scope.sourceTypeName(ownName)
  const members = requestArguments(call).flatMap(({ field, type }) => {
    const own = valueType(scope, type)
    return own ? [[field, { type: own }] as const] : []
  })
  if (members.length === 0) return {}
  const description = `input parameters for function "${nameText(call.function)}"`
  const build = () => new GraphQLInputObjectType({ name: typeName, description, fields: Object.fromEntries(members) })
  const type = scope.type<GraphQLInputObjectType>(typeName, build)
  const isOptional = requestArguments(call).every(({ hasDefault }) => hasDefault)
  const argument: GraphQLInputType = isOptional ? type : new GraphQLNonNull(type)
  return { args: { type: argument, description } }
}

/** The call with a request's arguments; `alias.*` is the current row. */
export function planCall(call: FunctionCall, field: FieldSelection): SqlBuilder {
  const given = field.argument('args')?.members() ?? new Map<string, Value>()
  const passed: SqlBuilder[] = []
  let isByName = false
  for (const argument of call.arguments) {
    const { name, hasDefault } = argument
    const value = argumentValue(argument, given)
    if (value === null) {
      if (!hasDefault) throw refused(field, 'Non default arguments cannot be omitted')
      isByName = true
    } else if (isByName) {
      if (name === null) throw refused(field, 'Only last set of positional arguments can be omitted')
      passed.push((row, printer) => sql`${id(name)} => ${value(row, printer)}`)
    } else {
      passed.push(value)
    }
  }
  const name = id(call.function.schema, call.function.name)
  return (row, printer) => {
    const called = sql`${name}(${join(passed.map((build) => build(row, printer)))})`
    return call.isVolatile ? effectful(called) : called
  }
}

const refused = (field: FieldSelection, message: string) =>
  badRequest('not-supported', message, { path: pathKeys(below(field.argumentsPath, 'args')) })

/** The value to pass; null when the request leaves the argument out. */
function argumentValue(argument: CallArgument, given: ReadonlyMap<string, Value>): SqlBuilder | null {
  const { source, type } = argument
  if (source === 'row') return (row) => sql`${row}.*`
  if (source === 'session') return () => param({ from: 'session-object' }, type.sql)
  const value = given.get(argument.field)
  if (!value) return null
  const operand = value.param(codecFor(type), type.sql)
  return (row) => operandSql(operand, row)
}
