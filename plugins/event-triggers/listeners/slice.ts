// The part of the metadata about listeners of plugins. Its document has only the paused ones; the listeners themselves are
// declared by plugins.

import { nameText, sameName, TrellisError, Type } from '../../../sdk/index.ts'
import {
  type Model,
  type ObjectDescription,
  ObjectName,
  type ObjectRef,
  type ResolveContext,
  type SliceContext,
  type SliceDefinition,
} from '../../../sdk/metadata.ts'
import type { TriggerNames } from '../capture/trigger-sql.ts'
import { type ResolvedTrigger, resolveTrigger } from '../resolving.ts'
import type { DeclaredListener, RowListeners } from './service.ts'

/** A listener in the document. */
export interface ListenerEntry {
  name: string
  paused: true
}

/** The listeners of a model. */
export interface ResolvedListeners {
  readonly served: ReadonlyMap<string, ResolvedTrigger>
  /** Inconsistent ones, whose events wait. */
  readonly waiting: ReadonlySet<string>
  /** All that plugins of this server declare. */
  readonly declared: ReadonlySet<string>
}

declare module '../../../sdk/registry.ts' {
  interface DocumentSlices {
    row_listeners: ListenerEntry[]
  }
  interface ModelSlices {
    row_listeners: ResolvedListeners
  }
}

const none: ResolvedListeners = { served: new Map(), waiting: new Set(), declared: new Set() }

/** The listeners of a model. */
export const listenersOf = ({ slices }: Pick<Model, 'slices'>): ResolvedListeners => slices.row_listeners ?? none

const Entry = Type.Object({ name: ObjectName, paused: Type.Literal(true) }, { additionalProperties: false })
const Entries = Type.Array(Entry)

const listenerRef = (name: string): ObjectRef => ({ kind: 'row listener', name })

/** The slice `row_listeners`. */
export const rowListenersSlice = (
  listeners: RowListeners,
  names: TriggerNames,
): SliceDefinition<'row_listeners', typeof Entries> => ({
  schema: Entries,
  empty: [],
  entryKey: ({ name }) => name,
  resolve(entries, context) {
    const { declared } = listeners
    if (declared.size === 0) return none
    const served = new Map<string, ResolvedTrigger>()
    const waiting = new Set<string>()
    const taken = takenNames(context)
    for (const [name, listener] of declared) {
      const isPaused = entries.some((each) => each.name === name)
      const outcome = taken.has(name)
        ? { reason: `an event trigger has the name "${name}"`, waits: false }
        : resolveListener(listener, context, { names, isPaused })
      if ('oid' in outcome) served.set(name, outcome)
      else {
        context.report(described(name, listener), outcome.reason)
        if (outcome.waits) waiting.add(name)
      }
    }
    return { served, waiting, declared: new Set(declared.keys()) }
  },
  // The listener stays declared: it is inconsistent from then on.
  remove: (_draft, { kind }) => kind === 'row listener',
})

/** Plugins declare listeners for tables that may come later, so that these inconsistencies refuse no change. */
const described = (name: string, { table, entry }: DeclaredListener): ObjectDescription => ({
  ref: listenerRef(name),
  type: 'row_listener',
  definition: { name, table, operations: Object.keys(entry.definition).filter((key) => key !== 'enable_manual') },
  isTolerated: true,
})

const takenNames = (context: SliceContext): ReadonlySet<string> =>
  new Set(context.slice('tables').flatMap(({ event_triggers: triggers = [] }) => triggers.map(({ name }) => name)))

/** A listener that is not served. `waits`: its table is tracked, so its events are kept. */
interface Unserved {
  readonly reason: string
  readonly waits: boolean
}

function resolveListener(
  { table: name, entry, run }: DeclaredListener,
  context: SliceContext,
  { names, isPaused }: { readonly names: TriggerNames; readonly isPaused: boolean },
): ResolvedTrigger | Unserved {
  const table = context.table(name)
  const isTracked = context.slice('tables').some((each) => sameName(each.table, name))
  if (!table) {
    return { reason: `table "${nameText(name)}" is ${isTracked ? 'inconsistent' : 'not tracked'}`, waits: isTracked }
  }
  const environment = { names, handlers: { require: () => run }, noun: 'row listener' } as const
  const given = isPaused ? { ...entry, paused: true as const } : entry
  try {
    return resolveTrigger({ entry: given, table, context: inContext(listenerRef(entry.name), context), environment })
  } catch (error) {
    if (error instanceof TrellisError) return { reason: error.message, waits: true }
    throw error
  }
}

/** The context of a slice as that of one object. */
const inContext = (object: ObjectRef, context: SliceContext): ResolveContext => ({
  get catalog() {
    return context.catalog
  },
  dialect: context.dialect,
  table: (name) => context.table(name),
  earlierField: () => undefined,
  functions: (name) => context.functions(name),
  environment: (name) => context.environment(name),
  resolved: (key) => context.resolved(key),
  source: (key, id) => context.source(key, id),
  depend: (on, reason) => context.depend(object, on, reason),
})
