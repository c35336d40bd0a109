// What the metadata needs from elsewhere, another server's schema for instance, as it was fetched last.

import type { NamedMigration } from './migration.ts'

export const metadataSource: NamedMigration = {
  name: '0005-metadata-source',
  async up(knex) {
    await knex.schema.withSchema('trellis').createTable('metadata_source', (table) => {
      table.text('source').notNullable()
      table.text('id').notNullable()
      // Of the definition that it was fetched by.
      table.text('digest').notNullable()
      table.json('value').notNullable()
      table.primary(['source', 'id'])
    })
  },
  async down(knex) {
    await knex.schema.withSchema('trellis').dropTable('metadata_source')
  },
}
