// Which migrations of plugins were run.

import type { NamedMigration } from './migration.ts'

export const pluginMigrations: NamedMigration = {
  name: '0004-plugin-migrations',
  async up(knex) {
    await knex.schema.withSchema('trellis').createTable('plugin_migration', (table) => {
      table.text('plugin').notNullable()
      table.text('name').notNullable()
      table.timestamp('run_at').notNullable().defaultTo(knex.fn.now())
      table.primary(['plugin', 'name'])
    })
  },
  async down(knex) {
    await knex.schema.withSchema('trellis').dropTable('plugin_migration')
  },
}
