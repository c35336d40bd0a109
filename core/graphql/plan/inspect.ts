// An operation split for inspection: the work of each root field.

import { type BatchStatement, batchStatement } from '../../compiler/print/batch-sql.ts'
import { rootQuery } from '../../compiler/print/root-sql.ts'
import { compile, literal, replaceParams, type Statement, trusted } from '../../database/sql/sql.ts'
import type { PlanContext, Variables } from '../read/plan-context.ts'
import { type PlannedField, planOperation } from './plan.ts'
import { body } from './prepared.ts'
import { printerOptions } from './printing.ts'
import { checkRoot } from './validate.ts'

/** A statement that answers one field by itself. */
export interface InspectedStatement extends Statement {
  /** The text with literal values instead of parameters. */
  textWith(values: readonly (string | null)[]): string
  /** The same statement for any number of subscribers at once. */
  batch(): BatchStatement
}

export interface InspectedField {
  /** The response name. */
  readonly key: string
  /** The executor: the database, JavaScript, or only the schema (`__typename` and introspection). */
  readonly by: 'database' | 'javascript' | 'schema'
  /** For fields that the database answers. */
  readonly statement: InspectedStatement | null
  /** The message if the field's planner refuses to be explained. */
  readonly refusal: string | null
}

export interface InspectedOperation {
  readonly variables: Variables
  /** In the order of the answer. */
  readonly fields: readonly InspectedField[]
  /** Whether JavaScript answers fields of rows. */
  readonly hasJoins: boolean
}

/** Plans a query or subscription, and prints the statement that would answer each field by itself. */
export function inspectOperation(context: PlanContext): InspectedOperation {
  checkRoot(context.schema, context.operation)
  const planned = planOperation(context)
  const fields = planned.map((field): InspectedField => {
    const { key } = field
    if (field.kind === 'output' && field.output.kind !== 'json') {
      return { key, by: 'database', statement: inspectedStatement(field, context), refusal: null }
    }
    const call = field.kind === 'feed' ? field.feed.call : field.kind === 'call' ? field.call : null
    return { key, by: call ? 'javascript' : 'schema', statement: null, refusal: call?.planner.explainRefusal ?? null }
  })
  const hasJoins = planned.some((field) => 'joins' in field && field.joins.length > 0)
  return { variables: context.variables, fields, hasJoins }
}

function inspectedStatement(
  field: Extract<PlannedField, { kind: 'output' }>,
  context: PlanContext,
): InspectedStatement {
  const root = rootQuery([field], body, printerOptions(context))
  return {
    ...compile(root.query),
    textWith(values) {
      const valueAt = (index: number) => {
        const value = values[index] ?? null
        return value === null ? trusted('NULL') : literal(value)
      }
      return compile(replaceParams(root.query, valueAt).fragment).text
    },
    batch: () => batchStatement(root),
  }
}
