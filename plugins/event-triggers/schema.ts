// The shapes of event triggers in arguments and documents.

import { badRequest, type Dialect, parseFailed, type Static, Type } from '../../sdk/index.ts'
import {
  ColumnName,
  type ConfiguredHeader,
  type ConfiguredUrl,
  configuredHeader,
  decode,
  ObjectName,
  TableName,
  urlSchema,
  VerbatimObject,
} from '../../sdk/metadata.ts'
import { refuseWebhookMembers } from '../delivery/index.ts'
import { storedTransforms, type Transforms, transformKeys } from '../transforms/index.ts'
import type { EventCondition } from './capture/condition.ts'
import { type RowOperation, rowOperations } from './capture/row-operations.ts'
import { CleanupConfig } from './cleanup/cleanup-schema.ts'

type Columns = '*' | string[]

/** The columns that an operation listens to, and those that it sends. */
export interface OperationSpec {
  columns: Columns
  payload?: Columns
  /** Absent: every change creates an event. */
  when?: EventCondition
}

/** When a failed delivery is tried again. */
export interface RetryConf {
  /** Attempts after the first. */
  num_retries: number
  /** Seconds between attempts. */
  interval_sec: number
  /** Seconds that the webhook has. */
  timeout_sec: number
}

/** An event trigger in a table entry. */
export interface EventTrigger extends Transforms {
  name: string
  definition: { enable_manual: boolean } & { [K in RowOperation]?: OperationSpec }
  retry_conf: RetryConf
  webhook?: string
  webhook_from_env?: string
  /** A function of a plugin, instead of a webhook. */
  handler?: string
  headers?: ConfiguredHeader[]
  /** Columns; events of rows that share these values are delivered in order, one at a time. */
  ordering_key?: string[]
  /** Deliveries at once per instance; absent: the server's default. */
  concurrency?: number
  /** Whether events wait until it is resumed. */
  paused?: true
  cleanup_config?: CleanupConfig
  /** Whether changes that arrive by replication make events, too. */
  trigger_on_replication?: true
}

declare module '../../sdk/registry.ts' {
  interface TableFacets {
    event_triggers?: EventTrigger[]
  }
}

const columnList = Type.Array(ColumnName)

function readColumns(value: unknown): Columns {
  if (value === '*') return value
  if (typeof value === 'string') throw parseFailed('only * or [] allowed')
  if (!Array.isArray(value)) throw parseFailed('unexpected columns')
  return decode(columnList, value)
}

const Columns = Type.Unsafe<Columns>(
  Type.Unknown({ convert: readColumns, shown: Type.Union([Type.Literal('*'), columnList]) }),
)

const spec = (options: object) =>
  Type.Optional(
    Type.Object(
      { columns: Columns, payload: Type.Optional(Columns), when: Type.Optional(VerbatimObject) },
      { missingKey: 'A', ...options },
    ),
  )

const specs = (options: object) => ({ insert: spec(options), update: spec(options), delete: spec(options) })

export const retryDefaults: RetryConf = { num_retries: 0, interval_sec: 10, timeout_sec: 60 }

const seconds = (least: number) => Type.Optional(Type.Integer({ minimum: least }))

const RetryConf = Type.Unsafe<RetryConf>(
  Type.Object(
    { num_retries: seconds(0), interval_sec: seconds(0), timeout_sec: seconds(1) },
    { convert: (given: Partial<RetryConf>): RetryConf => ({ ...retryDefaults, ...given }) },
  ),
)

type Specs = { [K in RowOperation]?: OperationSpec }

interface ReceiverSource {
  webhook?: ConfiguredUrl
  webhook_from_env?: string
  handler?: string
}

const namePattern = /^[A-Za-z][A-Za-z0-9_-]*$/

/** Whether a text can name an event trigger. */
export const isTriggerName = (name: string): boolean => namePattern.test(name)

function checkName(name: string): void {
  if (!isTriggerName(name)) throw parseFailed('only alphanumeric and underscore and hyphens allowed for name')
}

function checkSpecs(given: Specs & { enable_manual: boolean }): void {
  const listed = rowOperations.flatMap((operation) => given[operation] ?? [])
  if (listed.length === 0 && !given.enable_manual) {
    throw parseFailed('atleast one amongst insert/update/delete/enable_manual spec must be provided')
  }
  for (const { columns, payload } of listed) {
    if (columns.length === 0) throw parseFailed('found empty column specification')
    if (payload?.length === 0) throw parseFailed('found empty payload specification')
  }
}

function checkReceiver(given: ReceiverSource): void {
  const { webhook, webhook_from_env, handler } = given
  if (webhook !== undefined && webhook_from_env !== undefined) {
    throw parseFailed('only one of webhook or webhook_from_env should be given')
  }
  const hasWebhook = webhook !== undefined || webhook_from_env !== undefined
  if (hasWebhook && handler !== undefined) throw parseFailed('only one of webhook or handler should be given')
  if (!hasWebhook && handler === undefined) {
    const hint = 'a trigger may have a handler instead, which is a function of a plugin'
    throw badRequest('parse-failed', 'must provide webhook or webhook_from_env', { help: () => ({ hint }) })
  }
  if (handler !== undefined) refuseWebhookMembers(given)
}

const receiver = {
  webhook: Type.Optional(urlSchema('https://example.com/events')),
  webhook_from_env: Type.Optional(ObjectName),
  handler: Type.Optional(ObjectName),
}

/** In documents an environment variable has its own key. */
function storedReceiver({ webhook, webhook_from_env, handler }: ReceiverSource) {
  if (handler !== undefined) return { handler }
  return typeof webhook === 'string' ? { webhook } : { webhook_from_env: webhook?.from_env ?? webhook_from_env }
}

const rest = (dialect: Dialect) => ({
  retry_conf: Type.Optional(RetryConf),
  headers: Type.Optional(Type.Array(configuredHeader(dialect))),
  ordering_key: Type.Optional(Type.Array(ColumnName, { minItems: 1 })),
  concurrency: Type.Optional(Type.Integer({ minimum: 1 })),
  paused: Type.Optional(Type.Boolean()),
  cleanup_config: Type.Optional(CleanupConfig),
  trigger_on_replication: Type.Optional(Type.Boolean()),
  ...transformKeys,
})

type GivenTrigger = Specs &
  ReceiverSource & { name: string; enable_manual: boolean } & Static<
    ReturnType<typeof Type.Object<ReturnType<typeof rest>>>
  >

/** A trigger's entry, with its members in the order of the document. */
function entryOf(given: GivenTrigger): EventTrigger {
  const { name, enable_manual, retry_conf = retryDefaults, headers = [] } = given
  const { ordering_key, concurrency, paused = false, cleanup_config, trigger_on_replication = false } = given
  const listed = rowOperations.flatMap((operation) => {
    const each = given[operation]
    return each ? [[operation, each] as const] : []
  })
  return {
    name,
    definition: { enable_manual, ...Object.fromEntries(listed) },
    retry_conf,
    ...storedReceiver(given),
    ...(headers.length > 0 && { headers }),
    ...(ordering_key && { ordering_key }),
    ...(concurrency !== undefined && { concurrency }),
    ...(paused && { paused }),
    ...(cleanup_config && { cleanup_config }),
    ...(trigger_on_replication && { trigger_on_replication }),
    ...storedTransforms(given),
  }
}

/** The arguments of `create_event_trigger`. */
export const createEventTriggerArgs = (dialect: Dialect) => {
  const Given = Type.Object(
    {
      name: ObjectName,
      table: TableName,
      ...specs({}),
      enable_manual: Type.Optional(Type.Boolean()),
      ...receiver,
      ...rest(dialect),
      replace: Type.Optional(Type.Boolean()),
    },
    {
      missingKey: 'A',
      convert({ table, replace = false, enable_manual = dialect.manualByDefault, ...rest }: Static<typeof Given>) {
        const given = { ...rest, enable_manual }
        checkName(given.name)
        checkSpecs(given)
        checkReceiver(given)
        return { table, replace, trigger: entryOf(given) }
      },
    },
  )
  return Type.Unsafe<{ table: Static<typeof TableName>; replace: boolean; trigger: EventTrigger }>(Given)
}

/** An entry of `event_triggers`. */
export function eventTriggerEntry(dialect: Dialect) {
  const closed = { additionalProperties: false }
  const definition = Type.Object({ enable_manual: Type.Optional(Type.Boolean()), ...specs(closed) }, closed)
  const Entry = Type.Object(
    {
      name: ObjectName,
      definition,
      ...receiver,
      ...rest(dialect),
    },
    {
      ...closed,
      missingKey: 'A',
      convert({ definition, ...given }: Static<typeof Entry>) {
        const { enable_manual = dialect.manualByDefault } = definition
        checkName(given.name)
        checkSpecs({ ...definition, enable_manual })
        checkReceiver(given)
        return entryOf({ ...given, ...definition, enable_manual })
      },
    },
  )
  return Type.Unsafe<EventTrigger>(Entry)
}

export const EventTriggerName = Type.Object({ name: ObjectName })

export const RedeliverEventArgs = Type.Object({ event_id: Type.String() })

export const InvokeEventTriggerArgs = Type.Object({ name: ObjectName, payload: Type.Unknown() })
