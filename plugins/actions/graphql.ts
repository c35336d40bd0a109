// Actions as root fields. Administrators see all of them, other roles those that they may call.

import type { GraphQLFieldConfig, GraphQLFieldConfigArgumentMap } from 'graphql'
import { GraphQLNonNull } from 'graphql'
import {
  answered,
  type Contribution,
  type ResolvedCall,
  type ResolvedPlanner,
  type RootFields,
  type SchemaScope,
  scalarType,
} from '../../sdk/graphql.ts'
import { badRequest, type Dialect } from '../../sdk/index.ts'
import { builtInType } from '../../sdk/metadata.ts'
import { forwardedHeaders, type OutgoingHeaders } from '../../sdk/services.ts'
import { inputTypeOf, outputTypeOf } from '../custom-types/graphql.ts'
import { recordCall } from './action-log.ts'
import type { HandlerAnswer, HandlerCall } from './calls/call.ts'
import type { ActionModel } from './metadata.ts'
import { statusField } from './status.ts'

type Field = GraphQLFieldConfig<unknown, unknown>
type Make = () => Field

/** Calls the handler of an action. */
export type RunHandler = (call: HandlerCall) => Promise<HandlerAnswer>

interface Fields {
  readonly scope: SchemaScope
  readonly run: RunHandler
}

const isVisible = ({ roles }: ActionModel, { role, grantors }: SchemaScope): boolean =>
  role === 'admin' || grantors((each) => roles.has(each)).length > 0

/** The fields of the actions that the role may call and that have a field here. */
function fieldsOf(scope: SchemaScope, fieldOf: (action: ActionModel) => Make | null): ReadonlyMap<string, Make> {
  const fields = new Map<string, Make>()
  for (const action of scope.model.slices.actions?.values() ?? []) {
    const make = isVisible(action, scope) ? fieldOf(action) : null
    if (make) fields.set(action.name, make)
  }
  return fields
}

/** The client data that the action uses. */
function headersOf(
  { forwardsClientHeaders, ignoredClientHeaders: ignored }: ActionModel,
  call: ResolvedCall,
  dialect: Dialect,
): OutgoingHeaders {
  if (!forwardsClientHeaders) return {}
  const headers = forwardedHeaders(call.headers, dialect)
  return ignored.size === 0
    ? headers
    : Object.fromEntries(Object.entries(headers).filter(([name]) => !ignored.has(name)))
}

/** Arguments in the schema. */
function argumentsOf(scope: SchemaScope, action: ActionModel): GraphQLFieldConfigArgumentMap {
  const entries = action.arguments.map(({ name, description, type }) => {
    return [name, { type: inputTypeOf(scope, type), description }] as const
  })
  return Object.fromEntries(entries)
}

function synchronousField(action: ActionModel, { scope, run }: Fields): Field {
  const root: ResolvedPlanner = {
    kind: 'resolved',
    explainRefusal: 'query actions cannot be explained',
    async resolve(call) {
      const { args: input, session, operation, signal, requestId } = call
      const clientHeaders = headersOf(action, call, scope.dialect)
      const given = { action, input, session, clientHeaders, requestQuery: operation.text, id: null, requestId, signal }
      const { value, cookies } = await run(given)
      return cookies.length > 0 ? answered(value, { headers: { 'set-cookie': cookies } }) : value
    },
  }
  const { description, output } = action
  return { type: outputTypeOf(scope, output), description, args: argumentsOf(scope, action), extensions: { root } }
}

/** Logs the call in the transaction of the mutation; its id is the answer. */
function asynchronousField(action: ActionModel, { scope }: Fields): Field {
  const root: ResolvedPlanner = {
    kind: 'resolved',
    inTransaction: true,
    resolve(call) {
      const { args: input, session, transaction } = call
      const headers = headersOf(action, call, scope.dialect)
      return recordCall(transaction!, { action: action.name, input, headers, sessionVariables: session.variables })
    },
  }
  const type = new GraphQLNonNull(scalarType(scope, builtInType('uuid'))!)
  return { type, description: action.description, args: argumentsOf(scope, action), extensions: { root } }
}

/** Exists only to be refused with a reason. */
const notSubscribed = (scope: SchemaScope, action: ActionModel): Field => ({
  type: outputTypeOf(scope, action.output),
  args: argumentsOf(scope, action),
  extensions: {
    root: {
      kind: 'relational',
      plan() {
        throw badRequest('not-supported', 'query actions cannot be run as a subscription')
      },
    },
  },
})

function subscriptionFields(scope: SchemaScope): RootFields {
  const shown = fieldsOf(scope, (action) => (action.kind === 'asynchronous' ? () => statusField(scope, action) : null))
  const refused = fieldsOf(scope, (action) => (action.kind === 'query' ? () => notSubscribed(scope, action) : null))
  return {
    get: (name) => shown.get(name) ?? refused.get(name),
    [Symbol.iterator]: () => shown[Symbol.iterator](),
  }
}

/** The fields of all actions; the Relay schema has none of them. */
export const actionContribution = (run: RunHandler): Contribution => ({
  name: 'actions',
  schemas: ['standard'],
  query: (scope) =>
    fieldsOf(scope, (action) => {
      if (action.kind === 'query') return () => synchronousField(action, { scope, run })
      return action.kind === 'asynchronous' ? () => statusField(scope, action) : null
    }),
  mutation: (scope) =>
    fieldsOf(scope, (action) => {
      if (action.kind === 'mutation') return () => synchronousField(action, { scope, run })
      return action.kind === 'asynchronous' ? () => asynchronousField(action, { scope, run }) : null
    }),
  subscription: subscriptionFields,
})
