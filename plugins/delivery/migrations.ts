// What the ledgers of deliveries have in common in the database.

import type { Migration } from '../../sdk/index.ts'

/**
 * The ids of events: of PostgreSQL's own function, or for versions without it of random text. Where there are ids that grow
 * with time these are taken: what is new stands together in indexes, however large they are.
 */
export const deliveryMigrations: readonly Migration[] = [
  {
    name: '0001-event-ids',
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
  {
    name: '0002-ids-in-order',
    sql: `
      do $$
      begin
        if to_regprocedure('pg_catalog.uuidv7()') is not null then
          create or replace function trellis.new_event_id() returns text language sql volatile as
            'select pg_catalog.uuidv7()::text';
        end if;
      end $$`,
  },
]
