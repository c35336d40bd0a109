// A step of the schema's history.

import type { Knex } from 'knex'

export interface NamedMigration extends Knex.Migration {
  readonly name: string
}
