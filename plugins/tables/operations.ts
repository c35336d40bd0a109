// Tracking tables, and configuring tracked tables.

import { badRequest, type Dialect, graphqlBaseName, nameText, type QualifiedName, sameName } from '../../sdk/index.ts'
import {
  completeConfiguration,
  dependenciesOn,
  findTable,
  isEmptyConfiguration,
  type MetadataDocument,
  type Model,
  type ObjectRef,
  type OperationContext,
  operation,
  similarTable,
  type TableConfiguration,
  type TableEntry,
} from '../../sdk/metadata.ts'
import { releaseDependents } from './dependents.ts'
import { requireTable } from './entries.ts'
import { mayTakeOrderByName, takenOrderByName } from './graphql/queries/order-by.ts'
import {
  type ListedTable,
  SetTableCustomFieldsArgs,
  SetTableCustomizationArgs,
  SetTableIsEnumArgs,
  type TrackedTable,
  TrackTableArgs,
  TrackTableV2Args,
  trackedParts,
  UntrackTableArgs,
} from './schema.ts'
import { isSystemTable } from './system-tables.ts'

/** The reference to a table. */
export const tableRef = (table: QualifiedName): ObjectRef => ({ kind: 'table', table })

function configure(entry: TableEntry, configuration: TableConfiguration): void {
  if (isEmptyConfiguration(configuration)) delete entry.configuration
  else entry.configuration = configuration
}

function setIsEnum(entry: TableEntry, isEnum: boolean): void {
  if (isEnum) entry.is_enum = true
  else delete entry.is_enum
}

/** The part of a document that is read beside its tables. */
interface Functions extends Pick<MetadataDocument, 'tables'> {
  readonly functions?: readonly { readonly function: QualifiedName }[]
}

/** Refuses a table that is tracked already, or whose name a function has. */
function refuseUntrackable(metadata: MetadataDocument, table: QualifiedName, dialect: Dialect): void {
  // As tools see it, the system tables are tracked from the beginning.
  if (findTable(metadata, table) || isSystemTable(table, dialect)) {
    throw badRequest('already-tracked', `view/table already tracked : "${nameText(table)}"`)
  }
  // Absent without the plugin of functions.
  const { functions }: Functions = metadata
  if (functions?.some((entry) => sameName(entry.function, table))) {
    throw badRequest('not-supported', `function with name "${nameText(table)}" already exists`)
  }
}

/** Refuses a name by which types of others would get other names. */
function refuseTakenNames(model: Model, table: QualifiedName, name = graphqlBaseName(table)): void {
  const taken = takenOrderByName(model, table, name)
  if (taken === null) return
  const message = `the type "${taken}" is of another table: give the table "${nameText(table)}" another name with custom_name`
  throw badRequest('unexpected', message)
}

/** Settings that a table is tracked with. */
type TableSettings = Omit<ListedTable, 'table' | 'source'>

/** Adds a table to the draft under its configured names; refuses one that cannot be tracked. */
export function trackConfigured(
  { metadata, model, dialect }: Pick<OperationContext, 'metadata' | 'model' | 'dialect'>,
  table: TrackedTable,
  { configuration, ...parts }: TableSettings = {},
): void {
  refuseUntrackable(metadata, table.table, dialect)
  refuseTakenNames(model, table.table, configuration?.custom_name)
  const entry: TableEntry = { table: table.table }
  setIsEnum(entry, table.is_enum ?? false)
  if (configuration) configure(entry, configuration)
  for (const part of trackedParts) if (parts[part]) Object.assign(entry, { [part]: parts[part] })
  metadata.tables.push(entry)
}

/** The model has to show whether another table's types give a table its name; see {@link refuseTakenNames}. */
const trackingGroup = (table: QualifiedName): string | null => (mayTakeOrderByName(table) ? null : 'track tables')

const trackTableV1 = {
  about: { summary: 'Adds a table or view to the GraphQL schema.' },
  args: TrackTableArgs,
  group: ({ table }: TrackedTable) => trackingGroup(table),
  check: 'object',
  object: ({ table }: TrackedTable) => tableRef(table),
  help: ({ transaction }: Pick<OperationContext, 'transaction'>, { table }: TrackedTable) =>
    similarTable(transaction, table),
} as const

export const trackTable = operation({
  ...trackTableV1,
  type: 'track_table',
  handle(context, tracked) {
    trackConfigured(context, tracked)
    context.refreshCatalog([tracked.table])
  },
})

/** The operation's name before views and materialized views were called tables too. */
export const addExistingTableOrView = operation({
  ...trackTable,
  type: 'add_existing_table_or_view',
  about: { summary: 'Another name of track_table.' },
})

export const trackTableV2 = operation({
  type: 'track_table',
  version: 2,
  about: { summary: 'Adds a table or view to the GraphQL schema, under names of its own.' },
  args: TrackTableV2Args,
  group: ({ table }) => trackingGroup(table.table),
  check: 'object',
  object: ({ table }) => tableRef(table.table),
  help: ({ transaction }, { table }) => similarTable(transaction, table.table),
  handle(context, { table, ...settings }) {
    trackConfigured(context, table, settings)
    context.refreshCatalog([table.table])
  },
})

/** The refusal of a table that is in no document: the server's own are tracked all the same, as tools see it. */
export function notTracked(table: QualifiedName, dialect: Dialect) {
  const name = `"${nameText(table)}"`
  const isOwn = table.schema === 'trellis' || isSystemTable(table, dialect)
  if (isOwn) return badRequest('not-supported', `${name} is system defined, cannot untrack`)
  return badRequest('already-untracked', `view/table already untracked : ${name}`)
}

export const untrackTable = operation({
  type: 'untrack_table',
  about: { summary: 'Removes a table or view from the GraphQL schema.' },
  args: UntrackTableArgs,
  check: 'new',
  handle(context, { table, cascade = false }) {
    const { metadata, model, dialect, remove } = context
    if (!findTable(metadata, table)) throw notTracked(table, dialect)
    const isInside = (object: ObjectRef) => object.table !== undefined && sameName(object.table, table)
    const elsewhere = dependenciesOn(model, table).filter(({ object }) => !isInside(object))
    releaseDependents(elsewhere, cascade, context)
    remove(tableRef(table))
  },
})

export const setTableIsEnum = operation({
  type: 'set_table_is_enum',
  about: { summary: 'Sets whether the rows of a table are the values of an enum.' },
  args: SetTableIsEnumArgs,
  check: 'object',
  object: ({ table }) => tableRef(table),
  handle({ metadata, refreshCatalog }, { table, is_enum }) {
    setIsEnum(requireTable(metadata, table), is_enum)
    refreshCatalog([table])
  },
})

export const setTableCustomFields = operation({
  type: 'set_table_custom_fields',
  about: { summary: 'Replaces the GraphQL names of root fields and columns of a table.' },
  version: 2,
  args: SetTableCustomFieldsArgs,
  check: 'object',
  object: ({ table }) => tableRef(table),
  handle({ metadata }, { table, ...configuration }) {
    configure(requireTable(metadata, table), completeConfiguration(configuration))
  },
})

export const setTableCustomization = operation({
  type: 'set_table_customization',
  about: { summary: 'Replaces the GraphQL names and descriptions of a table, its root fields and its columns.' },
  args: SetTableCustomizationArgs,
  check: 'object',
  object: ({ table }) => tableRef(table),
  handle({ metadata, model }, { table, configuration }) {
    const entry = requireTable(metadata, table)
    if (configuration.custom_name !== undefined) refuseTakenNames(model, table, configuration.custom_name)
    configure(entry, configuration)
  },
})
