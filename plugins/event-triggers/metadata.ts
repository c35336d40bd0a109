// The facet `event_triggers` of a table.

import {
  badRequest,
  type Dialect,
  didYouMean,
  nameText,
  type QualifiedName,
  sameName,
  TrellisError,
} from '../../sdk/index.ts'
import type { Facet, Model, ObjectRef, Rename, RenamePlace, ResolveContext, TableModel } from '../../sdk/metadata.ts'
import { configuredUrl } from '../../sdk/services.ts'
import { type NamedHandlers, type Receiver, resolveHeaders } from '../delivery/index.ts'
import { renameInCondition } from './capture/condition.ts'
import { rowOperations } from './capture/row-operations.ts'
import { type SqlTrigger, sqlTriggers, type TriggerNames } from './capture/trigger-sql.ts'
import { type EventTrigger, eventTriggerEntry, type OperationSpec } from './schema.ts'

/** An event trigger with the settings of its delivery. */
export interface ResolvedTrigger {
  readonly name: string
  readonly table: QualifiedName
  /** The table's name. */
  readonly oid: number
  readonly entry: EventTrigger
  readonly receiver: Receiver
  readonly sql: readonly SqlTrigger[]
}

const key = 'event_triggers'

/** An event trigger as dependencies and inconsistencies name it. */
export const eventTriggerRef = (table: QualifiedName, name: string): ObjectRef => ({
  kind: 'event-trigger',
  table,
  name,
})

const triggersByModel = new WeakMap<Model, ReadonlyMap<string, ResolvedTrigger>>()

/** The served event triggers, by name. */
export function eventTriggersOf(model: Model): ReadonlyMap<string, ResolvedTrigger> {
  let triggers = triggersByModel.get(model)
  if (!triggers) {
    const found = new Map<string, ResolvedTrigger>()
    for (const { extensions } of model.tables.values()) {
      if (extensions.size === 0) continue
      const own = extensions.get(key) as ReadonlyMap<string, ResolvedTrigger> | undefined
      for (const trigger of own?.values() ?? []) found.set(trigger.name, trigger)
    }
    triggers = found
    triggersByModel.set(model, triggers)
  }
  return triggers
}

const inconsistentByModel = new WeakMap<Model, ReadonlySet<string>>()

/** The names of stored event triggers that are not served. */
export function inconsistentTriggers(model: Model): ReadonlySet<string> {
  let names = inconsistentByModel.get(model)
  if (!names) {
    const all = model.inconsistencies.flatMap(({ ref }) => (ref.kind === 'event-trigger' ? (ref.name ?? []) : []))
    names = new Set(all)
    inconsistentByModel.set(model, names)
  }
  return names
}

/** The names of all event triggers in the document of a model. */
export const storedTriggers = (model: Model): ReadonlySet<string> =>
  new Set([...eventTriggersOf(model).keys(), ...inconsistentTriggers(model)])

/** The parts of the server that event triggers are resolved with. */
export interface TriggerEnvironment {
  /** How database triggers are written. */
  readonly names: TriggerNames
  readonly handlers: Pick<NamedHandlers, 'require'>
}

/** The facet of event triggers. */
export const eventTriggersFacet = (
  dialect: Dialect,
  environment: TriggerEnvironment,
): Facet<EventTrigger, ResolvedTrigger> & { readonly key: typeof key } => ({
  key,
  stage: 'rules',
  schema: eventTriggerEntry(dialect),
  duplicates: { kind: 'event triggers', isGlobal: true, name: ({ name }) => name },
  identify: ({ name }) => name,
  describe: (table, entry) => ({
    ref: eventTriggerRef(table, entry.name),
    type: 'event_trigger',
    definition: { table, configuration: entry },
  }),
  resolve: (entry, table, context) => resolveTrigger({ entry, table, context, environment }),
  attach(draft, name, resolved) {
    draft.extensions.set(key, (draft.extensions.get(key) ?? new Map()).set(name, resolved))
  },
  rename: (entry, rename, place) => renamed(entry, rename, place),
})

interface Resolving {
  readonly entry: EventTrigger
  readonly table: TableModel
  readonly context: ResolveContext
  readonly environment: TriggerEnvironment
}

function resolveTrigger({ entry, table, context, environment }: Resolving): ResolvedTrigger {
  const { name } = table
  refuseTable(table)
  context.depend({ kind: 'table', table: name }, 'parent')
  for (const operation of rowOperations) dependOnColumns(entry.definition[operation], table, context)
  for (const column of entry.ordering_key ?? []) dependOnColumn(column, 'column', table, context)
  const { names, handlers } = environment
  try {
    return {
      name: entry.name,
      table: name,
      oid: table.catalog.oid,
      entry,
      receiver: receiverOf(entry, context, handlers),
      sql: sqlTriggers(entry, { table, context, names }),
    }
  } catch (error) {
    if (!(error instanceof TrellisError)) throw error
    const place = `in table "${nameText(name)}": in event trigger "${entry.name}"`
    throw badRequest('constraint-violation', `${place}: ${error.message}`, { help: error.help })
  }
}

function receiverOf(
  { webhook, webhook_from_env: variable = '', handler, headers = [] }: EventTrigger,
  context: ResolveContext,
  handlers: TriggerEnvironment['handlers'],
): Receiver {
  if (handler !== undefined) return { kind: 'function', name: handler, run: handlers.require(handler) }
  const environment = (name: string) => context.environment(name)
  const url = configuredUrl(webhook ?? { from_env: variable }, environment)
  return { kind: 'webhook', url, headers: resolveHeaders(headers, environment) }
}

/** Refuses relations that cannot have row triggers, and the server's own tables: the log would log itself. */
export function refuseTable({ name, catalog: { kind } }: TableModel): void {
  const isView = kind === 'view' || kind === 'materialized'
  if (!isView && name.schema !== 'trellis' && name.schema !== 'pg_catalog') return
  throw badRequest(
    'not-supported',
    `event triggers are not supported on ${isView ? 'view' : 'table'} "${nameText(name)}"`,
  )
}

function dependOnColumns(spec: OperationSpec | undefined, table: TableModel, context: ResolveContext): void {
  for (const part of ['columns', 'payload'] as const) {
    const reason = part === 'columns' ? 'column' : 'payload'
    for (const name of listed(spec?.[part])) dependOnColumn(name, reason, table, context)
  }
}

function dependOnColumn(name: string, reason: 'column' | 'payload', table: TableModel, context: ResolveContext): void {
  if (!table.columns.has(name)) throw missingColumn(table, name)
  context.depend({ kind: 'column', table: table.name, name }, reason)
}

function missingColumn(table: TableModel, name: string): TrellisError {
  const text = `table "${nameText(table.name)}" has no field named "${name}"`
  return badRequest('constraint-violation', text, { help: didYouMean(name, () => table.columns.keys()) })
}

const listed = (columns: '*' | readonly string[] | undefined): readonly string[] =>
  columns === undefined || columns === '*' ? [] : columns

function renamed(entry: EventTrigger, rename: Rename, place: RenamePlace): EventTrigger {
  const isHere = rename.kind === 'column' && sameName(rename.table, place.table)
  const column = (name: string) => (isHere && name === rename.from ? rename.to : name)
  const columns = (list: OperationSpec['columns']) => (list === '*' ? list : list.map(column))
  const spec = ({ payload, when, ...given }: OperationSpec): OperationSpec => ({
    columns: columns(given.columns),
    ...(payload !== undefined && { payload: columns(payload) }),
    ...(when && { when: renameInCondition(when, rename, place) }),
  })
  const specs = rowOperations.flatMap((operation) => {
    const given = entry.definition[operation]
    return given ? [[operation, spec(given)] as const] : []
  })
  return {
    ...entry,
    definition: { enable_manual: entry.definition.enable_manual, ...Object.fromEntries(specs) },
    ...(entry.ordering_key && { ordering_key: entry.ordering_key.map(column) }),
  }
}
