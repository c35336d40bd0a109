// The record of the migrations that ran: `trellis.project_migrations`, mirrored where the original command line looks.

import pg from 'pg'
import { isJsonObject } from '../../core/json/json.ts'
import { Failure } from '../exits.ts'
import type { Json } from '../project/parts.ts'
import type { Target } from '../target/target.ts'
import { compareVersions, type Migration } from './files.ts'

/** A migration that ran. */
export interface Applied {
  readonly version: string
  readonly name: string | null
  /** Null if another program ran it. */
  readonly checksum: string | null
  readonly appliedAt: string | null
}

/** Identifies the lock of all changes by migrations in a database. */
const lockKey = '7310868735955493747'

const oneLine = (text: string): string => text.replace(/\s+/g, ' ')

const createTable = oneLine(`
  if to_regclass('trellis.project_migrations') is null then
    if to_regnamespace('trellis') is null then create schema trellis; end if;
    create table trellis.project_migrations (
      source text not null, version bigint not null, name text, checksum text,
      applied_at timestamptz not null default now(), applied_by text not null default current_user,
      primary key (source, version));
  end if;`)

const lock = oneLine(`
  if not pg_try_advisory_xact_lock(${lockKey}) then
    raise exception using errcode = '55P03', message = 'another run of migrations holds the lock';
  end if;`)

/** One line, so that the lines of the text after it are one more than its own. */
const block = (body: string): string => `do $trellis$ begin ${body} end $trellis$;\n`

/** A block that runs under the lock of a single change, so that two runs do not create the same table. */
export const guardedBlock = (body: string): string => block(`${lock} ${oneLine(body)}`)

interface Place {
  readonly source: string
  readonly version: string
}

const isRecorded = ({ source, version }: Place): string =>
  `exists (select from trellis.project_migrations where source = ${pg.escapeLiteral(source)} and version = ${version})`

/** Holds the lock for the transaction, and refuses a migration that another run has applied or undone meanwhile. */
const guard = (place: Place, isUp: boolean): string => {
  const word = isUp ? 'applied' : 'undone'
  const refusal = `raise exception using errcode = '55P03', message = 'another run has ${word} it meanwhile';`
  return block(`${lock} ${createTable} if ${isUp ? '' : 'not '}${isRecorded(place)} then ${refusal} end if;`)
}

const record = (
  source: string,
  { version, name, checksum }: Pick<Migration, 'version' | 'name' | 'checksum'>,
): string =>
  `insert into trellis.project_migrations (source, version, name, checksum)
    values (${pg.escapeLiteral(source)}, ${version}, ${pg.escapeLiteral(name)}, ${pg.escapeLiteral(checksum)})
    on conflict (source, version) do update set name = excluded.name, checksum = excluded.checksum;
  ${mirror(`insert into hdb_catalog.schema_migrations (version, dirty) values (${version}, false) on conflict do nothing`)}`

const forget = ({ source, version }: Place): string =>
  `delete from trellis.project_migrations where source = ${pg.escapeLiteral(source)} and version = ${version};
  ${mirror(`delete from hdb_catalog.schema_migrations where version = ${version}`)}`

const mirror = (statement: string): string =>
  block(`if to_regclass('hdb_catalog.schema_migrations') is not null then ${statement}; end if;`)

/** The text that applies a migration and records it; the text of the file begins in line 2. */
export const upText = (source: string, migration: Migration): string =>
  `${guard({ source, version: migration.version }, true)}${migration.up}\n;\n${record(source, migration)}`

/**
 * The text that undoes a migration and forgets it; the text of the file begins in line 2. The record of another program
 * (`isForeign`) cannot be checked.
 */
export const downText = (place: Place, down: string, isForeign: boolean): string =>
  `${isForeign ? block(`${lock} ${createTable}`) : guard(place, false)}${down}\n;\n${forget(place)}`

/** The text that only records or forgets a migration. */
export const markText = (source: string, migration: Migration): string =>
  `${block(`${lock} ${createTable}`)}${record(source, migration)}`

/** The text that only forgets a migration. */
export const forgetText = (place: Place): string => `${block(`${lock} ${createTable}`)}${forget(place)}`

/** The statements around a migration without a transaction, for one connection. */
export const aloneTexts = {
  lock: `select pg_try_advisory_lock(${lockKey}) as locked`,
  create: block(createTable),
  isRecorded: (place: Place) => `select ${isRecorded(place)} as recorded`,
  record,
  forget,
}

/** Reads the migrations that ran, from all records. */
export async function readApplied(target: Target): Promise<ReadonlyMap<string, Applied>> {
  const { source } = target
  const [, found = []] = await target.sql(
    `select (to_regclass('trellis.project_migrations') is not null)::int::text, (to_regclass('hdb_catalog.schema_migrations') is not null)::int::text`,
    { isReadOnly: true },
  )
  const applied = new Map<string, Applied>()
  if (found[1] === '1') {
    const text = 'select version::text, dirty::int::text from hdb_catalog.schema_migrations'
    for (const [version, dirty] of (await target.sql(text, { isReadOnly: true })).slice(1)) {
      addForeign(applied, version!, dirty === '1')
    }
  }
  for (const [version, dirty] of Object.entries(migrationsIn(await readState(target), source))) {
    addForeign(applied, version, dirty === true)
  }
  if (found[0] === '1') {
    const text = `select version::text, coalesce(name, ''), coalesce(checksum, ''), applied_at::timestamptz(0)::text
      from trellis.project_migrations where source = ${pg.escapeLiteral(source)}`
    for (const [version, name, checksum, appliedAt] of (await target.sql(text, { isReadOnly: true })).slice(1)) {
      applied.set(version!, {
        version: version!,
        name: name || null,
        checksum: checksum || null,
        appliedAt: appliedAt!,
      })
    }
  }
  return new Map([...applied].sort(([a], [b]) => compareVersions(a, b)))
}

function addForeign(applied: Map<string, Applied>, version: string, isDirty: boolean): void {
  if (isDirty) {
    const advice = `finish or undo it by hand, then trellis migrate mark ${version} applied or pending`
    throw new Failure('failed', `migration ${version} is half done by another program: ${advice}`)
  }
  if (/^\d{1,18}$/.test(version)) applied.set(version, { version, name: null, checksum: null, appliedAt: null })
}

/** The state of the original command line in the catalog; null for servers without one. */
async function readState(target: Target): Promise<Json | null> {
  try {
    const answer = await target.run<Json>({ type: 'get_catalog_state', args: {} })
    return isJsonObject(answer['cli_state']) ? answer['cli_state'] : {}
  } catch (error) {
    if (error instanceof Failure && error.exit === 'failed' && !/admin secret/.test(error.message)) return null
    throw error
  }
}

function migrationsIn(state: Json | null, source: string): Json {
  const all = state?.['migrations']
  const own = isJsonObject(all) ? all[source] : null
  return isJsonObject(own) ? own : {}
}

/** Writes changes into the state of the original command line. */
export async function mirrorState(target: Target, changes: ReadonlyMap<string, boolean>): Promise<void> {
  const state = await readState(target)
  if (state === null) return
  const own = new Map(Object.entries(migrationsIn(state, target.source)))
  for (const [version, isApplied] of changes) {
    if (isApplied) own.set(version, false)
    else own.delete(version)
  }
  const all = isJsonObject(state['migrations']) ? state['migrations'] : {}
  const settings = isJsonObject(state['settings']) ? state['settings'] : { migration_mode: 'true' }
  const migrations = { ...all, [target.source]: Object.fromEntries(own) }
  const next = { ...state, migrations, settings, isStateCopyCompleted: true }
  await target.run({ type: 'set_catalog_state', args: { type: 'cli', state: next } })
}
