// The slice `actions`: root fields that webhooks or functions of plugins answer.

import { badRequest, compareText, TrellisError } from '../../sdk/index.ts'
import type {
  ConfiguredHeader,
  MetadataDocument,
  ObjectDescription,
  ObjectRef,
  SliceContext,
  SliceDefinition,
} from '../../sdk/metadata.ts'
import { configuredUrl } from '../../sdk/services.ts'
import {
  baseName,
  baseOf,
  type CustomTypesModel,
  dependOnType,
  isInput,
  type ResolvedType,
  typeOfText,
} from '../custom-types/index.ts'
import { storedTransforms, type Transforms } from '../transforms/index.ts'
import type { ActionArgument, ActionEntry, ActionSchemas, HasFunction } from './schema.ts'

/** An argument of an action, with its type resolved. */
export interface ArgumentModel {
  readonly name: string
  readonly description: string | null
  readonly type: ResolvedType
}

/** An action with resolved names. */
export interface ActionModel {
  readonly name: string
  readonly description: string
  /** Its root, and whether the answer comes before the handler's. */
  readonly kind: 'query' | 'mutation' | 'asynchronous'
  readonly arguments: readonly ArgumentModel[]
  readonly output: ResolvedType
  /** As configured, with names of environment variables. */
  readonly handler: string
  /** The headers for its webhook; empty for a function. */
  readonly url: string
  readonly headers: readonly ConfiguredHeader[]
  readonly forwardsClientHeaders: boolean
  /** Names in lower case of headers that are not forwarded all the same. */
  readonly ignoredClientHeaders: ReadonlySet<string>
  readonly transforms: Transforms
  /** Milliseconds for the handler. */
  readonly timeout: number
  /** Roles beside `admin`. */
  readonly roles: ReadonlySet<string>
}

declare module '../../sdk/registry.ts' {
  interface ModelSlices {
    /** By name. */
    actions: ReadonlyMap<string, ActionModel>
  }
}

const defaultTimeout = 30

/** An action as inconsistencies name it. */
export const actionRef = (name: string): ObjectRef => ({ kind: 'action', name })

const describe = ({ name, definition, comment }: ActionEntry): ObjectDescription => ({
  ref: actionRef(name),
  type: 'action',
  definition: { name, definition, comment: comment ?? null },
})

/** The action with this name. */
export const findAction = ({ actions }: Pick<MetadataDocument, 'actions'>, name: string): ActionEntry | undefined =>
  actions.find((action) => action.name === name)

/** The parts of the server that actions are resolved with. */
export interface ActionRules {
  readonly hasFunction: HasFunction
  /** Whether asynchronous actions are refused as in version 2. */
  readonly isVersion2: boolean
}

const broken = (name: string, reason: string): Error =>
  badRequest('constraint-violation', `in action "${name}"; ${reason}`)

function resolveActions(
  entries: readonly ActionEntry[],
  context: SliceContext,
  { hasFunction, isVersion2 }: ActionRules,
): Map<string, ActionModel> {
  const types = context.resolved('custom_types')
  const actions = new Map<string, ActionModel>()
  for (const entry of [...entries].sort((a, b) => compareText(a.name, b.name))) {
    try {
      if (!types?.isConsistent) throw badRequest('constraint-violation', 'custom types are inconsistent')
      const url = hasFunction(entry.name) ? '' : urlOf(entry, context)
      const action = { ...resolveAction(entry, types, context), url }
      if (isVersion2) refuseJoined(action)
      if (!claims(entry, action, context)) continue
      for (const { type } of [...action.arguments, { type: action.output }]) {
        dependOnType({ object: actionRef(entry.name), type }, context)
      }
      actions.set(entry.name, action)
    } catch (error) {
      if (!(error instanceof TrellisError)) throw error
      context.report(describe(entry), error.message)
    }
  }
  return actions
}

/** Claims its root fields, and the status type of an asynchronous action. */
function claims(entry: ActionEntry, { name, kind }: ActionModel, context: SliceContext): boolean {
  const object = describe(entry)
  if (kind === 'asynchronous' && !context.claimTypeNames(object, [name])) return false
  return context.claimRootFields(object, {
    query: kind === 'mutation' ? [] : [name],
    mutation: kind === 'query' ? [] : [name],
  })
}

function resolveAction(entry: ActionEntry, types: CustomTypesModel, context: SliceContext): Omit<ActionModel, 'url'> {
  const { name, definition, comment, permissions = [] } = entry
  const { handler, type, kind, headers = [], timeout = defaultTimeout } = definition
  return {
    name,
    description: comment ?? `perform the action: "${name}"`,
    kind: kind === 'asynchronous' ? 'asynchronous' : type,
    arguments: argumentsOf(name, definition.arguments ?? [], (text) => typeOfText(text, types, context)),
    output: outputOf(name, definition.output_type, typeOfText(definition.output_type, types, context)),
    handler: typeof handler === 'object' ? `{{${handler.from_env}}}` : (handler ?? ''),
    headers,
    forwardsClientHeaders: definition.forward_client_headers === true,
    ignoredClientHeaders: new Set(definition.ignored_client_headers?.map((each) => each.toLowerCase())),
    transforms: storedTransforms(definition),
    timeout: timeout * 1000,
    roles: new Set(permissions.map(({ role }) => role)),
  }
}

function argumentsOf(
  action: string,
  args: readonly ActionArgument[],
  typeOf: (text: string) => ResolvedType | undefined,
): ArgumentModel[] {
  const names = args.map(({ name }) => name)
  const twice = names.find((name, i) => names.indexOf(name) !== i)
  if (twice !== undefined) throw broken(action, `there are several arguments of the name "${twice}"`)
  return args.map(({ name, type: text, description = null }) => {
    const type = typeOf(text)
    if (type && isInput(baseOf(type))) return { name, description, type }
    const reason = 'is not defined in custom types or it is not a scalar/enum/input_object'
    throw broken(action, `the type: "${baseName(text)}" ${reason}`)
  })
}

/** An object of the custom types or a scalar, possibly in lists. */
function outputOf(action: string, text: string, type: ResolvedType | undefined): ResolvedType {
  if (type && baseOf(type).kind !== 'input') return type
  throw broken(action, `the type: "${baseName(text)}" is not an object type defined in custom types`)
}

/** Version 2 joins rows to the fields of an asynchronous answer only if none of them is an object. */
function refuseJoined({ name, kind, output }: Pick<ActionModel, 'name' | 'kind' | 'output'>): void {
  const type = baseOf(output)
  if (kind !== 'asynchronous' || type.kind !== 'object') return
  const { fields, relationships, members } = type.object
  const objects = fields.filter((field) => baseOf(field.type).kind === 'object').map((field) => `"${field.name}"`)
  if (objects.length === 0 || relationships.length + members.length === 0) return
  throw broken(name, `Async action relations cannot be used with object fields : ${objects.join(', ')}`)
}

function urlOf({ name: action, definition: { handler } }: ActionEntry, context: SliceContext): string {
  if (handler === undefined) throw broken(action, 'no plugin answers it, and it has no handler')
  try {
    return configuredUrl(handler, (name) => context.environment(name))
  } catch (error) {
    throw error instanceof TrellisError ? broken(action, error.message) : error
  }
}

function writeAction({ name, definition, comment, permissions = [] }: ActionEntry): ActionEntry {
  const sorted = [...permissions].sort((a, b) => compareText(a.role, b.role))
  return {
    name,
    definition,
    ...(comment !== undefined && { comment }),
    ...(sorted.length > 0 && { permissions: sorted }),
  }
}

/** Refuses a role that is named twice. */
function validateAction({ permissions = [] }: ActionEntry): void {
  const roles = permissions.map(({ role }) => role)
  const twice = roles.find((role, i) => roles.indexOf(role) !== i)
  if (twice === undefined) return
  const message = `multiple declarations exist for the following permissions : "${twice}"`
  throw badRequest('already-exists', message, { path: ['permissions'] })
}

type ActionsSlice = SliceDefinition<'actions', ActionSchemas['document']>

export const actionsSlice = ({ document: schema }: ActionSchemas, rules: ActionRules): ActionsSlice => ({
  schema,
  empty: [],
  after: ['custom_types'],
  entryKey: ({ name }: ActionEntry) => name,
  writeEntry: writeAction,
  validateEntry: validateAction,
  resolve: (entries, context) => resolveActions(entries, context, rules),
  remove(draft, { kind, name }) {
    const index = draft.actions.findIndex((action) => kind === 'action' && action.name === name)
    if (index >= 0) draft.actions.splice(index, 1)
    return index >= 0
  },
})
