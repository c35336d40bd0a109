// Effects of catalog changes on the metadata: dependents of dropped objects are removed or refuse the request, renames are
// applied, and types that expressions rely on must stay.

import { setImmediate as nextTurn } from 'node:timers/promises'
import { badRequest, compareText, nameKey, nameText, type QualifiedName } from '../../sdk/index.ts'
import {
  type CatalogFunction,
  type CatalogTable,
  type Dependency,
  dependentText,
  findTable,
  type ObjectRef,
  type OperationContext,
  objectKey,
  type Rename,
  withColumnsRenamed,
  wordingOf,
} from '../../sdk/metadata.ts'
import { releaseDependents } from '../tables/index.ts'
import {
  type CatalogChanges,
  droppedColumns,
  droppedForeignKeys,
  inSafeOrder,
  readChanges,
  renamedColumns,
  renamedTables,
  retypedColumns,
  type SurvivingTable,
} from './catalog-changes.ts'
import { readFunctionChanges } from './function-changes.ts'
import {
  followTrackedFunctions,
  lostComputedFields,
  refuseComputedFieldChanges,
  refuseOverloads,
  replacedFunctions,
} from './function-effects.ts'

/** The state before a change of the transaction, and the treatment of dependents. */
interface FollowedChange {
  readonly tables: readonly CatalogTable[]
  readonly functions: readonly CatalogFunction[]
  readonly cascade: boolean
}

/** Adapts the draft to the transaction's changes of the objects that it names. */
export async function followCatalog(
  context: OperationContext,
  { tables, functions, cascade }: FollowedChange,
): Promise<void> {
  const { transaction, metadata } = context
  const changes = await readChanges(transaction, tables)
  const functionChanges = await readFunctionChanges(transaction, functions)
  refuseOverloads(metadata, functionChanges)
  const lost = [...lostComputedFields(metadata, functionChanges), ...replacedFunctions(metadata, functionChanges)]
  releaseDropped(context, changes, { cascade, lost })
  followTrackedFunctions(metadata, functionChanges)
  refuseRetyped(context, changes)
  for (const table of changes.dropped) context.remove({ kind: 'table', table: plainName(table) })
  refuseComputedFieldChanges(metadata, functionChanges)
  for (const table of changes.surviving) {
    forgetColumns(context, table)
    await followColumns(context, table)
  }
  await followTables(context, changes)
}

const plainName = ({ schema, name }: QualifiedName): QualifiedName => ({ schema, name })

function releaseDropped(
  context: OperationContext,
  changes: CatalogChanges,
  { lost, cascade }: { readonly lost: readonly ObjectRef[]; readonly cascade: boolean },
): void {
  const gone = new Set(changes.dropped.map(nameKey))
  const isGone = ({ table }: ObjectRef) => table !== undefined && gone.has(nameKey(table))
  const droppedParts = new Set(changes.surviving.flatMap((table) => partsDropped(table, changes)).map(objectKey))
  const dependencies = gone.size === 0 && droppedParts.size === 0 ? [] : context.model.dependencies
  const dependents = dependencies.filter(
    ({ object, on }) => !isGone(object) && (isGone(on) || droppedParts.has(objectKey(on))),
  )
  const alsoLost = lost.filter((object) => !isGone(object)).map((object) => ({ object }))
  releaseDependents([...dependents, ...alsoLost], cascade, context)
}

function partsDropped(change: SurvivingTable, changes: CatalogChanges): ObjectRef[] {
  const table = plainName(change.before)
  const columns = droppedColumns(change).map(({ name }) => ({ kind: 'column', table, name }))
  return [...columns, ...droppedForeignKeys(change, changes).map(({ name }) => ({ kind: 'constraint', table, name }))]
}

function refuseRetyped(context: OperationContext, { surviving }: CatalogChanges): void {
  const { model } = context
  const retyped = surviving.flatMap((change) => {
    const table = plainName(change.before)
    return retypedColumns(change).map(({ name }) => ({ kind: 'column', table, name }))
  })
  if (retyped.length === 0) return
  const typed = model.dependencies.filter(({ reason }) => reason === 'on_type')
  const users = Map.groupBy(typed, ({ on }) => objectKey(on))
  for (const column of retyped) {
    const dependencies = users.get(objectKey(column))
    if (!dependencies) continue
    const what = `cannot change type of column "${column.name}" in table "${nameText(column.table)}"`
    throw badRequest(
      'dependency-error',
      `${what} because of the following dependencies : ${objectList(dependencies, context)}`,
    )
  }
}

function objectList(
  dependencies: readonly Dependency[],
  context: Pick<OperationContext, 'model' | 'interface'>,
): string {
  const wording = wordingOf(context.model, context)
  return [...new Set(dependencies.map(({ object }) => dependentText(object, wording)))].sort(compareText).join(', ')
}

/** Removes custom names of dropped columns. */
function forgetColumns({ metadata }: OperationContext, change: SurvivingTable): void {
  const gone = droppedColumns(change)
  const entry = gone.length > 0 ? findTable(metadata, change.before) : undefined
  if (!entry?.configuration) return
  const isGone = (column: string) => gone.some(({ name }) => name === column)
  entry.configuration = withColumnsRenamed(entry.configuration, (column) => (isGone(column) ? null : column))
}

async function followColumns(context: OperationContext, change: SurvivingTable): Promise<void> {
  const table = plainName(change.before)
  const renamed = renamedColumns(change)
  for (const { from, to } of renamed) refuseTakenName(context, change.before, from, to)
  // No column name contains NUL, so the detour conflicts with nothing.
  const names = { key: (name: string) => name, detour: (name: string) => `${name}\u0000` }
  for (const { from, to } of inSafeOrder(renamed, names)) await follow(context, { kind: 'column', table, from, to })
}

/** Applies a rename; it walks all of the metadata, so it yields to other requests afterwards. */
async function follow(context: OperationContext, rename: Rename): Promise<void> {
  context.rename(rename)
  await nextTurn()
}

function refuseTakenName({ model }: OperationContext, table: CatalogTable, from: string, to: string): void {
  const field = model.tables.get(nameKey(table))?.fields.get(to)
  if (field?.kind !== 'relationship') return
  const what = `cannot rename column "${from}" to "${to}" in table "${nameText(table)}"`
  throw badRequest('already-exists', `${what} as a relationship with the name already exists`)
}

async function followTables(context: OperationContext, changes: CatalogChanges): Promise<void> {
  const names = {
    key: nameKey,
    detour: ({ schema, name }: QualifiedName) => ({ schema, name: `${name}\u0000` }),
  }
  for (const { from, to } of inSafeOrder(renamedTables(changes), names))
    await follow(context, { kind: 'table', from, to })
}
