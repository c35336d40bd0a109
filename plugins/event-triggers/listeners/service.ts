// Functions of plugins that receive changes of rows. Each is an event trigger that no document holds: its events are in the
// same log, with the same retries, order, leases and metrics.

import { didYouMean, type QualifiedName, type Session, serviceKey } from '../../../sdk/index.ts'
import type { EventCall, EventHandler } from '../../delivery/index.ts'
import type { EventCondition } from '../capture/condition.ts'
import { type RowOperation, rowOperations } from '../capture/row-operations.ts'
import { type EventTrigger, isTriggerName, retryDefaults } from '../schema.ts'

/** A row in an event: columns by name, as JSON. A number that a double cannot hold is a `RawNumber`. */
export type EventRow = Readonly<Record<string, unknown>>

/** A change of a row. */
export interface RowEvent<Row = EventRow> {
  /** The same at each attempt. */
  readonly id: string
  readonly operation: RowOperation
  readonly table: QualifiedName
  /** Null for an insertion. */
  readonly old: Row | null
  /** Null for a deletion. */
  readonly new: Row | null
  /** ISO 8601, with microseconds. */
  readonly createdAt: string
}

/** An event for a listener. */
export interface RowEventCall<Row = EventRow> {
  readonly event: RowEvent<Row>
  /** The session of the request that made the change; null for changes by other programs. */
  readonly session: Session | null
  /** 1 at first. */
  readonly attempt: number
  /** Aborts after the timeout, and when the server stops. */
  readonly signal: AbortSignal
}

/** The changes that a listener receives. */
export interface RowListener {
  /** Unique among listeners and event triggers. Events and operations use it, so it must stay the same. */
  readonly name: string
  /** A table of schema `public`, or `{ schema, name }`; it has to be tracked. */
  readonly table: string | QualifiedName
  readonly operations: readonly RowOperation[]
  /** An update is an event if one of these columns differs; absent: any column. */
  readonly columns?: readonly string[]
  /** A condition on the rows, as `when` of event triggers. */
  readonly when?: EventCondition
  /** Events of rows that share the values of these columns are handled in order, one at a time. */
  readonly orderingKey?: readonly string[]
  /** Absent: no retries, 10 seconds between attempts, 60 seconds for each. */
  readonly retry?: { readonly retries?: number; readonly interval?: number; readonly timeout?: number }
  /** Events at once per instance; absent: the server's default. */
  readonly concurrency?: number
}

/** Handles an event. It is delivered when the function returns, and tried again by `retry` when it throws. */
export type RowEventHandler<Row = EventRow> = (call: RowEventCall<Row>) => unknown

/** Registers listeners on changes of rows. */
export interface RowEvents {
  /** Declares a listener, in `register`. Changes from then on are recorded, also those by other programs. */
  on<Row = EventRow>(listener: RowListener, handler: RowEventHandler<Row>): void
}

/** The service of the plugin `event-triggers`. */
export const rowEvents = serviceKey<RowEvents>('row events')

/** A declared listener, in the form of an event trigger. */
export interface DeclaredListener {
  readonly table: QualifiedName
  readonly entry: EventTrigger
  readonly run: EventHandler
}

const members: readonly (keyof RowListener)[] = [
  ...(['name', 'table', 'operations', 'columns', 'when', 'orderingKey', 'retry', 'concurrency'] as const),
]

/** The listeners by name. They are complete when the server is ready. */
export class RowListeners implements RowEvents {
  readonly declared = new Map<string, DeclaredListener>()
  readonly #roleVariable: string
  #isComplete = false

  constructor(roleVariable: string) {
    this.#roleVariable = roleVariable
  }

  on<Row = EventRow>(listener: RowListener, handler: RowEventHandler<Row>): void {
    checkListener(listener, handler)
    const { name, table } = listener
    if (this.declared.has(name)) throw new Error(`row listener "${name}" is declared already`)
    if (this.#isComplete) {
      throw new Error(`row listener "${name}" is declared too late: declarations are complete when register() returns`)
    }
    this.declared.set(name, {
      table: typeof table === 'string' ? { schema: 'public', name: table } : table,
      entry: entryOf(listener),
      run: (call) => handler(rowCall<Row>(call, this.#roleVariable)),
    })
  }

  complete(): void {
    this.#isComplete = true
  }
}

function entryOf({ name, operations, columns, when, orderingKey, retry = {}, concurrency }: RowListener): EventTrigger {
  const specOf = (operation: RowOperation) => ({
    columns: columns && operation === 'update' ? [...columns] : ('*' as const),
    ...(when && { when }),
  })
  const { retries, interval, timeout } = retry
  return {
    name,
    definition: { enable_manual: false, ...Object.fromEntries(operations.map((each) => [each, specOf(each)])) },
    retry_conf: {
      num_retries: retries ?? retryDefaults.num_retries,
      interval_sec: interval ?? retryDefaults.interval_sec,
      timeout_sec: timeout ?? retryDefaults.timeout_sec,
    },
    handler: name,
    ...(orderingKey && { ordering_key: [...orderingKey] }),
    ...(concurrency !== undefined && { concurrency }),
  }
}

/** The body of an event, as `ledger.ts` makes it. */
interface EventBody<Row> {
  readonly created_at: string
  readonly table: QualifiedName
  readonly event: {
    readonly op: string
    readonly data: { readonly old: Row | null; readonly new: Row | null }
    readonly session_variables: Readonly<Record<string, string>> | null
  }
}

function rowCall<Row>({ id, payload, attempt, signal }: EventCall, roleVariable: string): RowEventCall<Row> {
  const { created_at: createdAt, table, event } = payload as EventBody<Row>
  const operation = event.op.toLowerCase() as RowOperation
  const variables = event.session_variables
  const session = variables && { role: variables[roleVariable] ?? '', variables, backendOnly: false }
  return { event: { id, operation, table, ...event.data, createdAt }, session, attempt, signal }
}

/** Checks at run time what TypeScript checks at compile time, for plugins in JavaScript. */
function checkListener(listener: RowListener, handler: unknown): void {
  const { name } = Object(listener) as Partial<RowListener>
  if (typeof name !== 'string' || !isTriggerName(name)) {
    throw new Error('a row listener needs a "name" that begins with a letter and has only letters, digits, _ and -')
  }
  const what = `row listener "${name}"`
  const fail = (message: string): never => {
    throw new Error(`${what}${message}`)
  }
  for (const key of Object.keys(listener)) {
    if ((members as readonly string[]).includes(key)) continue
    const { hint } = didYouMean(key, () => members)()
    fail(` has no member "${key}"${hint === undefined ? `: there are ${members.join(', ')}` : `, ${hint}`}`)
  }
  const { table, operations, when, retry, concurrency } = listener
  const isTable = typeof table === 'object' && typeof table?.schema === 'string' && typeof table.name === 'string'
  if (!isTable && (typeof table !== 'string' || table === '')) fail(': "table" has to be a name, or { schema, name }')
  const isKnown = (each: unknown) => (rowOperations as readonly unknown[]).includes(each)
  if (!Array.isArray(operations) || operations.length === 0 || !operations.every(isKnown)) {
    fail(`: "operations" has to be a list of ${rowOperations.join(', ')}`)
  }
  for (const key of ['columns', 'orderingKey'] as const) {
    const list = listener[key]
    const isList = Array.isArray(list) && list.length > 0 && list.every((each) => typeof each === 'string')
    if (list !== undefined && !isList) fail(`: "${key}" has to be a list of columns`)
  }
  if (when !== undefined && (typeof when !== 'object' || when === null)) fail(': "when" has to be an object')
  checkNumbers(fail, retry, concurrency)
  if (typeof handler !== 'function') fail(' needs a function')
}

function checkNumbers(fail: (message: string) => never, retry: RowListener['retry'], concurrency: unknown): void {
  const isWhole = (value: unknown, least: number) =>
    value === undefined || (Number.isSafeInteger(value) && Number(value) >= least)
  const { retries, interval, timeout } = Object(retry) as NonNullable<RowListener['retry']>
  const isRight = isWhole(retries, 0) && isWhole(interval, 0) && isWhole(timeout, 1)
  if (!isRight) fail(': "retry" has to have whole numbers: "retries", and seconds for "interval" and "timeout"')
  if (!isWhole(concurrency, 1)) fail(': "concurrency" has to be a positive whole number')
}
