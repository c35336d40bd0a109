// The state that a refused request must leave unchanged.

import type { TestTrellis } from '../support/trellis.ts'

/** Relations with their columns, functions, triggers, constraints and indexes, as PostgreSQL lists them. */
const catalog = `
  select 'column' as kind, attrelid::regclass::text as of, attname::text as name,
         format_type(atttypid, atttypmod) || attnotnull || attisdropped as is
    from pg_attribute join pg_class c on c.oid = attrelid where attnum > 0 and relnamespace::regnamespace::text = any($1)
  union all
  select 'function', oid::regprocedure::text, proname, md5(prosrc) || provolatile::text from pg_proc
    where pronamespace::regnamespace::text = any($1)
  union all
  select 'trigger', tgrelid::regclass::text, tgname, pg_get_triggerdef(oid) from pg_trigger where not tgisinternal
  union all
  select 'constraint', conrelid::regclass::text, conname, pg_get_constraintdef(oid) from pg_constraint
    where connamespace::regnamespace::text = any($1)
  union all
  select 'comment', objoid::text || '.' || objsubid, classoid::regclass::text, description from pg_description
    where objoid > 16383
  order by 1, 2, 3, 4`

/** Without the tables of the clock, which writes at any time. */
const tables = `
  select oid::regclass::text as name from pg_class
    where relkind = 'r' and relnamespace::regnamespace::text = any($1) and relname <> 'agenda_job' order by 1`

/** Jobs without their due times and runs, which the clock writes at any time. */
const jobs = `(select name, schedule, is_paused, '' as xmin from trellis.job)`

/** Each table's rows with the transactions that wrote them, so that even a rewrite of an equal row is noticed. */
async function rowsOf({ sql }: Pick<TestTrellis, 'sql'>, schemas: readonly string[]): Promise<unknown> {
  const names = await sql<{ name: string }>(tables, [schemas])
  const digest = (name: string) => {
    const rows = name === 'trellis.job' ? jobs : name
    return `select '${name.replaceAll("'", "''")}' as name, md5(string_agg(t::text || t.xmin::text, ',' order by t::text)) from ${rows} t`
  }
  return sql(`${names.map(({ name }) => digest(name)).join(' union all ')} order by 1`)
}

/** The schemas that could have changed. */
async function schemas({ sql }: Pick<TestTrellis, 'sql'>): Promise<string[]> {
  const rows = await sql<{ name: string }>(
    `select nspname::text as name from pg_namespace where nspname !~ '^pg_' and nspname <> 'information_schema' order by 1`,
  )
  return rows.map(({ name }) => name)
}

/** Compressing such large answers takes long. */
const headers = { 'accept-encoding': 'identity' }

/** The state as configured, served and stored, and the catalog of PostgreSQL. */
export async function stateOf(trellis: TestTrellis): Promise<object> {
  const { op, sql } = trellis
  const names = await schemas(trellis)
  return {
    document: await op('export_metadata', {}, { version: 2, headers }),
    model: await op('dump_internal_state', {}, { headers }),
    schemas: names,
    catalog: await sql(catalog, [names]),
    rows: await rowsOf(trellis, names),
  }
}
