// Validates a document against a role's schema for any variables, for callers that store documents.

import { type GraphQLInputType, getNamedType, Kind } from 'graphql'
import { TrellisError, validationFailed } from '../../errors/errors.ts'
import { didYouMean } from '../../errors/nearest.ts'
import { checkOperationDirectives } from '../read/directives.ts'
import { chooseOperation, type GraphQLOperation, type ParsedDocument, parseDocument } from '../read/document.ts'
import { mentionedVariables } from '../read/mentioned-variables.ts'
import { PlanContext, unknownValue } from '../read/plan-context.ts'
import type { PlannedSchema } from '../read/planned-schema.ts'
import { collectFields, type FieldSelection } from '../read/selection.ts'
import { objectTypesOf } from '../schema/possible-types.ts'
import { checkSubscription } from './plan.ts'

/** Refuses a text that is not a document, or that contains an operation which the role cannot use. */
export function validateDocument(schema: PlannedSchema, text: string): void {
  const document = parse(text)
  const operations = document.node.definitions.filter((each) => each.kind === Kind.OPERATION_DEFINITION)
  const names = operations.map(({ name }) => name?.value ?? null)
  for (const name of names.length > 0 ? names : [null]) validateOperation(schema, chooseOperation(document, name))
}

/** Paths are those of the document: there is no request around it. */
function parse(text: string): ParsedDocument {
  try {
    return parseDocument(text)
  } catch (error) {
    throw error instanceof TrellisError ? error.with({ path: [] }) : error
  }
}

/** The types that an operation's variables are used as; refuses an operation that the role cannot use. */
export const variableTypesOf = (
  schema: PlannedSchema,
  operation: GraphQLOperation,
): ReadonlyMap<string, GraphQLInputType> => validateOperation(schema, operation).variableTypes

function validateOperation(schema: PlannedSchema, operation: GraphQLOperation): PlanContext {
  const { kind, variables } = operation
  checkRoot(schema, operation)
  for (const name of mentionedVariables(operation)) {
    if (variables.has(name)) continue
    throw validationFailed(
      `unbound variable "${name}"`,
      [],
      didYouMean(name, () => variables.keys()),
    )
  }
  const unknown = Object.fromEntries([...variables.keys()].map((name) => [name, unknownValue]))
  const context = new PlanContext(schema, operation, unknown)
  checkOperationDirectives(context, schema)
  const fields = collectFields(context, [operation.node.selectionSet], { source: schema.root(kind) })
  if (kind === 'subscription') checkSubscription(fields, operation)
  for (const field of fields) validateField(field, schema)
  return context
}

/** Refuses an operation on a root type that the role does not have. */
export function checkRoot(schema: PlannedSchema, { kind }: GraphQLOperation): void {
  if (schema.root(kind).isAbsent) throw validationFailed(`no ${kind}s exist`)
}

function validateField(field: FieldSelection, schema: PlannedSchema): void {
  for (const value of field.arguments.values()) value.check()
  if (field.twin) return
  const type = field.definition && getNamedType(field.definition.type)
  for (const objectType of objectTypesOf(type, schema)) {
    for (const child of field.fieldsOf(objectType)) validateField(child, schema)
  }
}
