// Agenda's entries in MongoDB. The client connects by itself, when there is something to ask, and again when it was lost.

import { MongoJobRepository } from '@agendajs/mongo-backend'
import { MongoClient, type MongoClientOptions, MongoServerSelectionError } from 'mongodb'
import { mongoDatabaseOf, mongoUrlSets, withoutSecrets } from './mongodb-url.ts'
import { messageOf } from './runs.ts'
import { entryOf, type Store } from './store.ts'

/** What holds unless the URL says otherwise: few connections, and nobody waits for long for a server that is away. */
const defaults: MongoClientOptions = {
  appName: 'trellis',
  connectTimeoutMS: 5_000,
  maxPoolSize: 5,
  // Asks in turns on one connection, where it would hold two open.
  serverMonitoringMode: 'poll',
  serverSelectionTimeoutMS: 5_000,
  socketTimeoutMS: 10_000,
}

/** The store in a MongoDB; `collection` gives the name of one that is no other catalog's. Throws when the URL cannot be used. */
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
      // A client whose first connection failed does not connect again by itself; one that was connected does.
      await client.connect()
      // What its own connecting would do, without printing the options of the connection where somebody debugs.
      repository.collection = database.collection(name)
      // One entry per job, whoever makes it first; it finds the entries too.
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

/** The driver says no more than that it waited when servers answer but are none of the replica set, or its primary. */
function reasonOf(error: Error): string {
  if (error.name === 'MongoPoolClearedError' && error.cause) return messageOf(error.cause)
  const set = error instanceof MongoServerSelectionError ? error.reason?.setName : null
  if (!set || !error.message.startsWith('Server selection timed out')) return messageOf(error)
  return `no primary of the replica set ${JSON.stringify(set)} was found`
}
