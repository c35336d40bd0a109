// Tracking many tables in one operation: all, those of some schemas, or a list.

import {
  badRequest,
  compareText,
  didYouMean,
  nameKey,
  type QualifiedName,
  type Static,
  sameName,
  TrellisError,
} from '../../sdk/index.ts'
import {
  conflictingDefinitions,
  type OperationContext,
  operation,
  reasonText,
  requireSource,
  wordingOf,
} from '../../sdk/metadata.ts'
import { trackConfigured } from './operations.ts'
import { type ListedTable, TrackTablesArgs } from './schema.ts'
import { refuseRepeated, TablesResult, Warnings } from './warnings.ts'

/** Relations of users: no partitions, no objects of extensions, and nothing of the engine or the system. */
const candidates = `
  select n.nspname as schema, c.relname as name
  from pg_catalog.pg_class c
  join pg_catalog.pg_namespace n on n.oid = c.relnamespace
  where c.relkind in ('r', 'p', 'v', 'm', 'f')
    and not c.relispartition
    and n.nspname !~ '^pg_'
    and n.nspname <> all ($1::text[])
    and ($2::text[] is null or n.nspname = any ($2))
    and pg_catalog.has_schema_privilege(n.oid, 'usage')
    and not exists (
      select from pg_catalog.pg_depend d
      where d.classid = 'pg_catalog.pg_class'::regclass and d.objid = c.oid and d.deptype = 'e'
    )`

type Candidate = { readonly schema: string; readonly name: string }

async function untrackedTables(
  { transaction, metadata, dialect }: OperationContext,
  schemas: readonly string[] | null,
): Promise<ListedTable[]> {
  if (schemas !== null) await refuseUnknownSchemas(transaction, schemas)
  const system = dialect.systemSchema === null ? [] : [dialect.systemSchema]
  const own = ['information_schema', 'trellis', 'trellis_system', ...system]
  const found = await transaction.rows<Candidate>(candidates, [own, schemas])
  const known = new Set(metadata.tables.map(({ table }) => nameKey(table)))
  return found
    .filter((name) => !known.has(nameKey(name)))
    .sort((a, b) => compareText(a.schema, b.schema) || compareText(a.name, b.name))
    .map(({ schema, name }) => ({ table: { table: { schema, name } } }))
}

async function refuseUnknownSchemas(
  transaction: OperationContext['transaction'],
  schemas: readonly string[],
): Promise<void> {
  const rows = await transaction.rows<{ name: string }>('select nspname as name from pg_catalog.pg_namespace')
  const known = rows.map(({ name }) => name)
  const unknown = schemas.findIndex((schema) => !known.includes(schema))
  if (unknown === -1) return
  const help = didYouMean(schemas[unknown]!, () => known.filter((name) => !name.startsWith('pg_')))
  const path = ['schemas', unknown]
  throw badRequest('not-exists', `schema "${schemas[unknown]}" does not exist`, { path, help })
}

/** Adds the tables to the draft; those that cannot be served are taken out again, each with its reason. */
class Tracking {
  readonly warnings: Warnings
  tracked: QualifiedName[] = []
  readonly #context: OperationContext

  constructor(context: OperationContext) {
    this.#context = context
    this.warnings = new Warnings('track', context)
  }

  async add(listed: readonly ListedTable[]): Promise<void> {
    for (const { table, ...settings } of listed) {
      try {
        trackConfigured(this.#context, table, settings)
        this.tracked.push(table.table)
      } catch (error) {
        if (!(error instanceof TrellisError)) throw error
        this.warnings.add(table.table, error)
      }
    }
    if (this.tracked.length === 0) return
    this.#context.refreshCatalog(this.tracked)
    while (await this.#takeOut());
  }

  /** Removes tables that would be inconsistent, or whose names collide; false if every table can stay. */
  async #takeOut(): Promise<boolean> {
    const { model, conflictingType } = await this.#context.preview()
    const reasons = new Map<string, string>()
    for (const { ref, reason, others = [] } of model.inconsistencies) {
      for (const { table } of [ref, ...others.map((other) => other.ref)]) {
        if (table && !reasons.has(nameKey(table))) reasons.set(nameKey(table), reason)
      }
    }
    const faulty = this.tracked.filter((table) => reasons.has(nameKey(table)))
    const wording = wordingOf(model, this.#context)
    for (const table of faulty) {
      this.#drop(table, 'constraint-violation', reasonText(reasons.get(nameKey(table))!, wording))
    }
    if (faulty.length > 0) return true
    if (conflictingType === null) return false
    const isNamed = (table: QualifiedName, matches: (name: string) => boolean) => {
      const name = model.tables.get(nameKey(table))?.graphqlName
      return typeof name === 'string' && matches(name)
    }
    const culprit =
      this.tracked.find((table) => isNamed(table, (name) => name === conflictingType)) ??
      this.tracked.find((table) => isNamed(table, (name) => conflictingType.startsWith(`${name}_`)))
    if (!culprit) return false
    this.#drop(culprit, 'unexpected', conflictingDefinitions(conflictingType))
    return true
  }

  #drop(table: QualifiedName, code: string, message: string): void {
    const { metadata } = this.#context
    this.tracked = this.tracked.filter((each) => each !== table)
    const at = metadata.tables.findIndex((entry) => sameName(entry.table, table))
    metadata.tables.splice(at, 1)
    this.warnings.add(table, { code, message })
  }
}

const trackTablesV1 = {
  args: TrackTablesArgs,
  check: 'new',
  async handle(
    context: OperationContext,
    { schemas, tables, allow_warnings: allow = true }: Static<typeof TrackTablesArgs>,
  ) {
    for (const [i, table] of (tables ?? []).entries()) {
      requireSource(context.metadata, table.source, ['tables', i, 'source'])
    }
    if (tables)
      refuseRepeated(
        tables.map(({ table }) => table.table),
        context,
      )
    const tracking = new Tracking(context)
    await tracking.add(tables ?? (await untrackedTables(context, schemas ?? null)))
    const { tracked, warnings } = tracking
    warnings.refuse({ allow, isInVain: tables !== undefined && tracked.length === 0 })
    return warnings.answer(tracked, tables !== undefined)
  },
} as const

export const trackTables = operation({
  ...trackTablesV1,
  type: 'track_tables',
  about: { summary: 'Tracks many tables: all, those of some schemas, or a list.', result: TablesResult },
})

/** The name of the operation in later engines. */
export const pgTrackTables = operation({
  ...trackTables,
  type: 'pg_track_tables',
  about: { summary: 'Another name of track_tables.', result: TablesResult },
})
