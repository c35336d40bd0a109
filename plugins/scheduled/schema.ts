// The shapes of cron triggers and one-off events in arguments and documents.

import { badRequest, type Dialect, parseFailed, type Static, Type } from '../../sdk/index.ts'
import {
  type ConfiguredHeader,
  type ConfiguredUrl,
  configuredHeader,
  type InterfaceName,
  ObjectName,
  urlSchema,
} from '../../sdk/metadata.ts'
import { CronExpression, refuseWebhookMembers, TimeZone } from '../delivery/index.ts'
import { storedTransforms, type Transforms, transformKeys } from '../transforms/index.ts'

/** When a failed delivery of a scheduled event is tried again, and how late one is still made. */
export interface ScheduledRetryConf {
  /** Attempts after the first. */
  num_retries: number
  retry_interval_seconds: number
  /** Seconds that the webhook has. */
  timeout_seconds: number
  /** Seconds after its due time from which on an event is dead. */
  tolerance_seconds: number
}

/** A stored cron trigger. */
export interface CronTrigger extends Transforms {
  name: string
  webhook?: ConfiguredUrl
  /** A function of a plugin, instead of a webhook. */
  handler?: string
  schedule: string
  include_in_metadata: boolean
  payload?: unknown
  retry_conf?: ScheduledRetryConf
  headers?: ConfiguredHeader[]
  comment?: string
  /** Absent: UTC. */
  timezone?: string
}

declare module '../../sdk/registry.ts' {
  interface DocumentSlices {
    cron_triggers: CronTrigger[]
  }
}

export const retryDefaults: ScheduledRetryConf = {
  num_retries: 0,
  retry_interval_seconds: 10,
  timeout_seconds: 60,
  tolerance_seconds: 21_600,
}

const seconds = Type.Optional(Type.Number({ exclusiveMinimum: 0 }))

function positive(value: unknown, key: string): void {
  if (typeof value === 'number' && value <= 0) throw parseFailed('negative value not allowed', [key])
}

const givenRetryConf = Type.Object({
  num_retries: Type.Optional(Type.Integer()),
  retry_interval_seconds: Type.Optional(Type.Number()),
  timeout_seconds: Type.Optional(Type.Number()),
  tolerance_seconds: Type.Optional(Type.Number()),
})

function readRetryConf(given: Partial<ScheduledRetryConf>): ScheduledRetryConf {
  if ((given.num_retries ?? 0) < 0) throw parseFailed('num_retries cannot be a negative value')
  for (const key of ['retry_interval_seconds', 'timeout_seconds', 'tolerance_seconds'] as const) {
    positive(given[key], key)
  }
  return { ...retryDefaults, ...given }
}

const RetryConf = Type.Unsafe<ScheduledRetryConf>({
  ...givenRetryConf,
  convert: readRetryConf,
  shown: Type.Object({
    num_retries: Type.Optional(Type.Integer({ minimum: 0 })),
    retry_interval_seconds: seconds,
    timeout_seconds: seconds,
    tolerance_seconds: seconds,
  }),
})

const triggerMembers = (dialect: Dialect) => ({
  name: ObjectName,
  webhook: Type.Optional(urlSchema('https://example.com/nightly')),
  handler: Type.Optional(ObjectName),
  schedule: CronExpression,
  include_in_metadata: Type.Boolean(),
  payload: Type.Optional(Type.Unknown()),
  retry_conf: Type.Optional(RetryConf),
  headers: Type.Optional(Type.Array(configuredHeader(dialect))),
  comment: Type.Optional(Type.String()),
  timezone: Type.Optional(TimeZone),
  ...transformKeys,
})

type GivenTrigger = Static<ReturnType<typeof Type.Object<ReturnType<typeof triggerMembers>>>>

/** Members in the order of the document; defaults are left out. */
function triggerOf(given: GivenTrigger): CronTrigger {
  const { name, webhook, handler, schedule, include_in_metadata } = given
  const { payload, retry_conf, headers = [], comment, timezone } = given
  checkReceiver(given)
  return {
    name,
    ...(webhook !== undefined && { webhook }),
    ...(handler !== undefined && { handler }),
    ...{ schedule, include_in_metadata },
    ...(payload !== undefined && { payload }),
    ...(retry_conf && !isDefault(retry_conf) && { retry_conf }),
    ...(headers.length > 0 && { headers }),
    ...(comment !== undefined && { comment }),
    ...(timezone !== undefined && { timezone }),
    ...storedTransforms(given),
  }
}

function checkReceiver(given: GivenTrigger): void {
  const { webhook, handler } = given
  if (webhook === undefined && handler === undefined) {
    const hint = 'a trigger may have a handler instead, which is a function of a plugin'
    throw badRequest('parse-failed', 'key "webhook" not found', { help: () => ({ hint }) })
  }
  if (webhook !== undefined && handler !== undefined) {
    throw parseFailed('only one of webhook or handler should be given')
  }
  if (handler !== undefined) refuseWebhookMembers(given)
}

const isDefault = (given: ScheduledRetryConf): boolean =>
  Object.entries(retryDefaults).every(([key, value]) => given[key as keyof ScheduledRetryConf] === value)

/** The entry with the settings that documents leave out when they are the defaults; in interface 2 headers, too. */
export const inFull = (
  { retry_conf = retryDefaults, headers, ...entry }: CronTrigger,
  interfaceName: InterfaceName,
): CronTrigger => ({
  ...entry,
  ...(headers ? { headers } : interfaceName === '2' && { headers: [] }),
  retry_conf,
})

/** The arguments of `create_cron_trigger`. */
export const createCronTriggerArgs = (dialect: Dialect) => {
  const Given = Type.Object(
    { ...triggerMembers(dialect), replace: Type.Optional(Type.Boolean()) },
    {
      missingKey: 'A',
      convert: ({ replace = false, ...given }: GivenTrigger & { replace?: boolean }) => ({
        replace,
        trigger: triggerOf(given),
      }),
    },
  )
  return Type.Unsafe<{ replace: boolean; trigger: CronTrigger }>(Given)
}

/** `cron_triggers` of a document. */
export const cronTriggersSchema = (dialect: Dialect) =>
  Type.Array(
    Type.Unsafe<CronTrigger>(
      Type.Object(triggerMembers(dialect), {
        missingKey: 'A',
        additionalProperties: false,
        convert: triggerOf,
      }),
    ),
  )

export const CronTriggerName = Type.Object({ name: ObjectName }, { missingKey: 'A' })

const timestamp = /^\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d(\.\d+)?)?\s?(Z|[+-]\d\d(:?\d\d)?)$/i

/** Whether a day exists: `Date` reads the 30th of February as the 2nd of March. */
const isDay = (text: string): boolean =>
  !text.startsWith('0000') && new Date(`${text}T00:00:00Z`).toISOString().startsWith(text)

/** A timestamp in PostgreSQL's form. */
function readTimestamp(text: string): string {
  const match = timestamp.exec(text)
  const [, , , offset = '', minutes] = match ?? []
  const zone = offset.toUpperCase() === 'Z' || minutes !== undefined ? offset : `${offset}:00`
  const normal = text
    .slice(0, text.length - offset.length)
    .trim()
    .replace(' ', 'T')
  if (!match || Number.isNaN(Date.parse(normal + zone)) || !isDay(normal.slice(0, 10))) {
    throw parseFailed(`expected a timestamp such as 2026-03-01T09:30:00Z, encountered ${JSON.stringify(text)}`)
  }
  return normal + zone
}

const Timestamp = Type.String({
  convert: readTimestamp,
  shown: Type.String({ examples: ['2026-03-01T09:30:00Z'] }),
})

/** A later engine's changes of requests and answers; one-off events have none. */
const laterKeys = ['request_transform', 'response_transform']

/** The arguments of `create_scheduled_event`. */
export const createScheduledEventArgs = (dialect: Dialect) =>
  Type.Object(
    {
      webhook: urlSchema('https://example.com/once'),
      schedule_at: Timestamp,
      payload: Type.Optional(Type.Unknown()),
      headers: Type.Optional(Type.Array(configuredHeader(dialect))),
      retry_conf: Type.Optional(RetryConf),
      comment: Type.Optional(Type.String()),
    },
    { missingKey: 'A', laterKeys },
  )
