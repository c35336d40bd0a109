// Event triggers with everything that their delivery needs.

import { badRequest, didYouMean, nameText, type QualifiedName, TrellisError } from '../../sdk/index.ts'
import type { ResolveContext, TableModel } from '../../sdk/metadata.ts'
import { configuredUrl } from '../../sdk/services.ts'
import { type NamedHandlers, type Receiver, resolveHeaders } from '../delivery/index.ts'
import { rowOperations } from './capture/row-operations.ts'
import { type SqlTrigger, sqlTriggers, type TriggerNames } from './capture/trigger-sql.ts'
import type { EventTrigger, OperationSpec } from './schema.ts'

/** An event trigger with the settings of its delivery. */
export interface ResolvedTrigger {
  readonly name: string
  readonly table: QualifiedName
  /** The table's name. */
  readonly oid: number
  readonly entry: EventTrigger
  readonly receiver: Receiver
  /** Whether a plugin declares it, and no document has it. */
  readonly isListener: boolean
  readonly sql: readonly SqlTrigger[]
}

/** The parts of the server that event triggers are resolved with. */
export interface TriggerEnvironment {
  /** How database triggers are written. */
  readonly names: TriggerNames
  readonly handlers: Pick<NamedHandlers, 'require'>
  /** The noun in errors. */
  readonly noun: 'event trigger' | 'row listener'
}

interface Resolving {
  readonly entry: EventTrigger
  readonly table: TableModel
  readonly context: ResolveContext
  readonly environment: TriggerEnvironment
}

/** Resolves an event trigger or a listener; throws the reason if it is inconsistent. */
export function resolveTrigger({ entry, table, context, environment }: Resolving): ResolvedTrigger {
  const { name } = table
  refuseTable(table)
  context.depend({ kind: 'table', table: name }, 'parent')
  for (const operation of rowOperations) dependOnColumns(entry.definition[operation], table, context)
  for (const column of entry.ordering_key ?? []) dependOnColumn(column, 'column', table, context)
  const { names, handlers, noun } = environment
  try {
    return {
      name: entry.name,
      table: name,
      oid: table.catalog.oid,
      entry,
      receiver: receiverOf(entry, context, handlers),
      isListener: noun === 'row listener',
      sql: sqlTriggers(entry, { table, context, names }),
    }
  } catch (error) {
    if (!(error instanceof TrellisError)) throw error
    const place = `in table "${nameText(name)}": in ${noun} "${entry.name}"`
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

/**
 * Refuses relations that cannot have row triggers, and the server's own tables: the log would log itself. Citus takes
 * triggers only on tables whose rows are on this machine.
 */
export function refuseTable({ name, catalog: { kind, distribution } }: TableModel): void {
  if (distribution && distribution.kind !== 'local' && distribution.kind !== 'view') {
    const reason = 'its rows are on other machines, where no trigger runs'
    const wayOut = 'record changes in a local table, and create the event trigger on that one'
    const table = `the distributed table "${nameText(name)}"`
    throw badRequest('not-supported', `event triggers are not supported on ${table}: ${reason}; ${wayOut}`)
  }
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
