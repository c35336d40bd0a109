// Document + catalog -> model. Tables are resolved in stages. Each result records its reads, and is reused as long as
// none of them changed. So a small edit costs one pass of comparisons, plus resolving the objects that it affects.

import type { Catalog } from '../../catalog/types.ts'
import type { Steps } from '../../concurrency/stepwise.ts'
import type { MetadataDocument } from '../document/document.ts'
import type { DependentPart, Model } from '../document/model.ts'
import type { Dependency, Inconsistency } from '../document/objects.ts'
import { editedTables, tableEntries } from '../document/table-entries.ts'
import { shareNames } from '../naming/root-field-index.ts'
import { type NameConflicts, NameLedger, type TableRootFields, tableRootFields } from '../naming/root-fields.ts'
import type { SourceNaming } from '../naming/source-naming.ts'
import { sourceNaming } from '../slices/given-source.ts'
import type { MetadataRegistry } from '../slices/registry.ts'
import type { Facet, Slice } from '../slices/slices.ts'
import type { SourceStates } from '../slices/sources.ts'
import type { ResolveEnvironment } from './resolve-context.ts'
import { resolveSlices, type SliceResult, type SliceResults } from './resolve-slices.ts'
import {
  baseStage,
  differences,
  facetStage,
  type Generation,
  inconsistenciesOf,
  type NextGeneration,
  outsideChanges,
  runStage,
  type StageOutcome,
  type StageResults,
  tablesOf,
  unusableTable,
} from './resolve-stages.ts'

/** Everything resolved from one document and catalog, and the results that the next generation can reuse. */
export interface Resolution extends Generation {
  readonly document: MetadataDocument
  readonly base: StageResults
  /** The base without tables whose root fields are taken. */
  readonly usable: StageResults
  readonly fields: StageResults
  readonly rules: StageResults
  readonly slices: SliceResults
  /** The names that the source gives to root fields and types of tables. */
  readonly naming: SourceNaming
  readonly tableRootFields: TableRootFields
  /** Root fields that several objects claim; the losers are listed as inconsistent. */
  readonly conflicts: readonly NameConflicts[]
  readonly inconsistencies: readonly Inconsistency[]
}

type Parts = readonly ReadonlyMap<string, DependentPart>[]

/** The input of a generation. */
export interface ResolveInput {
  readonly document: MetadataDocument
  readonly catalog: Catalog
  readonly sources: SourceStates
}

/** Resolves the next generation; unchanged parts are shared with `previous`. */
export function* resolve(
  { document, catalog, sources }: ResolveInput,
  previous: Resolution | null,
  registry: MetadataRegistry,
  environment: ResolveEnvironment,
): Steps<Resolution> {
  const before = previous?.document.tables ?? []
  const next: NextGeneration = {
    ...{ catalog, sources },
    entries: tableEntries(document.tables, before),
    edited: editedTables(before, document.tables),
  }
  const { order } = registry
  const naming = sourceNaming(document.source, environment)
  // Names of another convention are other names of all tables.
  const alike = previous?.naming.isCamel === naming.isCamel ? previous : null
  const base = yield* runStage(alike?.base, next.entries, baseStage(alike, next, { ...environment, naming }))
  const { usable, rootFields } = withoutConflicts(base, previous, { registry, catalog, naming })
  const results = new Map<string, SliceResult>()
  const ledger = new NameLedger(rootFields)
  const outside = outsideChanges(previous, next)
  const facetsOf = (stage: Facet['stage']) => registry.facets.filter((facet) => facet.stage === stage)
  const fieldKeys = facetsOf('fields').map(({ key }) => key)
  const runSlices = function* (slices: readonly Slice[], below: StageOutcome): Steps<void> {
    if (slices.length === 0) return
    const world = { ...environment, catalog, sources, results, fieldKeys, tables: tablesOf(below.results) }
    const changes = { tables: below.changed, results, ...outside }
    yield* resolveSlices(previous?.slices, { slices, document, world, changes, ledger }, results)
  }
  const runFacets = function* (name: Facet['stage'], below: StageOutcome): Steps<StageOutcome> {
    const stage = facetStage({ facets: facetsOf(name), environment, previous, next, below, results })
    const outcome = yield* runStage(previous?.[name], next.entries, stage)
    shareNames(tablesOf(outcome.results), tablesOf(below.results))
    return outcome
  }
  yield* runSlices(order.fields, usable)
  const fields = yield* runFacets('fields', usable)
  yield* runSlices(order.rules, fields)
  const rules = yield* runFacets('rules', fields)
  yield* runSlices(order.end, rules)
  const stages = { base: base.results, usable: usable.results, fields: fields.results, rules: rules.results }
  const slices = inOrder(registry.slices, results)
  // Slices are listed after the slices that they depend on.
  const resolved = inOrder([...order.fields, ...order.rules, ...order.end], results)
  const inconsistencies = [
    ...[stages.usable, stages.fields, stages.rules].flatMap(inconsistenciesOf),
    ...collect([resolved], (part) => part.inconsistencies),
  ]
  const conflicts = [
    ...(rootFields.conflicts ? [rootFields.conflicts] : []),
    ...collect([slices], (part) => part.conflicts),
  ]
  const resolution = {
    catalog,
    sources,
    entries: next.entries,
    ...stages,
    document,
    slices,
    naming,
    tableRootFields: rootFields,
    conflicts,
    inconsistencies,
  }
  const found = yield* checked(modelOf(resolution, unknownVersion), document, registry)
  return found.length === 0 ? resolution : { ...resolution, inconsistencies: [...inconsistencies, ...found] }
}

/** The version of a model that is only looked at. */
const unknownVersion = -1

function* checked(model: Model, document: MetadataDocument, registry: MetadataRegistry): Steps<Inconsistency[]> {
  const all: Inconsistency[] = []
  for (const check of registry.checks) all.push(...(yield* check(model, document)))
  return all
}

function inOrder(slices: readonly Pick<Slice, 'key'>[], results: SliceResults): SliceResults {
  const present = slices.map(({ key }) => [key, results.get(key)] as const)
  return new Map(present.flatMap(([key, result]) => (result ? [[key, result]] : [])))
}

/** The model of a resolution. */
export function modelOf(resolution: Resolution, resourceVersion: number): Model {
  const { usable, fields, rules, slices, inconsistencies } = resolution
  const models = [...slices].map(([key, { model }]) => [key, model])
  const parts: Parts = [usable, fields, rules, slices]
  let dependencies: Dependency[] | undefined
  return {
    resourceVersion,
    parts,
    tables: tablesOf(rules),
    slices: Object.freeze(Object.fromEntries(models)),
    inconsistencies,
    // Large projects have hundreds of thousands of dependencies, and only drops need them.
    get dependencies() {
      dependencies ??= collect(parts, (part) => part.dependencies)
      return dependencies
    },
  }
}

/** The lists of every table and slice, stage by stage. */
function collect<P, T>(stages: readonly ReadonlyMap<string, P>[], listOf: (part: P) => readonly T[]): T[] {
  const all: T[] = []
  for (const stage of stages) {
    for (const part of stage.values()) for (const item of listOf(part)) all.push(item)
  }
  return all
}

/** When two tables claim the same root field, the first by name keeps it and the other is not served. */
function withoutConflicts(
  base: StageOutcome,
  previous: Resolution | null,
  { registry, catalog, naming }: Pick<Resolution, 'catalog' | 'naming'> & { readonly registry: MetadataRegistry },
): { readonly usable: StageOutcome; readonly rootFields: TableRootFields } {
  const { functions } = catalog
  const isSame = previous?.catalog.functions === functions && previous.naming === naming
  const unchanged = isSame && base.changed.size === 0
  const wasFree = isSame && !previous.tableRootFields.conflicts
  const rootFields = unchanged
    ? previous.tableRootFields
    : tableRootFields(
        { tables: tablesOf(base.results), functions, naming },
        wasFree ? base.changed : null,
        registry.generatedTypes,
      )
  const { conflicts, losers } = rootFields
  if (unchanged && conflicts) return { usable: { results: previous.usable, changed: new Set() }, rootFields }
  if (!conflicts) return { usable: { results: base.results, changed: changedSince(previous, base) }, rootFields }
  const results = new Map(base.results)
  for (const [key, reason] of losers) results.set(key, unusableTable(results.get(key)!.table!.name, reason))
  return { usable: { results, changed: differences(previous?.usable, results) }, rootFields }
}

const changedSince = (previous: Resolution | null, base: StageOutcome): ReadonlySet<string> =>
  previous?.tableRootFields.conflicts ? differences(previous.usable, base.results) : base.changed
