// `<scalar>_comparison_exp`: comparisons of a column.

import {
  GraphQLBoolean,
  type GraphQLInputFieldConfig,
  GraphQLInputObjectType,
  type GraphQLInputType,
  GraphQLList,
  GraphQLNonNull,
  GraphQLString,
  getNamedType,
} from 'graphql'
import { comparisonCost, equalityOperators, maskedValue, type TransformedColumn } from '../../../../sdk/access.ts'
import {
  columnCodec,
  columnType,
  type SchemaScope,
  scalarType,
  type Value,
  valueType,
  valueTypeName,
} from '../../../../sdk/graphql.ts'
import { builtInType, type ColumnModel, type PgType } from '../../../../sdk/metadata.ts'
import {
  allOf,
  always,
  type Codec,
  type Compared,
  type ComparisonOperator,
  type Condition,
  castsOf,
  codecFor,
  compare,
  compareNull,
  encodedCodec,
  findOperator,
  isOperandObject,
  type OperandMember,
  type OperandObject,
  type OperandReader,
  operatorsFor,
  readOperands,
  type SqlBuilder,
} from '../../../../sdk/sql.ts'

/** A column, possibly seen through casts, as GraphQL compares it. */
export interface Subject extends Compared {
  readonly casts: readonly PgType[]
  readonly valueType: NonNullable<ReturnType<typeof columnType>>
  readonly codec: Codec
  readonly isEnum: boolean
}

/** A column as it is. */
export const subjectOf = (scope: SchemaScope, column: ColumnModel): Subject => ({
  name: column.name,
  type: column.type,
  casts: [],
  collation: column.column.collation,
  valueType: columnType(scope, column)!,
  codec: columnCodec(scope, column),
  isEnum: column.enumTable !== null,
})

/** The comparison of a value that is not a column's: its input type, and the condition. */
export function valueComparison(
  scope: SchemaScope,
  { name, type, value }: { readonly name: string; readonly type: PgType; readonly value: SqlBuilder },
) {
  const codec = codecFor(type)
  const subject: Subject = { name, type, value, casts: [], valueType: valueType(scope, type)!, codec, isEnum: false }
  return {
    type: comparisonType(scope, subject),
    plan: (given: Value): Condition => planComparison(scope, subject, given),
  }
}

const castSubject = (scope: SchemaScope, subject: Subject, type: PgType): Subject => ({
  ...subject,
  type,
  casts: [...subject.casts, type],
  valueType: scalarType(scope, type)!,
  codec: codecFor(type),
})

/** Whether a part of an expression is a null that counts as true; to refuse it is safer, since it widens the filter. */
export const isHolding = ({ isNull }: Value, { dialect, settings }: SchemaScope): boolean =>
  isNull && ((dialect.nullsHold && settings.graphqlInterface !== '2') || settings.v1BooleanNullCollapse)

/** Whether the schema has the types of v1.3 where later ones are stricter. */
export const hasFormerTypes = ({ dialect, settings }: Pick<SchemaScope, 'dialect' | 'settings'>): boolean =>
  dialect.lenientSchema && settings.graphqlInterface !== '2'

/** The member of a comparison type that compares the column as another type. */
const castField = '_cast'

const operatorsOf = ({ type, isEnum }: Subject): readonly ComparisonOperator[] =>
  operatorsFor(type, { enumTable: isEnum })

/** `<scalar>_comparison_exp` */
export function comparisonType(scope: SchemaScope, subject: Subject): GraphQLInputObjectType {
  const name = `${valueTypeName(subject.valueType)}_comparison_exp`
  return scope.generatedType(name, () => {
    return new GraphQLInputObjectType({
      name,
      description: `Boolean expression to compare columns of type "${getNamedType(subject.valueType).name}". All fields are combined with logical 'AND'.`,
      fields: () => {
        const fields = operatorsOf(subject).map((operator): [string, GraphQLInputFieldConfig] => [
          operator.name,
          operandField(scope, operator, subject),
        ])
        const casts = castsOf(subject.type)
        if (casts.size > 0) fields.push([castField, { type: castType(scope, subject, casts) }])
        return Object.fromEntries(fields)
      },
    })
  })
}

/** `<scalar>_equality_exp`: the comparisons of a transformed column. */
export function equalityType(scope: SchemaScope, subject: Subject): GraphQLInputObjectType {
  const name = `${valueTypeName(subject.valueType)}_equality_exp`
  return scope.generatedType(name, () => {
    const operators = operatorsOf(subject).filter((operator) => equalityOperators.has(operator.name))
    return new GraphQLInputObjectType({
      name,
      description: `Boolean expression to compare columns of type "${getNamedType(subject.valueType).name}" for equality. All fields are combined with logical 'AND'.`,
      fields: () =>
        Object.fromEntries(operators.map((operator) => [operator.name, operandField(scope, operator, subject)])),
    })
  })
}

/** A transformed column, compared by its stored values. */
export const transformedSubject = (scope: SchemaScope, { column, place, transform }: TransformedColumn): Subject => {
  const subject = subjectOf(scope, column)
  return transform?.compareAs
    ? { ...subject, codec: encodedCodec(subject.codec, (text) => transform.compareAs!(text, place)) }
    : subject
}

/** A column that the role sees in some rows only, compared by the values that it sees; null: it is another one. */
export function maskedSubject(scope: SchemaScope, seen: TransformedColumn): Subject | null {
  const value = maskedValue(seen)
  return value && { ...subjectOf(scope, seen.column), value }
}

const operandField = (scope: SchemaScope, operator: ComparisonOperator, subject: Subject): GraphQLInputFieldConfig => ({
  type: operandGraphQLType(scope, operator, subject),
  description: operator.description,
})

/** `<scalar>_cast_exp` */
function castType(scope: SchemaScope, subject: Subject, casts: ReadonlyMap<string, PgType>): GraphQLInputObjectType {
  const name = `${valueTypeName(subject.valueType)}_cast_exp`
  return scope.generatedType(name, () => {
    return new GraphQLInputObjectType({
      name,
      fields: () => {
        const fields = [...casts].map(([field, type]) => {
          return [field, { type: comparisonType(scope, castSubject(scope, subject, type)) }]
        })
        return Object.fromEntries(fields)
      },
    })
  })
}

/** Whether an operand is a pattern, which v1.3 takes for a string whatever the column is. */
const isPattern = ({ name }: ComparisonOperator): boolean => /^_n?(i?like|similar|i?regex)$/.test(name)

function operandGraphQLType(
  scope: SchemaScope,
  operator: ComparisonOperator,
  { type, valueType }: Subject,
): GraphQLInputType {
  const { operand } = operator
  switch (operand) {
    case 'scalar':
      return hasFormerTypes(scope) && isPattern(operator) ? GraphQLString : valueType
    case 'list':
      return new GraphQLList(new GraphQLNonNull(valueType))
    case 'isNull':
      return GraphQLBoolean
    case 'text':
      return GraphQLString
    case 'texts':
      return new GraphQLList(new GraphQLNonNull(GraphQLString))
    case 'jsonb':
      return scalarType(scope, builtInType('jsonb'))!
  }
  if (isOperandObject(operand)) return operandsType(scope, operand, type)
  const scalar = scalarType(scope, operand.type(type))!
  return operand.isList ? new GraphQLList(new GraphQLNonNull(scalar)) : scalar
}

/** The input object of an operator that takes several values. */
function operandsType(scope: SchemaScope, { name, description, members }: OperandObject, column: PgType) {
  return scope.generatedType(name, () => {
    const fields = members.map((member): [string, GraphQLInputFieldConfig] => [
      member.name,
      memberConfig(scope, member, column),
    ])
    return new GraphQLInputObjectType({ name, description, fields: Object.fromEntries(fields) })
  })
}

function memberConfig(scope: SchemaScope, member: OperandMember, column: PgType): GraphQLInputFieldConfig {
  const scalar = scalarType(scope, member.type(column))!
  return {
    type: member.required ? new GraphQLNonNull(scalar) : scalar,
    description: member.description,
    ...(member.default !== undefined && { default: { value: member.default } }),
  }
}

/** The conjunction of the comparisons that a value of a comparison type has for the column. */
export function planComparison(scope: SchemaScope, subject: Subject, value: Value): Condition {
  if (isHolding(value, scope)) return always
  const given = [...value.members(comparisonCost)].filter(([, operand]) => !isHolding(operand, scope))
  const conditions = given.map(([name, operand]) => {
    const operator = findOperator(name, subject.type)
    return operator ? planOperator(subject, operator, operand) : planCasts(scope, subject, operand)
  })
  return allOf(conditions)
}

function planCasts(scope: SchemaScope, subject: Subject, value: Value): Condition {
  const casts = castsOf(subject.type)
  const comparisons = [...value.members(1)].map(([name, comparison]) =>
    planComparison(scope, castSubject(scope, subject, casts.get(name)!), comparison),
  )
  return allOf(comparisons)
}

function planOperator(subject: Subject, operator: ComparisonOperator, value: Value): Condition {
  if (operator.operand === 'isNull') {
    if (value.isNull) throw value.mismatch('a boolean')
    return compareNull(subject, !value.boolean())
  }
  return compare(subject, operator, readOperands(operator, subject, readerOf(value)))
}

/** A GraphQL value as an operand. Operands that are not lists, texts or optional members refuse null. */
const readerOf = (value: Value): OperandReader => ({
  param: (codec, sqlType) => value.param(codec, sqlType),
  listParam: (codec, elementType) => value.listParam(codec, elementType),
  required() {
    if (value.isNull) throw value.nullError()
    return this
  },
  members: () => new Map([...value.members()].map(([name, member]) => [name, readerOf(member)])),
})
