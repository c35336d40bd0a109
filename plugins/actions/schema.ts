// The shapes of actions in arguments and documents.

import { badRequest, type Dialect, type ObjectOptions, parseFailed, Type, within } from '../../sdk/index.ts'
import {
  type ConfiguredHeader,
  type ConfiguredUrl,
  checkUrl,
  configuredHeader,
  GraphQLName,
  ObjectName,
  urlSchema,
} from '../../sdk/metadata.ts'
import { GraphQLTypeText } from '../custom-types/schema.ts'
import { storedTransforms, type Transforms, transformKeys } from '../transforms/index.ts'

/** An argument of an action in the metadata; `type` is written as in GraphQL. */
export interface ActionArgument {
  name: string
  type: string
  description?: string
}

/** The definition of an action in the metadata. */
export interface ActionDefinition extends Transforms {
  /** Absent: a function of a plugin answers. */
  handler?: ConfiguredUrl
  output_type: string
  forward_client_headers?: boolean
  headers?: ConfiguredHeader[]
  arguments?: ActionArgument[]
  type: 'mutation' | 'query'
  /** Mutations only. */
  kind?: 'synchronous' | 'asynchronous'
  /** Seconds. */
  timeout?: number
  /** Names of headers that are not forwarded. */
  ignored_client_headers?: string[]
}

/** A role that may call an action. */
export interface ActionPermission {
  role: string
  comment?: string
}

/** An action in the metadata. */
export interface ActionEntry {
  name: string
  definition: ActionDefinition
  comment?: string
  permissions?: ActionPermission[]
}

declare module '../../sdk/registry.ts' {
  interface DocumentSlices {
    actions: ActionEntry[]
  }
}

/** A definition without empty members, in the order of documents. */
function canonical(given: ActionDefinition & { kind?: string; type?: string }): ActionDefinition {
  const { handler, output_type, forward_client_headers, headers = [], arguments: args = [], timeout } = given
  const { type = 'mutation', kind: written = '', ignored_client_headers: ignored = [] } = given
  // Tools write `kind: ""` where they mean the default.
  const kind = written === '' ? 'synchronous' : written
  if (type !== 'mutation' && type !== 'query') throw parseFailed(`expected mutation or query, but found ${type}`)
  // Only mutations have a kind.
  if (type === 'mutation' && kind !== 'synchronous' && kind !== 'asynchronous') {
    throw parseFailed(`expected synchronous or asynchronous, but found ${kind}`)
  }
  return {
    ...(handler !== undefined && { handler }),
    output_type,
    ...(forward_client_headers && { forward_client_headers }),
    ...(headers.length > 0 && { headers }),
    ...(args.length > 0 && { arguments: args }),
    type,
    ...(type === 'mutation' && { kind }),
    ...(timeout !== undefined && { timeout }),
    ...storedTransforms(given),
    ...(ignored.length > 0 && { ignored_client_headers: ignored }),
  }
}

function checkTimeout(seconds: number): number {
  if (seconds > 0) return seconds
  throw badRequest('parse-failed', 'the time limit of an action is a positive number of seconds')
}

/** Whether a function of a plugin handles the action instead of a webhook. */
export type HasFunction = (name: string) => boolean

const checkHandler = (text: string): string => within('definition', () => within('handler', () => checkUrl(text)))

/** The shapes of actions; `hasFunction` says which call no webhook. Documents may not have unknown keys in either dialect. */
export function actionSchemas(dialect: Pick<Dialect, 'environmentPrefix'>, hasFunction: HasFunction) {
  const checked = <T extends { name: string; definition: ActionDefinition }>(entry: T): T => {
    const { name, definition } = entry
    // A function needs no URL, and one that is given is unused.
    if (typeof definition.handler === 'string' && !hasFunction(name)) checkHandler(definition.handler)
    return entry
  }
  /** A document may come from a server whose plugin answers the action; this one then lists it as inconsistent. */
  const answered = <T extends { name: string; definition: ActionDefinition }>(entry: T): T => {
    if (entry.definition.handler !== undefined || hasFunction(entry.name)) return checked(entry)
    const hint = `an action needs no handler if a function of a plugin answers it, but there is none for "${entry.name}"`
    const details = { path: ['definition'], help: () => ({ hint }) }
    throw badRequest('parse-failed', 'key "handler" not found', details)
  }
  const definition = (options: ObjectOptions) => {
    const argument = Type.Object(
      { name: GraphQLName, type: GraphQLTypeText, description: Type.Optional(Type.String()) },
      options,
    )
    const members = {
      handler: Type.Optional(urlSchema('https://{{HOST}}/place-order', (text) => text)),
      output_type: GraphQLTypeText,
      arguments: Type.Optional(Type.Array(argument)),
      type: Type.Optional(Type.String({ shown: Type.Union([Type.Literal('mutation'), Type.Literal('query')]) })),
      kind: Type.Optional(
        Type.String({ shown: Type.Union([Type.Literal('synchronous'), Type.Literal('asynchronous')]) }),
      ),
      headers: Type.Optional(Type.Array(configuredHeader(dialect))),
      forward_client_headers: Type.Optional(Type.Boolean()),
      timeout: Type.Optional(Type.Integer({ convert: checkTimeout, shown: Type.Integer({ minimum: 1 }) })),
      ...transformKeys,
      ignored_client_headers: Type.Optional(Type.Array(Type.String())),
    }
    return Type.Unsafe<ActionDefinition>(Type.Object(members, { ...options, missingKey: 'A', convert: canonical }))
  }
  const comment = Type.Optional(Type.String())
  const closed: ObjectOptions = { additionalProperties: false }
  const permission = Type.Object({ role: ObjectName, comment }, closed)
  const entry = Type.Object(
    {
      name: GraphQLName,
      definition: definition(closed),
      comment,
      permissions: Type.Optional(Type.Array(permission)),
    },
    { ...closed, convert: checked },
  )
  return {
    /** The arguments of `create_action` and `update_action`. */
    action: Type.Object({ name: GraphQLName, definition: definition({}), comment }, { convert: answered }),
    /** `actions` of a document. */
    document: Type.Array(entry),
  }
}

export type ActionSchemas = ReturnType<typeof actionSchemas>

export const DropActionArgs = Type.Object({ name: GraphQLName, clear_data: Type.Optional(Type.Boolean()) })

/** The permission that consoles send for an action; its content is ignored. */
const Unfiltered = Type.Object(
  { select: Type.Optional(Type.Object({ filter: Type.Optional(Type.Object({})) })) },
  { tolerated: Type.Unknown() },
)

export const CreateActionPermissionArgs = Type.Object({
  action: GraphQLName,
  role: ObjectName,
  definition: Type.Optional(Unfiltered),
  comment: Type.Optional(Type.String()),
})

export const DropActionPermissionArgs = Type.Object({ action: GraphQLName, role: ObjectName })
