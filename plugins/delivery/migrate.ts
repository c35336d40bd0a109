// Makes the tables of a ledger, each version once, whatever the number of instances that start.

import type { Database } from '../../sdk/sql.ts'

/** A step in the history of a ledger's tables; one that was released is never edited. */
export interface LedgerMigration {
  readonly name: string
  readonly sql: string
}

/** Any number that nobody else locks by. */
const advisoryLock = 7_253_146_509

/** Runs the steps that the database does not have yet. */
export async function migrateLedger(
  database: Pick<Database, 'transaction'>,
  migrations: readonly LedgerMigration[],
): Promise<void> {
  await database.transaction(
    async (transaction) => {
      await transaction.rows('select pg_advisory_xact_lock($1)', [advisoryLock])
      const [{ found }] = (await transaction.rows<{ found: boolean }>(
        `select to_regclass('trellis.ledger_migration') is not null as found`,
      )) as [{ found: boolean }]
      if (!found) await transaction.script('create table trellis.ledger_migration (name text primary key)')
      const applied = await transaction.rows<{ name: string }>('select name from trellis.ledger_migration')
      for (const { name, sql } of migrations) {
        if (applied.some((row) => row.name === name)) continue
        await transaction.script(sql)
        await transaction.rows('insert into trellis.ledger_migration (name) values ($1)', [name])
      }
    },
    { isolation: 'read-committed' },
  )
}

/** The ids of events: of PostgreSQL's own function, or for versions without it of random text. */
export const deliveryMigrations: readonly LedgerMigration[] = [
  {
    name: '0000-event-ids',
    sql: `
      do $$
      declare
        made text := 'md5(random()::text || clock_timestamp()::text || random()::text)::uuid::text';
      begin
        if to_regprocedure('pg_catalog.gen_random_uuid()') is not null then
          made := 'pg_catalog.gen_random_uuid()::text';
        end if;
        execute 'create function trellis.new_event_id() returns text language sql volatile as ' || quote_literal('select ' || made);
      end $$`,
  },
]
