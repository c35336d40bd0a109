// The metadata document, an entry a row, and the function by which a statement refuses rows that break a permission.

import { randomUUID } from 'node:crypto'
import type { NamedMigration } from './migration.ts'

export const metadataTables: NamedMigration = {
  name: '0001-metadata',
  async up(knex) {
    await knex.schema.withSchema('trellis').createTable('metadata', (table) => {
      // One row: the key has one value only.
      table.boolean('only').primary().defaultTo(true).checkIn(['true'])
      table.uuid('id').notNullable()
      table.bigInteger('resource_version').notNullable()
    })
    await knex('trellis.metadata').insert({ id: randomUUID(), resource_version: 0 })
    await knex.schema.withSchema('trellis').createTable('metadata_entry', (table) => {
      table.text('slice').notNullable()
      table.text('key').notNullable()
      table.json('entry').notNullable()
      table.primary(['slice', 'key'])
    })
    // Volatile, so that it is called for each row of a check and never planned away.
    await knex.raw(`
      create function trellis.check_violation(message text) returns boolean
      language plpgsql volatile as $$
      begin
        raise exception using errcode = '23514', message = message;
      end
      $$`)
  },
  async down(knex) {
    await knex.raw('drop function trellis.check_violation(text)')
    await knex.schema.withSchema('trellis').dropTable('metadata_entry').dropTable('metadata')
  },
}
