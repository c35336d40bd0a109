// The facet `event_triggers` of a table.

import { type Dialect, type QualifiedName, sameName } from '../../sdk/index.ts'
import type { Facet, Model, ObjectRef, Rename, RenamePlace } from '../../sdk/metadata.ts'
import { renameInCondition } from './capture/condition.ts'
import { rowOperations } from './capture/row-operations.ts'
import { listenersOf } from './listeners/slice.ts'
import { type ResolvedTrigger, resolveTrigger, type TriggerEnvironment } from './resolving.ts'
import { type EventTrigger, eventTriggerEntry, type OperationSpec } from './schema.ts'

const key = 'event_triggers'

/** An event trigger as dependencies and inconsistencies name it. */
export const eventTriggerRef = (table: QualifiedName, name: string): ObjectRef => ({
  kind: 'event-trigger',
  table,
  name,
})

const triggersByModel = new WeakMap<Model, ReadonlyMap<string, ResolvedTrigger>>()

/** The served event triggers and listeners, by name. */
export function eventTriggersOf(model: Model): ReadonlyMap<string, ResolvedTrigger> {
  let triggers = triggersByModel.get(model)
  if (!triggers) {
    const found = new Map<string, ResolvedTrigger>()
    for (const { extensions } of model.tables.values()) {
      if (extensions.size === 0) continue
      const own = extensions.get(key) as ReadonlyMap<string, ResolvedTrigger> | undefined
      for (const trigger of own?.values() ?? []) found.set(trigger.name, trigger)
    }
    for (const [name, listener] of listenersOf(model).served) found.set(name, listener)
    triggers = found
    triggersByModel.set(model, triggers)
  }
  return triggers
}

const inconsistentByModel = new WeakMap<Model, ReadonlySet<string>>()

/** The names of event triggers and listeners that are not served, and whose events wait. */
export function inconsistentTriggers(model: Model): ReadonlySet<string> {
  let names = inconsistentByModel.get(model)
  if (!names) {
    const all = model.inconsistencies.flatMap(({ ref }) => (ref.kind === 'event-trigger' ? (ref.name ?? []) : []))
    names = new Set([...all, ...listenersOf(model).waiting])
    inconsistentByModel.set(model, names)
  }
  return names
}

/** The names of all event triggers in the document of a model. */
export const storedTriggers = (model: Model): ReadonlySet<string> =>
  new Set([...eventTriggersOf(model).keys(), ...inconsistentTriggers(model)])

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
