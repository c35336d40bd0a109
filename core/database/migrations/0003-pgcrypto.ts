// Functions that people's own migrations call, most of all `public.gen_random_uuid()`; nothing here needs them.

import type { NamedMigration } from './migration.ts'

export const pgcrypto: NamedMigration = {
  name: '0003-pgcrypto',
  async up(knex) {
    // Where the database does not have it, or the role may not create it, all goes on without it.
    await knex.raw(`
      do $$
      begin
        if not exists (select from pg_catalog.pg_extension where extname = 'pgcrypto') then
          create extension pgcrypto schema public;
        end if;
      exception when others then null;
      end $$`)
  },
  async down() {
    // Others may rely on it by then.
  },
}
