// Chooses the database of Agenda's entries.

import { type Dialect, OptionRefusal } from '../../../sdk/index.ts'
import type { Database } from '../../../sdk/sql.ts'
import { withoutSecrets } from './mongodb-url.ts'
import type { Store } from './store.ts'

/** The settings that choose it. */
export interface StoreChoice {
  readonly options: { readonly mongodbUrl: string | null }
  readonly database: Database
  readonly dialect: Dialect
}

/** Creates the store when the first job needs it. */
export interface StoreMaker {
  readonly storeName: string
  /** Whether it is a server beside the database, which may be away by itself: the log says at the start whether it answers. */
  readonly isApart: boolean
  create(): Promise<Store>
}

/** Distinguishes this catalog from others in the same MongoDB, also from a copy of it. */
const catalogText = `
  select substr(md5(id || oid || datname), 1, 12) as id
  from trellis.job_catalog, pg_catalog.pg_database where datname = current_database()`

/** Gives the way to create the store; refuses an unusable URL of MongoDB. The libraries are loaded on demand. */
export async function createStore({ options, database, dialect }: StoreChoice): Promise<StoreMaker> {
  const { mongodbUrl } = options
  if (mongodbUrl === null) {
    const create = async () => (await import('./postgres-store.ts')).postgresStore(database)
    return { storeName: 'PostgreSQL', isApart: false, create }
  }
  const { mongoStore } = await import('./mongo-store.ts')
  // Read when the store opens, and again while PostgreSQL is away, so that the start does not fail.
  const collection = async () => {
    const [catalog] = await database.rows<{ id: string }>(catalogText)
    return `trellisJobs_${catalog!.id}`
  }
  try {
    const store = mongoStore(mongodbUrl, collection)
    return { storeName: store.name, isApart: true, create: async () => store }
  } catch (error) {
    const names = `--mongodb-url (${dialect.environmentPrefix}MONGODB_URL)`
    throw new OptionRefusal('mongodbUrl', names, withoutSecrets((error as Error).message, mongodbUrl))
  }
}
