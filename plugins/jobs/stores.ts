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

/** Makes the store when there is a job. */
export interface StoreMaker {
  readonly storeName: string
  /** Whether it is a server beside the database, which may be away while that answers: the log says at start whether it is there. */
  readonly isApart: boolean
  create(): Promise<Store>
}

/** Tells this catalog from others that use the same MongoDB, also from one that was copied. */
const catalogText = `
  select substr(md5(id || oid || datname), 1, 12) as id
  from trellis.job_catalog, pg_catalog.pg_database where datname = current_database()`

/** How to make the store; refuses a URL of MongoDB that cannot be used. The libraries are loaded when they are needed. */
export async function createStore({ options, database, dialect }: StoreChoice): Promise<StoreMaker> {
  const { mongodbUrl } = options
  if (mongodbUrl === null) {
    const create = async () => (await import('./postgres-store.ts')).postgresStore(database)
    return { storeName: 'PostgreSQL', isApart: false, create }
  }
  const { mongoStore } = await import('./mongo-store.ts')
  // Asked when it is opened, again and again where PostgreSQL is away: a start does not fail for that.
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
