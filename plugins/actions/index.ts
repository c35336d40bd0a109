// Actions: fields that webhooks answer, or functions of plugins; at once, or later by way of a log.

import { definePlugin, environmentValue, messageOf, option } from '../../sdk/index.ts'
import { ActionLog } from './action-log.ts'
import type { HandlerAnswer, HandlerCall } from './call.ts'
import { actionLogCleaning, CleaningClock } from './cleaning.ts'
import { declarationsRoute } from './declarations.ts'
import { callFunction, type Finish, HandlerFunctions } from './functions.ts'
import { actionContribution } from './graphql.ts'
import { actionHandlers } from './handlers.ts'
import { actionsSlice } from './metadata.ts'
import { migrations } from './migrations.ts'
import { createActionPermission, definingOperations, dropAction, dropActionPermission } from './operations.ts'
import { outputRules } from './output.ts'
import { callWebhook } from './webhook.ts'
import { ActionWorker } from './worker.ts'

export { type ActionLogCleaning, actionLogCleaning } from './cleaning.ts'
export * from './handlers.ts'

export default definePlugin({
  name: 'actions',
  dependencies: ['custom-types', 'metadata', 'tables'],
  options: {
    asyncActionsFetchInterval: option.whole(
      1000,
      { minimum: 0 },
      {
        flag: 'async-actions-fetch-interval',
        variable: 'ASYNC_ACTIONS_FETCH_INTERVAL',
        placeholder: 'MS',
        description: 'milliseconds between looking for calls of asynchronous actions; 0: this server makes none',
      },
    ),
    asyncActionsFetchBatchSize: option.whole(
      10,
      { minimum: 1, maximum: 1000 },
      {
        flag: 'async-actions-fetch-batch-size',
        variable: 'ASYNC_ACTIONS_FETCH_BATCH_SIZE',
        placeholder: 'N',
        description: 'calls of asynchronous actions that are taken at once',
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
    const { options, outgoing, observe, database, dialect } = engine
    const rules = outputRules(dialect)
    const functions = new HandlerFunctions()
    const log = new ActionLog(database)
    const configuredHeadersWin = options.configuredHeaderPrecedence
    const webhooks = { outgoing, observe, environment: environmentValue, rules, configuredHeadersWin }

    const answer = (call: HandlerCall, finish?: Finish): Promise<HandlerAnswer> => {
      const handler = functions.get(call.action.name)
      if (!handler) return callWebhook(call, webhooks)
      return callFunction(handler, call, { engine, rules, ...(finish && { finish }) })
    }

    const cleaning = new CleaningClock(options.asyncActionLogTtl, (hours) => log.clean(hours))
    const worker = new ActionWorker({
      engine,
      log,
      interval: options.asyncActionsFetchInterval,
      batchSize: options.asyncActionsFetchBatchSize,
      async run(call) {
        // What a function changed and that it is done are one: it is never called again after it has ended.
        const isFunction = functions.get(call.action.name) !== undefined
        const { value } = await answer(call, async (result, transaction) => {
          if (!(await log.complete(call.id, result, transaction)))
            throw new Error('the call is another instance’s by now')
        })
        if (!isFunction) await log.complete(call.id, value)
      },
    })

    engine.metadata.slice('actions', actionsSlice(dialect))
    engine.operations.add(...definingOperations(dialect), dropAction, createActionPermission, dropActionPermission)
    engine.graphql.contribute(actionContribution((call) => answer(call)))
    engine.routes.add(declarationsRoute(engine))
    engine.provide(actionHandlers, functions)
    engine.provide(actionLogCleaning, cleaning)
    engine.onReady(() => {
      worker.start()
      cleaning.start((error) => {
        const detail = `old results of asynchronous actions were not deleted: ${messageOf(error)}`
        observe.log({ type: 'unstructured', level: 'warn', detail })
      })
    })
    engine.onStopping(() => worker.rest())
    engine.onClose(() => {
      cleaning.stop()
      return worker.close()
    })
  },
})
