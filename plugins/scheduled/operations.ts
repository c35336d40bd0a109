// Operations that create and remove cron triggers, and create one-off events.

import { badRequest, type Dialect, Type } from '../../sdk/index.ts'
import { type Model, operation } from '../../sdk/metadata.ts'
import { cronTriggerRef, requireCronTrigger, storedCronTriggers } from './metadata.ts'
import { forget } from './occurrences.ts'
import { CronTriggerName, createCronTriggerArgs, createScheduledEventArgs, retryDefaults } from './schema.ts'

/** `served`: the triggers that were served when the request began. */
export const createCronTrigger = (dialect: Dialect, served: () => Model) =>
  operation({
    type: 'create_cron_trigger',
    about: {
      summary: 'Creates a cron trigger, which calls a webhook on a schedule; with `replace`, changes an existing one.',
    },
    args: createCronTriggerArgs(dialect),
    check: 'object',
    object: ({ trigger }) => cronTriggerRef(trigger.name),
    async handle({ metadata, transaction }, { replace, trigger }) {
      const triggers = metadata.cron_triggers
      if (replace) requireCronTrigger(triggers, trigger.name)
      else if (triggers.some(({ name }) => name === trigger.name)) {
        throw badRequest('already-exists', `cron trigger with name: ${trigger.name} already exists`)
      }
      metadata.cron_triggers = [...triggers.filter(({ name }) => name !== trigger.name), trigger]
      // For the ledger, a trigger that is removed and created in one bulk is a changed trigger.
      if (!replace && storedCronTriggers(served()).has(trigger.name)) await forget([trigger.name], transaction)
    },
  })

export const deleteCronTrigger = operation({
  type: 'delete_cron_trigger',
  about: { summary: 'Removes a cron trigger with all of its events.' },
  args: CronTriggerName,
  check: 'new',
  handle({ metadata, remove }, { name }) {
    requireCronTrigger(metadata.cron_triggers, name)
    remove(cronTriggerRef(name))
  },
})

export const createScheduledEvent = (dialect: Dialect) =>
  operation({
    type: 'create_scheduled_event',
    about: {
      summary: 'Calls a webhook once, at a given time.',
      result: Type.Object({ message: Type.String(), event_id: Type.String() }),
    },
    args: createScheduledEventArgs(dialect),
    editsMetadata: false,
    async handle({ transaction }, { webhook, schedule_at, payload, headers = [], retry_conf, comment = null }) {
      refuseNul([typeof webhook === 'string' ? webhook : webhook.from_env, comment])
      const [row] = await transaction.rows<{ id: string }>(
        `insert into trellis.hdb_scheduled_events (webhook_conf, scheduled_time, payload, header_conf, retry_conf, comment)
         values ($1, $2, $3, $4, $5, $6) returning id, pg_notify('trellis_delivery', 'one-off')`,
        [
          JSON.stringify(webhook),
          schedule_at,
          payload === undefined ? null : JSON.stringify(payload),
          JSON.stringify(headers),
          JSON.stringify({ ...retryDefaults, ...retry_conf }),
          comment,
        ],
      )
      return { message: 'success', event_id: row!.id }
    },
  })

/** PostgreSQL's texts cannot contain U+0000. */
function refuseNul(texts: readonly (string | null)[]): void {
  if (texts.some((text) => text?.includes('\0'))) {
    throw badRequest('parse-failed', 'a text must not hold the character U+0000')
  }
}
