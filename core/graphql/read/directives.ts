// The directives of a request: `@include` and `@skip` on selections, `@cached` on operations.

import {
  DirectiveLocation,
  type DirectiveNode,
  type FragmentDefinitionNode,
  GraphQLBoolean,
  type GraphQLInputType,
  GraphQLInt,
  GraphQLNonNull,
  Kind,
  type SelectionNode,
} from 'graphql'
import { validationFailed } from '../../errors/errors.ts'
import { below, type Path, pathKeys } from '../../errors/path.ts'
import { compareText } from '../../names/names.ts'
import type { GraphQLOperation } from './document.ts'
import type { OperationInput } from './operation-input.ts'
import type { SchemaScope } from './schema-scope.ts'
import { Value } from './values.ts'

interface Directive {
  readonly locations: readonly DirectiveLocation[]
  readonly arguments: Readonly<Record<string, GraphQLInputType>>
}

const { FIELD, FRAGMENT_SPREAD, INLINE_FRAGMENT, QUERY, MUTATION, SUBSCRIPTION } = DirectiveLocation

const conditional: Directive = {
  locations: [FIELD, FRAGMENT_SPREAD, INLINE_FRAGMENT],
  arguments: { if: new GraphQLNonNull(GraphQLBoolean) },
}

const directives: ReadonlyMap<string, Directive> = new Map([
  ['include', conditional],
  ['skip', conditional],
  // Accepted without effect, for clients of caching servers.
  ['cached', { locations: [QUERY, MUTATION, SUBSCRIPTION], arguments: { ttl: GraphQLInt, refresh: GraphQLBoolean } }],
])

const severalFields = '_multiple_top_level_fields'

/** The directives, and those that clients of v1.3 and version 2 may also use. */
const directivesOfClients: typeof directives = new Map([
  ...directives,
  [severalFields, { locations: [SUBSCRIPTION], arguments: {} }],
])

const selectionLocations = {
  [Kind.FIELD]: FIELD,
  [Kind.FRAGMENT_SPREAD]: FRAGMENT_SPREAD,
  [Kind.INLINE_FRAGMENT]: INLINE_FRAGMENT,
} as const

const operationLocations = { query: QUERY, mutation: MUTATION, subscription: SUBSCRIPTION } as const

/** Evaluates `@include` and `@skip` on a selection; both must allow it. */
export function isIncluded(context: OperationInput, selection: SelectionNode, path: Path): boolean {
  const nodes = selection.directives
  if (!nodes || nodes.length === 0) return true
  checkDirectives(nodes, { location: selectionLocations[selection.kind], path })
  let included = true
  for (const node of nodes) {
    const condition = readArguments(context, node, path).get('if')!
    if (!condition.isUnknown && condition.boolean() !== (node.name.value === 'include')) included = false
  }
  return included
}

/** Refuses invalid directives on the operation and its variables. */
export function checkOperationDirectives(
  context: OperationInput,
  { dialect, settings }: Pick<SchemaScope, 'dialect' | 'settings'>,
): void {
  const { node, kind, variables } = context.operation
  if (node.directives && node.directives.length > 0) {
    const mayHaveSeveral = dialect.severalSubscribed || settings.graphqlInterface === '2'
    const known = mayHaveSeveral ? directivesOfClients : directives
    checkDirectives(node.directives, { location: operationLocations[kind], path: null, known })
    for (const directive of node.directives) {
      if (!directives.has(directive.name.value)) continue
      const values = readArguments(context, directive, null)
      const ttl = values.get('ttl')
      const refresh = values.get('refresh')
      if (ttl && !ttl.isNull && !ttl.isUnknown) ttl.integer()
      if (refresh && !refresh.isNull && !refresh.isUnknown) refresh.boolean()
    }
  }
  for (const variable of variables.values()) {
    checkDirectives(variable.directives ?? [], { location: DirectiveLocation.VARIABLE_DEFINITION, path: null })
  }
}

/** Whether the operation may subscribe to several root fields; its directives must have been checked. */
export const subscribesToSeveral = ({ node }: GraphQLOperation): boolean =>
  node.directives?.some(({ name }) => name.value === severalFields) === true

/** Refuses any directive on a fragment definition. */
export function checkFragmentDirectives({ directives: nodes = [] }: FragmentDefinitionNode, path: Path): void {
  checkDirectives(nodes, { location: DirectiveLocation.FRAGMENT_DEFINITION, path })
}

interface DirectivesPlace {
  readonly location: DirectiveLocation
  readonly path: Path | null
  readonly known?: typeof directives
}

function checkDirectives(
  nodes: readonly DirectiveNode[],
  { location, path, known = directives }: DirectivesPlace,
): void {
  const names = nodes.map(({ name }) => name.value)
  const once = new Set(names)
  if (once.size < names.length) {
    // Linear: a text may contain tens of thousands of directives.
    const repeated = names.filter((name) => !once.delete(name))
    const list = [...new Set(repeated)].sort(compareText).join(', ')
    throw validationFailed(`the following directives are used more than once: ${list}`, pathKeys(path))
  }
  for (const name of names) {
    const directive = known.get(name)
    if (!directive) throw validationFailed(`directive "${name}" is not defined in the schema`, pathKeys(path))
    if (!directive.locations.includes(location)) {
      const place = location.toLowerCase().replaceAll('_', ' ')
      throw validationFailed(`Directive "@${name}" may not be used on ${location}.`, pathKeys(path)).with({
        inInterface2: { message: `directive "${name}" is not allowed on a ${place}` },
      })
    }
  }
}

/** The given arguments; refuses missing required ones. */
function readArguments(context: OperationInput, node: DirectiveNode, path: Path | null): ReadonlyMap<string, Value> {
  const name = node.name.value
  const types = directives.get(name)!.arguments
  const values = new Map<string, Value>()
  for (const { name: argument, value } of node.arguments ?? []) {
    const type = Object.hasOwn(types, argument.value) ? types[argument.value] : undefined
    if (!type) {
      throw validationFailed(`Unknown argument "${argument.value}" on directive "@${name}".`, pathKeys(path))
    }
    if (values.has(argument.value)) {
      throw validationFailed(`There can be only one argument named "${argument.value}".`, pathKeys(path))
    }
    const place = below(below(path, name), argument.value)
    values.set(argument.value, Value.fromNode(context, value, { type, path: place }))
  }
  for (const [argument, type] of Object.entries(types)) {
    if (!(type instanceof GraphQLNonNull) || values.has(argument)) continue
    throw validationFailed(`missing "${argument}" argument for "${name}" directive`, pathKeys(path))
  }
  return values
}
