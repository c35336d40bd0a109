// The slice `functions`: the tracked functions, and their part of the model.

import type { SchemaScope } from '../../sdk/graphql.ts'
import {
  badRequest,
  compareNames,
  graphqlBaseName,
  isGraphQLName,
  nameKey,
  nameText,
  type QualifiedName,
  sameName,
  TrellisError,
  Type,
} from '../../sdk/index.ts'
import {
  type CatalogFunction,
  camelCase,
  conflictingDefinitions,
  decode,
  type FunctionArgument,
  functionRef,
  type MetadataDocument,
  type ObjectRef,
  objectKey,
  type SliceContext,
  type SliceDefinition,
  withReasons,
  withSuffix,
} from '../../sdk/metadata.ts'
import { type FunctionCall, functionCall, requestArguments } from './call.ts'
import { documentSchemas, type FunctionConfiguration, type FunctionEntry, type FunctionRoot } from './schema.ts'

/** A tracked function. */
export interface FunctionModel {
  readonly name: QualifiedName
  /** The base of the names of its types. */
  readonly graphqlName: string
  /** `aggregate` is null for mutations, and for functions that return one row. */
  readonly rootFields: { readonly rows: string; readonly aggregate: string | null }
  readonly root: FunctionRoot
  /** Whether it returns any number of rows; otherwise one row, or none. */
  readonly returnsSet: boolean
  /** Replaces the generated description; empty: none. */
  readonly comment: string | null
  /** The roles that may call it, of those that may select its rows; null: all of them. */
  readonly roles: ReadonlySet<string> | null
  /** Whose rows it returns. */
  readonly table: QualifiedName
  readonly call: FunctionCall
}

/** Whether a role may call a function, as far as the function's own permissions go. */
export const mayCall = (
  { roles }: FunctionModel,
  { role, grantors }: Pick<SchemaScope, 'role' | 'grantors'>,
): boolean => roles === null || role === 'admin' || grantors((each) => roles.has(each)).length > 0

declare module '../../sdk/registry.ts' {
  interface ModelSlices {
    /** By `nameKey`. */
    functions: ReadonlyMap<string, FunctionModel>
  }
}

/** The one function of that name; refuses none and several. */
export function soleFunction(name: QualifiedName, context: Pick<SliceContext, 'functions'>): CatalogFunction {
  const [found, ...overloads] = context.functions(name)
  const text = nameText(name)
  if (!found) throw badRequest('constraint-violation', `no such function exists in postgres : "${text}"`)
  if (overloads.length === 0) return found
  const message = `function "${text}" is overloaded. Overloaded functions are not supported`
  throw badRequest('constraint-violation', message)
}

/** `infers`: whether roles may call functions that are free of effects without a permission for them. */
function resolveFunctions(
  entries: readonly FunctionEntry[],
  context: SliceContext,
  infers: boolean,
): Map<string, FunctionModel> {
  const functions = new Map<string, FunctionModel>()
  const baseNames = new Set<string>()
  for (const entry of [...entries].sort((a, b) => compareNames(a.function, b.function))) {
    const name = entry.function
    const ref = functionRef(name)
    const object = { ref, type: 'function', definition: name }
    try {
      const resolved = resolveFunction(entry, context, infers)
      const { graphqlName, root, rootFields } = resolved
      const { rows, aggregate } = rootFields
      const fields = (aggregate === null ? [rows] : [rows, aggregate]).map((field) => context.sourceFieldName(field))
      if (!context.claimRootFields(object, { [root]: fields })) continue
      if (baseNames.has(graphqlName)) throw badRequest('unexpected', conflictingDefinitions(`${graphqlName}_args`))
      const own = requestArguments(resolved.call).length > 0 ? [`${graphqlName}_args`] : []
      const types = own.map((type) => context.sourceTypeName(type))
      if (!context.claimTypeNames(object, types)) continue
      context.depend(ref, { kind: 'table', table: resolved.table }, 'table')
      baseNames.add(graphqlName)
      functions.set(nameKey(name), resolved)
    } catch (error) {
      if (!(error instanceof TrellisError)) throw error
      context.report(object, error.message)
    }
  }
  return functions
}

function resolveFunction(entry: FunctionEntry, context: SliceContext, infers: boolean): FunctionModel {
  const { function: name, configuration, permissions, comment = null } = entry
  const found = explained(name, () => {
    if (context.table(name)) throw badRequest('not-supported', tableOfThatName(name))
    const candidate = soleFunction(name, context)
    const reasons = violations(candidate, configuration)
    if (reasons.length === 0) return candidate
    const message = withReasons(`the function "${nameText(name)}" cannot be tracked`, reasons)
    throw badRequest('constraint-violation', message)
  })
  const table = found.returnsTable!
  if (!context.table(table)) throw badRequest('constraint-violation', `table "${nameText(table)}" is not tracked`)
  const session = findArgument(found, configuration?.session_argument)
  const root = configuration?.exposed_as ?? (found.volatile ? 'mutation' : 'query')
  const { returnsSet } = found
  const isOpen = !permissions && infers && !found.volatile
  const roles = isOpen ? null : new Set(permissions?.map(({ role }) => role))
  const names = namesOf(entry, { hasAggregate: root === 'query' && returnsSet, isCamel: context.isCamel })
  return { name, ...names, root, returnsSet, comment, roles, table, call: functionCall(found, { session }) }
}

function namesOf(
  { function: name, configuration }: FunctionEntry,
  { hasAggregate, isCamel }: { readonly hasAggregate: boolean; readonly isCamel: boolean },
): Pick<FunctionModel, 'graphqlName' | 'rootFields'> {
  const { custom_name: custom, custom_root_fields: fields = {} } = configuration ?? {}
  const base = graphqlBaseName(name)
  const graphqlName = custom ?? (isCamel ? camelCase(base) : base)
  const { function: rows = graphqlName, function_aggregate = withSuffix(graphqlName, '_aggregate', isCamel) } = fields
  const aggregate = function_aggregate
  return { graphqlName, rootFields: { rows, aggregate: hasAggregate ? aggregate : null } }
}

/** The refusal of a function whose root fields would be a table's. */
export const tableOfThatName = (name: QualifiedName): string => `table with name "${nameText(name)}" already exists`

/** Says which function an error is about. */
function explained<T>(name: QualifiedName, resolve: () => T): T {
  try {
    return resolve()
  } catch (error) {
    if (!(error instanceof TrellisError)) throw error
    throw badRequest(error.code, `in function "${nameText(name)}": ${error.message}`)
  }
}

/** The argument of that name. */
export const findArgument = (
  { arguments: all }: CatalogFunction,
  name: string | undefined,
): FunctionArgument | undefined => (name === undefined ? undefined : all.find((argument) => argument.name === name))

const notVolatile =
  'the function was requested to be exposed as a mutation, but is not marked VOLATILE. ' +
  'Maybe the function was given the wrong volatility when it was defined?'

/** Every reason why a function cannot be tracked. */
function violations(candidate: CatalogFunction, configuration: FunctionConfiguration = {}): string[] {
  const { custom_name: customName, session_argument: sessionName, exposed_as: root } = configuration
  const badNames = candidate.arguments.flatMap(({ name }) => (name === null || isGraphQLName(name) ? [] : [name]))
  const rules: readonly (readonly [isBroken: boolean, reason: string])[] = [
    [!isGraphQLName(customName ?? graphqlBaseName(candidate)), 'function name is not a legal GraphQL identifier'],
    [candidate.variadic, 'function with "VARIADIC" parameters are not supported'],
    [candidate.declaredReturnType.kind !== 'c', 'the function does not return a "COMPOSITE" type'],
    [!candidate.returnsSet && candidate.returnsTable === null, 'the function does not return a SETOF'],
    [candidate.returnsTable === null, 'the function does not return a SETOF table'],
    [root === 'mutation' && !candidate.volatile, notVolatile],
    [badNames.length > 0, `the function arguments ${badNames.join(',')} are not in compliance with GraphQL spec`],
  ]
  const broken = rules.flatMap(([isBroken, reason]) => (isBroken ? [reason] : []))
  return sessionName === undefined ? broken : [...broken, ...sessionViolations(candidate, sessionName)]
}

function sessionViolations(candidate: CatalogFunction, name: string): string[] {
  const given = `given session argument "${name}"`
  const argument = findArgument(candidate, name)
  if (!argument) return [`${given} not the input argument of the function`]
  return argument.declaredType.name === 'json' ? [] : [`${given} is not of type json`]
}

/** Takes a function out of a draft; false when it is not tracked. */
function removeFunction(draft: MetadataDocument, object: ObjectRef): boolean {
  const key = objectKey(object)
  const index = draft.functions.findIndex((entry) => objectKey(functionRef(entry.function)) === key)
  if (index < 0) return false
  draft.functions.splice(index, 1)
  return true
}

/** The entry of a tracked function. */
export const findFunction = ({ functions }: MetadataDocument, name: QualifiedName): FunctionEntry | undefined =>
  functions.find((entry) => sameName(entry.function, name))

function writeFunctions(entries: readonly FunctionEntry[]): unknown[] | undefined {
  if (entries.length === 0) return undefined
  return [...entries].sort((a, b) => compareNames(a.function, b.function))
}

/** `infers`: as in `resolveFunctions`. */
export const functionsSlice = (infers: boolean): SliceDefinition<'functions'> => ({
  schema: Type.Unknown({ shown: Type.Union([documentSchemas.names, documentSchemas.entries]) }),
  empty: [],
  entryKey: (entry: FunctionEntry) => JSON.stringify([entry.function.schema, entry.function.name]),
  entryName: (entry: FunctionEntry) => nameText(entry.function),
  read: (value, { formatVersion }) =>
    decode(formatVersion === 1 ? documentSchemas.names : documentSchemas.entries, value),
  write: writeFunctions,
  functionsOf: (entries) => entries.map((entry) => entry.function),
  resolve: (entries, context) => resolveFunctions(entries, context, infers),
  remove: removeFunction,
})
