// Actions: root fields that webhooks or functions of plugins answer, synchronously or through a log.

import { definePlugin, type Engine, environmentValue, option } from '../../sdk/index.ts'
import { jobs } from '../jobs/index.ts'
import { ActionLog } from './action-log.ts'
import type { HandlerAnswer, HandlerCall } from './calls/call.ts'
import { callFunction, type Finish, HandlerFunctions } from './calls/functions.ts'
import { actionHandlers } from './calls/handlers.ts'
import { outputRules } from './calls/output.ts'
import { callWebhook } from './calls/webhook.ts'
import { declarationsRoute } from './declarations.ts'
import { actionContribution } from './graphql.ts'
import { actionsSlice } from './metadata.ts'
import { migrations } from './migrations.ts'
import { createActionPermission, definingOperations, dropAction, dropActionPermission } from './operations.ts'
import { getActionLogs } from './reading.ts'
import { actionSchemas } from './schema.ts'
import { cleaningMillis } from './tuning.ts'
import { actionWorker } from './worker.ts'

export * from './calls/handlers.ts'
export type { ActionModel, ArgumentModel } from './metadata.ts'
export type { ActionArgument, ActionDefinition, ActionEntry, ActionPermission } from './schema.ts'

export default definePlugin({
  name: 'actions',
  dependencies: ['custom-types', 'jobs', 'metadata', 'tables', 'transforms'],
  options: {
    asyncActionsFetchInterval: option.whole(
      1000,
      { minimum: 0, maximum: 3_600_000 },
      {
        flag: 'async-actions-fetch-interval',
        variable: 'ASYNC_ACTIONS_FETCH_INTERVAL',
        placeholder: 'MS',
        description: 'milliseconds between polls for calls of asynchronous actions; 0: this server makes none',
      },
    ),
    asyncActionsFetchBatchSize: option.whole(
      10,
      { minimum: 1, maximum: 1000 },
      {
        flag: 'async-actions-fetch-batch-size',
        variable: 'ASYNC_ACTIONS_FETCH_BATCH_SIZE',
        placeholder: 'N',
        description: 'calls of asynchronous actions claimed at once',
      },
    ),
    asyncActionLogTtl: option.wholeOrNone(
      { minimum: 1 },
      {
        flag: 'async-action-log-ttl',
        variable: 'ASYNC_ACTION_LOG_TTL',
        placeholder: 'HOURS',
        description: 'hours after which results of asynchronous actions are deleted; absent: never',
      },
    ),
    configuredHeaderPrecedence: option.trueOrFalse(true, {
      flag: 'configured-header-precedence',
      variable: 'CONFIGURED_HEADER_PRECEDENCE',
      description: "whether headers of an action win over the client's of the same name",
    }),
  },
  migrations,
  register(engine) {
    const { options, outgoing, observe, database, dialect, settings } = engine
    const rules = outputRules(dialect, settings)
    const functions = new HandlerFunctions()
    const hasFunction = (name: string) => functions.get(name) !== undefined
    const schemas = actionSchemas(dialect, hasFunction)
    const asynchronous = () => {
      const actions = [...(engine.model.slices.actions?.values() ?? [])]
      return new Map(actions.filter(({ kind }) => kind === 'asynchronous').map((action) => [action.name, action]))
    }
    const interval = options.asyncActionsFetchInterval
    const log = new ActionLog({ database, actions: asynchronous, interval })
    const configuredHeadersWin = options.configuredHeaderPrecedence
    const showsTransformed = settings.graphqlInterface === '2'
    const environment = environmentValue
    const webhooks = { outgoing, observe, environment, rules, configuredHeadersWin, showsTransformed }

    const answer = (call: HandlerCall, finish?: Finish): Promise<HandlerAnswer> => {
      const handler = functions.get(call.action.name)
      if (!handler) return callWebhook(call, webhooks)
      return callFunction(handler, call, { engine, rules, ...(finish && { finish }) })
    }

    const worker = actionWorker({
      engine,
      log,
      batchSize: options.asyncActionsFetchBatchSize,
      async run(call) {
        // The changes of a function and its result are one transaction, so it is never called again after it has ended.
        const isFunction = hasFunction(call.action.name)
        const { value } = await answer(call, async (result, transaction) => {
          if (!(await log.completeIn(transaction, call.id, result)))
            throw new Error('another instance has taken over the call')
        })
        return isFunction ? null : { value }
      },
    })

    engine.metadata.slice(
      'actions',
      actionsSlice(schemas, { hasFunction, isVersion2: settings.graphqlInterface === '2' }),
    )
    engine.operations.add(...definingOperations(schemas), dropAction, createActionPermission, dropActionPermission)
    engine.operations.add(getActionLogs)
    engine.graphql.contribute(actionContribution((call) => answer(call)))
    engine.routes.add(declarationsRoute(engine))
    engine.provide(actionHandlers, functions)
    if (interval > 0) worker.serve(engine)
    if (options.asyncActionLogTtl !== null) cleanRegularly(engine, log, options.asyncActionLogTtl)
  },
})

/** Declares the job that deletes results older than a number of hours, at the start and regularly. */
function cleanRegularly(engine: Pick<Engine, 'use' | 'onReady'>, log: ActionLog, hours: number): void {
  const job = engine.use(jobs).declare({
    name: 'clean the log of asynchronous actions',
    schedule: { every: cleaningMillis },
    run: ({ signal }) => log.clean(hours, signal),
  })
  engine.onReady(() => job.wake())
}
