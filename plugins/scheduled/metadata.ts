// The slice `cron_triggers`.

import { badRequest, compareText, TrellisError } from '../../sdk/index.ts'
import type { Model, ObjectDescription, ObjectRef, SliceContext, SliceDefinition } from '../../sdk/metadata.ts'
import { configuredUrl } from '../../sdk/services.ts'
import { type NamedHandlers, type Receiver, resolveHeaders } from '../delivery/index.ts'
import { type CronTrigger, type cronTriggersSchema, retryDefaults } from './schema.ts'

/** A cron trigger with the settings of its delivery. */
export interface ResolvedCronTrigger {
  readonly entry: CronTrigger
  readonly receiver: Receiver
}

/** The cron triggers by name. */
export interface ResolvedCronTriggers {
  readonly served: ReadonlyMap<string, ResolvedCronTrigger>
  /** The inconsistent ones. */
  readonly unserved: ReadonlyMap<string, CronTrigger>
}

declare module '../../sdk/registry.ts' {
  interface ModelSlices {
    cron_triggers: ResolvedCronTriggers
  }
}

const none: ResolvedCronTriggers = { served: new Map(), unserved: new Map() }

const resolvedOf = (model: Model): ResolvedCronTriggers => model.slices.cron_triggers ?? none

/** The served cron triggers, by name. */
export const cronTriggersOf = (model: Model): ReadonlyMap<string, ResolvedCronTrigger> => resolvedOf(model).served

export const cronTriggerRef = (name: string): ObjectRef => ({ kind: 'cron trigger', name })

/** The stored cron triggers that are not served, by name. */
export const inconsistentCronTriggers = (model: Model): ReadonlyMap<string, CronTrigger> => resolvedOf(model).unserved

/** The names of all cron triggers in the document of a model. */
export const storedCronTriggers = (model: Model): ReadonlySet<string> =>
  new Set([...cronTriggersOf(model).keys(), ...inconsistentCronTriggers(model).keys()])

const described = (entry: CronTrigger): ObjectDescription => ({
  ref: cronTriggerRef(entry.name),
  type: 'cron_trigger',
  definition: {
    name: entry.name,
    ...(entry.handler === undefined ? { webhook_conf: entry.webhook } : { handler: entry.handler }),
    cron_schedule: entry.schedule,
    payload: entry.payload ?? null,
    retry_conf: entry.retry_conf ?? retryDefaults,
    header_conf: entry.headers ?? [],
    comment: entry.comment ?? null,
  },
})

const resolved = new WeakMap<CronTrigger, ResolvedCronTrigger>()

type Handlers = Pick<NamedHandlers, 'require'>

function receiverOf(
  { webhook = '', handler, headers = [] }: CronTrigger,
  context: SliceContext,
  handlers: Handlers,
): Receiver {
  if (handler !== undefined) return { kind: 'function', name: handler, run: handlers.require(handler) }
  const environment = (name: string) => context.environment(name)
  return { kind: 'webhook', url: configuredUrl(webhook, environment), headers: resolveHeaders(headers, environment) }
}

/** Results by entry: the environment and the handlers do not change while the server runs. */
function resolveTrigger(entry: CronTrigger, context: SliceContext, handlers: Handlers): ResolvedCronTrigger {
  const known = resolved.get(entry)
  if (known) return known
  const made = { entry, receiver: receiverOf(entry, context, handlers) }
  resolved.set(entry, made)
  return made
}

export const cronTriggersSlice = (
  schema: ReturnType<typeof cronTriggersSchema>,
  handlers: Handlers,
): SliceDefinition<'cron_triggers', ReturnType<typeof cronTriggersSchema>> => ({
  schema,
  empty: [],
  entryKey: ({ name }: CronTrigger) => name,
  keptMessage: (name) =>
    `cron trigger with name "${name}" already exists as a cron trigger with "included_in_metadata" as false`,
  write(triggers) {
    const shown = triggers.filter(({ include_in_metadata }) => include_in_metadata)
    return shown.length === 0 ? undefined : shown.sort((a, b) => compareText(a.name, b.name))
  },
  cleared: (triggers) => triggers.filter(({ include_in_metadata }) => !include_in_metadata),
  resolve(triggers, context) {
    const served = new Map<string, ResolvedCronTrigger>()
    const unserved = new Map<string, CronTrigger>()
    for (const entry of triggers) {
      try {
        served.set(entry.name, resolveTrigger(entry, context, handlers))
      } catch (error) {
        if (!(error instanceof TrellisError)) throw error
        unserved.set(entry.name, entry)
        context.report(described(entry), `in cron trigger ${entry.name}: ${error.message}`)
      }
    }
    return { served, unserved }
  },
  remove(draft, object) {
    const kept = draft.cron_triggers.filter(({ name }) => object.kind !== 'cron trigger' || name !== object.name)
    const found = kept.length < draft.cron_triggers.length
    if (found) draft.cron_triggers = kept
    return found
  },
})

/** The cron trigger with this name in the document; refuses an unknown name. */
export function requireCronTrigger(triggers: readonly CronTrigger[], name: string): CronTrigger {
  const found = triggers.find((each) => each.name === name)
  if (!found) throw badRequest('not-exists', `cron trigger with name: ${name} does not exist`)
  return found
}
