// The stages of resolving tables, and the test whether a table's result of the previous generation is still valid.

import { enumKeyColumn } from '../../catalog/introspect.ts'
import type { Catalog, CatalogTable } from '../../catalog/types.ts'
import type { Steps } from '../../concurrency/stepwise.ts'
import { memberOf } from '../../json/json.ts'
import { nameKey, nameText, type QualifiedName } from '../../names/names.ts'
import type { TableEntry } from '../document/document.ts'
import { changedKeys, withValues } from '../document/list-change.ts'
import type { TableModel } from '../document/model.ts'
import type { Dependency, Inconsistency } from '../document/objects.ts'
import type { TableEntries } from '../document/table-entries.ts'
import type { SourceNaming } from '../naming/source-naming.ts'
import { facetEntries } from '../slices/facet-format.ts'
import type { Facet } from '../slices/slices.ts'
import type { SourceStates } from '../slices/sources.ts'
import { enumTableError } from './enum-table.ts'
import { FacetContext, noReads, type Reads, type ResolveEnvironment } from './resolve-context.ts'
import { resolveBase } from './table-base.ts'
import { resolveFacets } from './table-facets.ts'

/** The result of one table in one stage. */
export interface StageResult {
  readonly table: TableModel | null
  readonly inconsistencies: readonly Inconsistency[]
  readonly dependencies: readonly Dependency[]
  readonly reads: Reads
}

export type StageResults = ReadonlyMap<string, StageResult>

/** The input of all stages of a generation. Entries are keyed by `nameKey` and sorted by name. */
export interface Generation {
  readonly entries: TableEntries
  readonly catalog: Catalog
  readonly sources: SourceStates
}

/** A generation, and its differences from the previous one. */
export interface NextGeneration extends Generation {
  /** Tables whose entries differ, including added and removed ones. */
  readonly edited: ReadonlySet<string>
}

/** A stage's results, and the tables whose results differ from the previous generation. */
export interface StageOutcome {
  readonly results: StageResults
  readonly changed: ReadonlySet<string>
}

interface Stage {
  /** The tables whose results may no longer hold, including added and removed ones; null: any table. */
  readonly suspects: ReadonlySet<string> | null
  holds(key: string, entry: TableEntry, previous: StageResult): boolean
  resolve(key: string, entry: TableEntry): StageResult
}

/** Runs a stage; valid results are reused. If all are valid, the outcome has the previous map of results. */
export function* runStage(
  previous: StageResults | undefined,
  entries: ReadonlyMap<string, TableEntry>,
  stage: Stage,
): Steps<StageOutcome> {
  const fresh = new Map<string, StageResult>()
  const { suspects } = stage
  for (const key of previous && suspects ? suspects : entries.keys()) {
    const entry = entries.get(key)
    if (!entry) continue
    const before = previous?.get(key)
    if (!before || !stage.holds(key, entry, before)) fresh.set(key, stage.resolve(key, entry))
    yield
  }
  if (!previous) return { results: fresh, changed: new Set(fresh.keys()) }
  return replaceResults(previous, entries, fresh)
}

/** The previous results with fresh ones in their places, in the order of the entries. */
function replaceResults(
  previous: StageResults,
  entries: ReadonlyMap<string, TableEntry>,
  fresh: StageResults,
): StageOutcome {
  const added = [...fresh.keys()].filter((key) => !previous.has(key)).length
  const isShorter = entries.size < previous.size + added
  if (fresh.size === 0 && !isShorter) return { results: previous, changed: none }
  if (added === 0 && !isShorter) {
    const results = withValues(previous, fresh)
    const tables = replaceTables(previous, fresh)
    if (tables) tablesByResults.set(results, tables)
    if (areFlawless(previous, fresh)) flawsByResults.set(results, inconsistenciesOf(previous))
    return { results, changed: changedKeys(previous, results) }
  }
  const results = new Map<string, StageResult>()
  for (const key of entries.keys()) results.set(key, fresh.get(key) ?? previous.get(key)!)
  return { results, changed: differences(previous, results) }
}

/** The tables whose result objects differ, including added and removed tables. */
export const differences = (previous: StageResults | undefined, next: StageResults): ReadonlySet<string> =>
  changedKeys(previous, next)

const none: ReadonlySet<string> = new Set()

/** The first stage: columns, names and kind, from the table's own entry, its catalog table and the enums it refers to. */
export function baseStage(
  previous: Generation | null,
  next: NextGeneration,
  { transforms, naming }: Pick<ResolveEnvironment, 'transforms'> & { readonly naming: SourceNaming },
): Stage {
  const enumKey = (generation: Generation, key: string): string | null =>
    enumKeyOf(generation.entries.get(key), generation.catalog.tables.get(key))
  const changedEnums = new Set<string>()
  const suspects = previous ? sourcesOf(previous, next) : none
  for (const key of suspects) {
    if (isSameSource(key, previous!, next)) continue
    if (enumKey(previous!, key) !== enumKey(next, key)) changedEnums.add(key)
  }
  return {
    suspects: previous && changedEnums.size === 0 ? suspects : null,
    holds: (key, _entry, before) => isSameSource(key, previous!, next) && !meets(before.reads.tables, changedEnums),
    resolve(key, entry) {
      const tables = new Set<string>()
      const result = resolveBase({
        entry,
        catalog: next.catalog.tables.get(key),
        ...(transforms && { transforms }),
        naming,
        enumKey(target) {
          tables.add(nameKey(target))
          return enumKey(next, nameKey(target))
        },
      })
      const reads = { ...noReads, tables }
      if ('table' in result) return { table: result.table, inconsistencies: [], dependencies: [], reads }
      return { ...unusableTable(entry.table, result.reason), reads }
    },
  }
}

/** A table that is not served at all, with the reason. */
export const unusableTable = (table: QualifiedName, reason: string): StageResult => ({
  table: null,
  inconsistencies: [{ ref: { kind: 'table', table }, type: 'table', definition: table, reason }],
  dependencies: [],
  reads: noReads,
})

/** The tables whose own entry or catalog table differs. */
const sourcesOf = (previous: Generation, next: NextGeneration): ReadonlySet<string> =>
  new Set([...next.edited, ...changedKeys(previous.catalog.tables, next.catalog.tables)])

function isSameSource(key: string, previous: Generation, next: Generation): boolean {
  if (previous.catalog.tables.get(key) !== next.catalog.tables.get(key)) return false
  const [before, after] = [previous.entries.get(key), next.entries.get(key)]
  return before === after || (before?.is_enum === after?.is_enum && before?.configuration === after?.configuration)
}

/** The column that other tables refer to when a tracked table serves as an enum. */
function enumKeyOf(entry: TableEntry | undefined, catalog: CatalogTable | undefined): string | null {
  if (!entry?.is_enum || !catalog || enumTableError(catalog) !== null) return null
  return enumKeyColumn(catalog)?.name ?? null
}

/** The input of a stage of facets. */
export interface FacetStageInput {
  readonly facets: readonly Facet[]
  readonly environment: ResolveEnvironment
  /** `slices`: the results that the slices had. */
  readonly previous: (Generation & { readonly slices: Changes['results'] }) | null
  readonly next: NextGeneration
  /** The previous stage, and which of its results changed. */
  readonly below: StageOutcome
  /** The results of slices so far. */
  readonly results: Changes['results']
}

/**
 * A later stage: resolves the objects in the tables' entries. Each object sees all tables as the previous stage left
 * them.
 */
export function facetStage({ facets, environment, previous, next, below, results }: FacetStageInput): Stage {
  const { catalog, sources } = next
  const tables = tablesOf(below.results)
  const changed = { tables: below.changed, results, ...outsideChanges(previous, next) }
  const isQuiet = previous !== null && isWithoutChanges(changed, previous.slices)
  return {
    suspects: isQuiet ? next.edited : null,
    holds(key, entry, { reads }) {
      if (below.changed.has(key) || isTouched(reads, changed)) return false
      const before = previous?.entries.get(key)
      return before === entry || (!!before && facets.every((facet) => member(before, facet) === member(entry, facet)))
    },
    resolve(key, entry) {
      const table = tables.get(key)
      if (!table) return unusableObjects(facets, entry)
      const context = new FacetContext({ ...environment, catalog, tables, sources, results })
      const result = resolveFacets(facets, entry, table, context)
      return { ...result, reads: context.reads }
    },
  }
}

const member = (entry: TableEntry, { key }: Facet): unknown => memberOf(entry, key)

function unusableObjects(facets: readonly Facet[], entry: TableEntry): StageResult {
  const reason = `table "${nameText(entry.table)}" does not exist`
  const objects = facets.flatMap((facet) => facetEntries(entry, facet).map((each) => facet.describe(entry.table, each)))
  return {
    table: null,
    inconsistencies: objects.map((object) => ({ ...object, reason })),
    dependencies: [],
    reads: noReads,
  }
}

type Tables = ReadonlyMap<string, TableModel>

const tablesByResults = new WeakMap<StageResults, Tables>()

/** The tables that are usable after a stage; equal results have the same map of tables. */
export function tablesOf(results: StageResults): Tables {
  const tables = tablesByResults.get(results) ?? presentTables(results)
  tablesByResults.set(results, tables)
  return tables
}

function presentTables(results: StageResults): Tables {
  const tables = new Map<string, TableModel>()
  for (const [key, { table }] of results) if (table) tables.set(key, table)
  return tables
}

/** The tables of earlier results with those of fresh results in their places; null if other tables are usable. */
function replaceTables(previous: StageResults, fresh: StageResults): Tables | null {
  const before = tablesOf(previous)
  const tables = new Map<string, TableModel>()
  for (const [key, { table }] of fresh) {
    if (before.has(key) !== (table !== null)) return null
    if (table) tables.set(key, table)
  }
  return withValues(before, tables)
}

const flawsByResults = new WeakMap<StageResults, readonly Inconsistency[]>()

/** The inconsistencies of all tables of a stage. */
export function inconsistenciesOf(results: StageResults): readonly Inconsistency[] {
  const known = flawsByResults.get(results)
  if (known) return known
  const found: Inconsistency[] = []
  for (const { inconsistencies } of results.values()) found.push(...inconsistencies)
  flawsByResults.set(results, found)
  return found
}

/** Whether neither fresh results nor those that they replace have inconsistencies. */
function areFlawless(previous: StageResults, fresh: StageResults): boolean {
  for (const [key, { inconsistencies }] of fresh) {
    if (inconsistencies.length + previous.get(key)!.inconsistencies.length > 0) return false
  }
  return true
}

/** The differences from the previous generation. */
export interface Changes {
  readonly tables: ReadonlySet<string>
  readonly functions: ReadonlySet<string>
  readonly catalog: boolean
  readonly sources: ReadonlySet<string>
  /** The results of slices so far, to compare with the previous ones. */
  readonly results: ReadonlyMap<string, { readonly model: unknown }>
}

/** The differences in the inputs other than the document. */
export function outsideChanges(
  previous: Generation | null,
  next: Generation,
): Pick<Changes, 'functions' | 'catalog' | 'sources'> {
  return {
    functions: changedKeys(previous?.catalog.functions, next.catalog.functions),
    sources: changedKeys(previous?.sources, next.sources),
    catalog: previous?.catalog !== next.catalog,
  }
}

/** Whether no recorded read can have changed; `previous` are the results that slices had. */
function isWithoutChanges(changes: Changes, previous: Changes['results']): boolean {
  const { tables, functions, sources, catalog, results } = changes
  if (catalog || tables.size + functions.size + sources.size > 0) return false
  for (const [key, { model }] of results) if (previous.get(key)?.model !== model) return false
  return true
}

/** Whether a recorded read has changed. */
export function isTouched(reads: Reads, changes: Changes): boolean {
  if ((reads.catalog && changes.catalog) || meets(reads.tables, changes.tables)) return true
  if (meets(reads.functions, changes.functions) || meets(reads.sources, changes.sources)) return true
  for (const [key, seen] of reads.results) if (changes.results.get(key)?.model !== seen) return true
  return false
}

/** Whether two sets have a member in common. */
function meets(a: ReadonlySet<string>, b: ReadonlySet<string>): boolean {
  if (a.size > b.size) return meets(b, a)
  for (const item of a) if (b.has(item)) return true
  return false
}
