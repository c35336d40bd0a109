// Agenda's entries in MongoDB. The client connects on demand, and again after a loss.

import { MongoJobRepository } from '@agendajs/mongo-backend'
import { MongoClient, type MongoClientOptions, MongoServerSelectionError } from 'mongodb'
import { recordedMessageOf } from '../runs.ts'
import { mongoDatabaseOf, mongoUrlSets, withoutSecrets } from './mongodb-url.ts'
import { entryOf, type Store } from './store.ts'

/** Defaults that the URL may override: few connections, and short timeouts for a server that is away. */
const defaults: MongoClientOptions = {
  appName: 'trellis',
  connectTimeoutMS: 5_000,
  maxPoolSize: 5,
  // Uses one connection for monitoring instead of two.
  serverMonitoringMode: 'poll',
  serverSelectionTimeoutMS: 5_000,
  socketTimeoutMS: 10_000,
}

/** The store in a MongoDB; `collection` gives a name that is unique to the catalog. Throws if the URL cannot be used. */
export function mongoStore(url: string, collection: () => Promise<string>): Store {
  const options = Object.fromEntries(Object.entries(defaults).filter(([name]) => !mongoUrlSets(url, name)))
  const client = new MongoClient(url, options)
  const database = client.db(mongoDatabaseOf(url))
  const repository = new MongoJobRepository({ mongo: database, ensureIndex: false })
  return {
    name: 'MongoDB',
    repository,
    async open() {
      const name = await collection()
      // A client whose first connection failed does not reconnect by itself, unlike one that was connected.
      await client.connect()
      // Agenda's own connect would do the same, but prints the connection options in debug mode.
      repository.collection = database.collection(name)
      // One entry per job, whichever instance creates it; the index also serves the reads.
      await repository.collection.createIndex({ name: 1 }, { name: 'job', unique: true })
    },
    async entries(names) {
      const wanted = { name: { $in: [...names] }, type: 'single' as const }
      const found = await repository.collection
        .find(wanted, { projection: { name: 1, nextRunAt: 1, lockedAt: 1 } })
        .toArray()
      return found.map(({ name, nextRunAt, lockedAt }) =>
        entryOf({ name, nextRunAt, lockedAt: lockedAt ?? undefined, priority: 0, type: 'single', data: undefined }),
      )
    },
    shown: (error) => withoutSecrets(reasonOf(error), url),
    close: () => client.close(),
  }
}

/** If servers answer that are not in the replica set, or not its primary, the driver only says that it waited. */
function reasonOf(error: Error): string {
  if (error.name === 'MongoPoolClearedError' && error.cause) return recordedMessageOf(error.cause)
  const set = error instanceof MongoServerSelectionError ? error.reason?.setName : null
  if (!set || !error.message.startsWith('Server selection timed out')) return recordedMessageOf(error)
  return `no primary of the replica set ${JSON.stringify(set)} was found`
}
