// What tools that talk to the server remember in it.

import type { NamedMigration } from './migration.ts'

export const catalogState: NamedMigration = {
  name: '0002-catalog-state',
  async up(knex) {
    await knex.schema.withSchema('trellis').createTable('catalog_state', (table) => {
      table.text('tool').primary()
      table.json('state').notNullable()
    })
  },
  async down(knex) {
    await knex.schema.withSchema('trellis').dropTable('catalog_state')
  },
}
