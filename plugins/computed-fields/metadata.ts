// The facet `computed_fields` of a table: members of its rows that a function of the row gives.

import { badRequest, isGraphQLName, nameText, type QualifiedName, sameName, TrellisError } from '../../sdk/index.ts'
import {
  type CatalogFunction,
  type Facet,
  type FunctionArgument,
  type MemberValue,
  type ObjectRef,
  type PgType,
  type ResolveContext,
  type TableModel,
  withReasons,
} from '../../sdk/metadata.ts'
import { always, isKnownType, type SqlBuilder, sql } from '../../sdk/sql.ts'
import { type FunctionCall, findArgument, fixedCall, functionCall, isRow, soleFunction } from '../functions/index.ts'
import { type ComputedFieldDefinition, type ComputedFieldEntry, computedFieldEntrySchema } from './schema.ts'

/** A member of a table's rows that a function gives. */
export interface ComputedFieldModel {
  readonly kind: 'computed_field'
  readonly name: string
  /** The function's comment. */
  readonly comment: string | null
  readonly call: FunctionCall
  /** Whether the function may give several values, or rows. */
  readonly returnsSet: boolean
  readonly returns:
    | { readonly kind: 'scalar'; readonly type: PgType }
    | { readonly kind: 'table'; readonly table: QualifiedName }
  /** Its use in conditions and orders; null if it needs arguments of the request. */
  readonly inConditions: MemberValue | null
}

declare module '../../sdk/registry.ts' {
  interface FieldKinds {
    computed_field: ComputedFieldModel
  }
}

/** A computed field as dependencies and inconsistencies name it. */
export const computedFieldRef = (table: QualifiedName, name: string): ObjectRef => ({
  kind: 'computed field',
  table,
  name,
})

export const computedFields: Facet<ComputedFieldEntry, ComputedFieldModel> & { readonly key: 'computed_fields' } = {
  key: 'computed_fields',
  stage: 'fields',
  schema: computedFieldEntrySchema,
  duplicates: { kind: 'computed fields', name: ({ name }) => name },
  identify: ({ name }) => name,
  describe: (table, { name, definition, comment = null }) => ({
    ref: computedFieldRef(table, name),
    type: 'computed_field',
    definition: { table, name, definition, comment },
  }),
  functionsOf: ({ definition }) => [definition.function],
  resolve: resolveComputedField,
  attach(table, name, field) {
    table.fields.set(name, field)
  },
}

function resolveComputedField(
  { name, definition }: ComputedFieldEntry,
  table: TableModel,
  context: ResolveContext,
): ComputedFieldModel {
  try {
    const found = soleFunction(definition.function, context)
    const reasons = violations(name, definition, { found, table, context })
    if (reasons.length === 0) {
      if (found.returnsTable) context.depend({ kind: 'table', table: found.returnsTable }, 'remote_table')
      return computedField(name, definition, found)
    }
    const what = `the computed field "${name}" cannot be added to table "${nameText(table.name)}"`
    throw badRequest('constraint-violation', withReasons(what, reasons))
  } catch (error) {
    if (!(error instanceof TrellisError)) throw error
    const { code, message } = error
    throw badRequest(code, `in table "${nameText(table.name)}": in computed field "${name}": ${message}`)
  }
}

function computedField(name: string, definition: ComputedFieldDefinition, found: CatalogFunction): ComputedFieldModel {
  const { comment, returnsSet, returnsTable, returnType } = found
  const row = rowArgument(found, definition)
  const session = findArgument(found, definition.session_argument)
  const call = functionCall(found, { row, session })
  return {
    kind: 'computed_field',
    name,
    comment,
    call,
    returnsSet,
    returns: returnsTable ? { kind: 'table', table: returnsTable } : { kind: 'scalar', type: returnType },
    inConditions: memberValueOf(call, found),
  }
}

function memberValueOf(call: FunctionCall, { returnsSet, returnsTable: table, returnType: type }: CatalogFunction) {
  const called = fixedCall(call)
  if (!called) return null
  if (!table) {
    const value: SqlBuilder = (row, printer) =>
      returnsSet ? sql`(select ${called(row, printer)} limit 1)` : called(row, printer)
    return { kind: 'scalar', type, value } as const
  }
  const from: SqlBuilder = (row, printer) => {
    printer.follow(table)
    return called(row, printer)
  }
  return { kind: 'rows', table, from, where: returnsSet ? always : isRow } as const
}

/** The argument that takes the row. */
const rowArgument = (found: CatalogFunction, { table_argument: name }: ComputedFieldDefinition) =>
  name === undefined ? found.arguments[0] : findArgument(found, name)

/** A function to check, with the table and the context to check it against. */
interface Subject {
  readonly found: CatalogFunction
  readonly table: TableModel
  readonly context: ResolveContext
}

/** Every reason why a function cannot serve as this computed field. */
function violations(name: string, definition: ComputedFieldDefinition, subject: Subject): string[] {
  const { found } = subject
  const reasons: string[] = []
  if (!isGraphQLName(name)) reasons.push(`"${name}" is not valid GraphQL name`)
  if (found.volatile) {
    reasons.push(`the function "${nameText(found)}" is of type VOLATILE; cannot be added as a computed field`)
  }
  reasons.push(...returnViolations(subject))
  const { table_argument: tableArgument, session_argument: sessionArgument } = definition
  const isFound = tableArgument === undefined || findArgument(found, tableArgument) !== undefined
  if (!isFound) return [...reasons, notAnArgument(found, tableArgument)]
  reasons.push(...rowViolations(definition, subject))
  if (sessionArgument !== undefined) reasons.push(...sessionViolations(found, sessionArgument))
  return reasons
}

const notAnArgument = (found: CatalogFunction, name: string): string =>
  `"${name}" is not an input argument of the function "${nameText(found)}"`

function returnViolations({ found, context }: Subject): string[] {
  const { returnsTable, returnType, declaredReturnType: declared } = found
  const what = `the function "${nameText(found)}" returning`
  if (returnsTable) {
    if (context.table(returnsTable)) return []
    return [`${what} set of table "${nameText(returnsTable)}" is not tracked or not found in database`]
  }
  const isBase = declared.kind === 'b' && isKnownType(returnType)
  return isBase ? [] : [`${what} type ${declared.name} is not a BASE type`]
}

function rowViolations(definition: ComputedFieldDefinition, { found, table }: Subject): string[] {
  const argument = rowArgument(found, definition)
  if (!argument) return [`the function "${nameText(found)}" has no input arguments`]
  const { table_argument: name } = definition
  const what = argumentText(found, name === undefined ? 'first' : `"${name}"`)
  const { declaredType: type } = argument
  const reasons: string[] = []
  if (type.kind !== 'c') reasons.push(`${what} is not COMPOSITE type`)
  if (!isRowType(argument, table)) {
    const rule = 'is not the table to which the computed field is being added'
    reasons.push(`${what} of type "${nameText(type)}" ${rule}`)
  }
  return reasons
}

const isRowType = ({ declaredType }: FunctionArgument, { name }: TableModel): boolean =>
  declaredType.kind === 'c' && sameName(declaredType, name)

const argumentText = (found: CatalogFunction, which: string): string =>
  `${which} argument of the function "${nameText(found)}"`

function sessionViolations(found: CatalogFunction, name: string): string[] {
  const argument = findArgument(found, name)
  if (!argument) return [notAnArgument(found, name)]
  const isJson = ['json', 'jsonb'].includes(argument.declaredType.name)
  return isJson ? [] : [`${argumentText(found, `"${name}"`)} is not of type JSON`]
}
