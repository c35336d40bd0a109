// Which database Agenda keeps its entries in.

import { type Dialect, OptionRefusal } from '../../sdk/index.ts'
import type { Database } from '../../sdk/sql.ts'
import { withoutSecrets } from './mongodb-url.ts'
import type { Store } from './store.ts'

/** What tells which one. */
export interface StoreChoice {
  readonly options: { readonly mongodbUrl: string | null }
  readonly database: Database
  readonly dialect: Dialect
}

/** Tells this catalog from others that use the same MongoDB, also from one that was copied. */
const catalogText = `
  select substr(md5(id || oid || datname), 1, 12) as id
  from trellis.job_catalog, pg_catalog.pg_database where datname = current_database()`

/** How to make the store; refuses a URL of MongoDB that cannot be used. The libraries are loaded when they are needed. */
export async function createStore({ options, database, dialect }: StoreChoice): Promise<() => Promise<Store>> {
  const { mongodbUrl } = options
  if (mongodbUrl === null) {
    return async () => (await import('./postgres-store.ts')).postgresStore(database)
  }
  const { mongoStore } = await import('./mongo-store.ts')
  const [catalog] = await database.rows<{ id: string }>(catalogText)
  try {
    const store = mongoStore(mongodbUrl, `trellisJobs_${catalog!.id}`)
    return async () => store
  } catch (error) {
    const names = `--mongodb-url (${dialect.environmentPrefix}MONGODB_URL)`
    throw new OptionRefusal('mongodbUrl', names, withoutSecrets((error as Error).message, mongodbUrl))
  }
}
