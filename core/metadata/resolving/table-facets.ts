// The later stages of a table's model: the objects that facets keep in its entry. Broken objects are listed and
// excluded.

import { badRequest, TrellisError } from '../../errors/errors.ts'
import { messageOf } from '../../errors/thrown.ts'
import { nameText } from '../../names/names.ts'
import type { TableEntry } from '../document/document.ts'
import type { FieldModel, TableModel } from '../document/model.ts'
import type { Dependency, Inconsistency } from '../document/objects.ts'
import { facetEntries } from '../slices/facet-format.ts'
import type { Facet, ObjectDescription, TableDraft } from '../slices/slices.ts'
import type { FacetContext } from './resolve-context.ts'

/** A table after one stage, and the results of its objects. */
export interface FacetsResult {
  readonly table: TableModel
  readonly inconsistencies: readonly Inconsistency[]
  readonly dependencies: readonly Dependency[]
}

interface ResolvedObject {
  readonly description: ObjectDescription
  readonly fields: ReadonlyMap<string, FieldModel>
  readonly dependencies: readonly Dependency[]
}

/** Most tables have no extensions; one map for all of them keeps a walk over thousands of tables in the cache. */
const noExtensions: TableModel['extensions'] = new Map()

/** Resolves the entries of the given facets and attaches them to a copy of the table. */
export function resolveFacets(
  facets: readonly Facet[],
  entry: TableEntry,
  table: TableModel,
  context: FacetContext,
): FacetsResult {
  const inconsistencies: Inconsistency[] = []
  const resolved: ResolvedObject[] = []
  const shared = {
    permissions: new Map(table.permissions),
    extensions: new Map([...table.extensions].map(([key, values]) => [key, new Map(values)])),
  }
  for (const facet of facets) {
    context.after = facet.after ?? []
    context.fields = new Map(resolved.flatMap(({ fields }) => [...fields]))
    for (const each of facetEntries(entry, facet)) {
      const description = facet.describe(entry.table, each)
      const draft: TableDraft = { ...shared, fields: new Map() }
      const recorded = context.dependencies.length
      context.object = description.ref
      const failure = failureOf(() => {
        const result = facet.resolve(each, table, context)
        const identity = facet.identify(each)
        if (facet.attach) facet.attach(draft, identity, result, each)
        else extend(draft, facet.key, identity, result)
        refuseColumnNames(table, draft)
      })
      const dependencies = context.dependencies.splice(recorded)
      if (failure === null) resolved.push({ description, fields: draft.fields, dependencies })
      else inconsistencies.push({ ...description, ...failure })
    }
  }
  const { served, conflicts } = settleConflicts(resolved)
  const members = served.flatMap(({ fields }) => [...fields])
  const extensions = shared.extensions.size > 0 ? shared.extensions : noExtensions
  return {
    table: {
      ...table,
      ...shared,
      extensions,
      fields: members.length > 0 ? new Map([...table.fields, ...members]) : table.fields,
    },
    inconsistencies: [...inconsistencies, ...conflicts],
    dependencies: served.flatMap(({ dependencies }) => dependencies),
  }
}

function extend({ extensions }: TableDraft, key: string, identity: string, resolved: unknown): void {
  const known = extensions.get(key) ?? new Map<string, unknown>()
  extensions.set(key, known.set(identity, resolved))
}

/** The error that the work threw, as a reason; null when it succeeded. */
function failureOf(work: () => void): Pick<Inconsistency, 'reason' | 'help'> | null {
  try {
    work()
    return null
  } catch (error) {
    const reason = messageOf(error)
    return error instanceof TrellisError && error.help ? { reason, help: error.help } : { reason }
  }
}

/** The names that a member occupies: an array relationship also occupies the name of its aggregate. */
const takenNames = (name: string, field: FieldModel): string[] =>
  field.kind === 'relationship' && field.type === 'array' ? [name, `${name}_aggregate`] : [name]

function refuseColumnNames(table: TableModel, { fields }: TableDraft): void {
  for (const [name, field] of fields) {
    if (table.columns.has(name)) throw conflictingField('postgres column', table, name, name)
    for (const taken of takenNames(name, field)) {
      const other = table.fields.get(taken)
      if (other?.kind !== 'column') continue
      const kind = other.name === taken ? 'postgres column' : `custom field name for postgres column "${other.name}"`
      throw conflictingField(kind, table, name, taken)
    }
  }
}

/** The refusal of a field whose name is taken; clients know the message, so the hint names the field and its table. */
function conflictingField(kind: string, { name: table }: TableModel, field: string, taken: string): TrellisError {
  const aggregate = taken === field ? '' : `, whose aggregate is "${taken}",`
  const hint = `give the field "${field}" of table "${nameText(table)}"${aggregate} a name that no column has`
  return badRequest('constraint-violation', `field definition conflicts with ${kind}`, { help: () => ({ hint }) })
}

/** Objects that claim the same name are all excluded, and listed as one conflict. */
function settleConflicts(resolved: readonly ResolvedObject[]): {
  readonly served: readonly ResolvedObject[]
  readonly conflicts: readonly Inconsistency[]
} {
  const claims = new Map<string, Set<ResolvedObject>>()
  for (const object of resolved) {
    for (const [name, field] of object.fields) {
      for (const taken of takenNames(name, field)) claims.set(taken, (claims.get(taken) ?? new Set()).add(object))
    }
  }
  const lost = new Set<ResolvedObject>()
  const conflicts: Inconsistency[] = []
  for (const [name, objects] of claims) {
    const [first, ...others] = [...objects].filter((object) => !lost.has(object))
    if (objects.size < 2 || !first) continue
    for (const object of objects) lost.add(object)
    const reason = `conflicting definitions for field "${name}"`
    conflicts.push({ ...first.description, reason, others: others.map(({ description }) => description) })
  }
  return { served: resolved.filter((object) => !lost.has(object)), conflicts }
}
