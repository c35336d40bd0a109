// The function that makes event ids, which all ledgers share.

import type { Migration } from '../../sdk/index.ts'

/**
 * Ids that grow with time keep new rows together in the indexes, so `uuidv7()` is preferred where PostgreSQL has it. Older
 * versions use `gen_random_uuid()`, and PostgreSQL 12 a random text.
 */
export const deliveryMigrations: readonly Migration[] = [
  {
    name: '0001-baseline',
    sql: `
      do $$
      declare
        made text := case
          when to_regprocedure('pg_catalog.uuidv7()') is not null then 'pg_catalog.uuidv7()::text'
          when to_regprocedure('pg_catalog.gen_random_uuid()') is not null then 'pg_catalog.gen_random_uuid()::text'
          else 'md5(random()::text || clock_timestamp()::text || random()::text)::uuid::text'
        end;
      begin
        execute 'create function trellis.new_event_id() returns text language sql volatile as ' || quote_literal('select ' || made);
      end $$`,
  },
]
