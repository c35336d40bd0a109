// `update_T` and `update_T_by_pk`.

import {
  type GraphQLFieldConfig,
  type GraphQLFieldConfigArgumentMap,
  type GraphQLInputType,
  GraphQLInt,
  GraphQLList,
  GraphQLNonNull,
  GraphQLString,
} from 'graphql'
import {
  type FieldSelection,
  type PlanContext,
  perTable,
  type SchemaScope,
  tableInput,
  type Value,
} from '../../../../sdk/graphql.ts'
import { compareText, nameText, type Path, pathKeys, validationFailed } from '../../../../sdk/index.ts'
import { builtInType, type ColumnModel, type TableModel } from '../../../../sdk/metadata.ts'
import {
  type Assignment,
  type Condition,
  codecFor,
  type MutationAnswer,
  type MutationPlan,
  type ParamOperand,
  soleStep,
  stringCodec,
  type UpdateOperator,
  updateOperators,
} from '../../../../sdk/sql.ts'
import { columnInputs } from '../column-members.ts'
import { isNumeric } from '../queries/aggregate-columns.ts'
import { booleanExpressionType, planBoolean } from '../queries/boolean-expression.ts'
import { hasFormerTypes } from '../queries/comparison.ts'
import { keyArguments, keyColumns, keyCondition } from '../queries/query-fields.ts'
import { rowType } from '../row-type.ts'
import { planResponse, planRowAnswer, responseType } from './mutation-response.ts'
import { checkNull, columnParam, updatableColumns } from './written-columns.ts'

type Field = GraphQLFieldConfig<unknown, unknown>

/** `update_T`. */
export function updateField(scope: SchemaScope, table: TableModel): Field {
  const where = new GraphQLNonNull(booleanExpressionType(scope, table))
  return {
    type: responseType(scope, table),
    description: `update data of the table: "${nameText(table.name)}"`,
    args: {
      ...operatorArguments(scope, table),
      where: { type: where, description: 'filter the rows which have to be updated' },
    },
    extensions: {
      root: {
        kind: 'mutation',
        plan: (field, context) => {
          const condition = planBoolean(field.arguments.get('where')!, context)
          return planUpdate(operatorsOf(field), context, table, {
            condition,
            answer: planResponse(field, context, table),
          })
        },
      },
    },
  }
}

/** `update_T_by_pk`. */
export function updateByKeyField(scope: SchemaScope, table: TableModel): Field {
  const columns = keyColumns(scope, table)!
  return {
    type: rowType(scope, table),
    description: `update single row of the table: "${nameText(table.name)}"`,
    args: {
      ...operatorArguments(scope, table),
      pk_columns: { type: new GraphQLNonNull(keyInputType(scope, table)) },
    },
    extensions: {
      root: {
        kind: 'mutation',
        plan: (field, context) => {
          const key = field.arguments.get('pk_columns')!.members()
          const condition = keyCondition(context.schema, columns, key)
          return planUpdate(operatorsOf(field), context, table, {
            condition,
            answer: planRowAnswer(field, context, table),
          })
        },
      },
    },
  }
}

const keyInputType = tableInput({
  name: (table) => `${table.graphqlName}_pk_columns_input`,
  description: ({ name }) => `primary key columns input for table: ${nameText(name)}`,
  fields: (table, scope) => keyArguments(scope, keyColumns(scope, table)!),
})

/** The columns that an operator works on, by GraphQL name. */
function operatorColumns(
  scope: SchemaScope,
  table: TableModel,
  operator: UpdateOperator,
): ReadonlyMap<string, ColumnModel> {
  const columns = updatableColumns(scope, table)
  if (operator.columns === 'all') return columns
  const fits = operator.columns === 'numeric' ? isNumeric : ({ type }: ColumnModel) => type.name === 'jsonb'
  return new Map([...columns].filter(([, column]) => fits(column)))
}

/** `T_set_input` and its like. */
const operatorTypes = new Map(
  updateOperators.map((operator) => {
    const type = tableInput({
      name: (table) => `${table.graphqlName}${operator.name}_input`,
      description: ({ name }) => operator.typeDescription(nameText(name)),
      fields: (table, scope) => {
        const columns = operatorColumns(scope, table, operator)
        if (operator.operand === 'scalar') return columnInputs(scope, columns)
        const type = operandType(scope, operator.operand)
        const fields = [...columns].map(([field, { comment }]) => [field, { type, description: comment }])
        return Object.fromEntries(fields)
      },
    })
    return [operator, type]
  }),
)

/** The operators that a role has on a table. */
const availableOperators = perTable((scope, table): readonly UpdateOperator[] =>
  updateOperators.filter((operator) => operatorColumns(scope, table, operator).size > 0),
)

/** One argument for each operator that the role has on the table. */
export const operatorArguments = perTable((scope, table): GraphQLFieldConfigArgumentMap => {
  const entries = availableOperators(scope, table).map((operator) => {
    const type = operatorTypes.get(operator)!(scope, table)
    return [operator.name, { type, description: operator.description }]
  })
  return Object.fromEntries(entries)
})

function operandType(scope: SchemaScope, operand: Exclude<UpdateOperator['operand'], 'scalar'>): GraphQLInputType {
  switch (operand) {
    case 'integer':
      return GraphQLInt
    case 'text':
      return GraphQLString
    case 'texts':
      return new GraphQLList(hasFormerTypes(scope) ? GraphQLString : new GraphQLNonNull(GraphQLString))
  }
}

/** The operators of one update. */
export interface GivenOperators {
  /** The operator's value; undefined if it is absent or null. */
  argument(name: string): Value | undefined
  /** The path of errors about the operators as a whole. */
  readonly path: Path
}

const operatorsOf = (field: FieldSelection): GivenOperators => ({
  argument: (name) => field.argument(name),
  path: field.argumentsPath,
})

/** Plans one update of a table. */
export function planUpdate(
  given: GivenOperators,
  context: PlanContext,
  table: TableModel,
  { condition, answer }: { readonly condition: Condition; readonly answer: MutationAnswer },
): MutationPlan {
  const access = context.schema.access(table.name)!.update!
  const assignments = readOperators(given, context, table)
  if (assignments.length + access.presets.size === 0) return { table, steps: [], answer }
  const change = access.change({ assignments, where: condition })
  return { table, steps: [soleStep(change)], answer }
}

/** The assignments that the operators of a request make. */
function readOperators(operators: GivenOperators, context: PlanContext, table: TableModel): Assignment[] {
  const { schema } = context
  const available = availableOperators(schema, table)
  const given = available.filter(({ name }) => operators.argument(name))
  const { presets } = schema.access(table.name)!.update!
  if (given.length === 0 && presets.size === 0) {
    const names = available.map(({ name }) => name).join(', ')
    throw validationFailed(`at least any one of ${names} is expected`, pathKeys(operators.path))
  }
  const assignments = given.flatMap((operator) => {
    return readOperator(operators.argument(operator.name)!, operator, schema, table)
  })
  refuseRepeated(assignments, operators)
  return assignments
}

function readOperator(value: Value, operator: UpdateOperator, scope: SchemaScope, table: TableModel): Assignment[] {
  const columns = operatorColumns(scope, table, operator)
  return [...value.members()].map(([name, operand]) => {
    const column = columns.get(name)!
    return { column: column.name, operator: operator.name, value: readOperand(operand, operator, scope, column) }
  })
}

function readOperand(value: Value, { operand }: UpdateOperator, scope: SchemaScope, column: ColumnModel): ParamOperand {
  if (operand === 'scalar') return columnParam(scope, column, value)
  if (operand === 'texts') return value.listParam(stringCodec, 'text') as ParamOperand
  checkNull(scope, column, value)
  if (operand === 'text') return value.param(stringCodec, 'text') as ParamOperand
  return value.param(codecFor(builtInType('int4')), 'integer') as ParamOperand
}

function refuseRepeated(assignments: readonly Assignment[], { path }: GivenOperators): void {
  const operators = new Map<string, string[]>()
  for (const { column, operator } of assignments) operators.set(column, [...(operators.get(column) ?? []), operator])
  const repeated = [...operators].filter(([, names]) => names.length > 1).sort(([a], [b]) => compareText(a, b))
  if (repeated.length === 0) return
  const list = repeated.map(([column, names]) => `"${column}" in ${names.join(', ')}`).join('. ')
  const columns = repeated.map(([column]) => `"${column}"`).join(', ')
  throw validationFailed(`column found in multiple operators; ${list}`, pathKeys(path)).with({
    inInterface2: { message: `Column found in multiple operators: ${columns}.` },
  })
}
