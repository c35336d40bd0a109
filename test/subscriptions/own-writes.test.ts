// Writes through the server itself: subscribers of the written rows are polled at once, others are not.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { definePlugin } from '../../sdk/index.ts'
import { startLibrary } from '../support/library.ts'
import { startTrellis } from '../support/trellis.ts'
import { eventually } from '../support/waiting.ts'
import { graphqlWsClient, subscribeWith } from './clients.ts'

/** The interval is too long to show changes during the test. */
const patient = { liveQueriesRefetchInterval: 3_600_000 }

const books = 'subscription { book(order_by: {id: asc}) { title } }'
const rename =
  'mutation ($name: String!) { update_publisher(where: {id: {_eq: 1}}, _set: {name: $name}) { affected_rows } }'
const insert = 'mutation ($title: String!) { insert_book_one(object: {title: $title, publisher_id: 1}) { id } }'
const deletePublisher = 'mutation ($id: Int!) { delete_publisher_by_pk(id: $id) { id } }'

/** Milliseconds within which an announcement arrives. */
const soon = 500

/** Counts the times that the server asks for subscribers. */
const counting = () => {
  const counts = { asked: 0 }
  const plugin = definePlugin({
    name: 'count-subscriptions',
    register(engine) {
      engine.around({
        operation(work, run) {
          return run().finally(() => {
            if (work.operation?.kind === 'subscription') counts.asked++
          })
        },
      })
    },
  })
  return { counts, plugin }
}

test('a mutation reruns only subscriptions that read the written tables, also on other instances', async (t) => {
  const { counts, plugin } = counting()
  const trellis = await startLibrary(t, { plugins: [plugin], settings: patient })
  const other = await startTrellis(t, { database: trellis.database })
  const received = subscribeWith(graphqlWsClient(t, trellis.url), books)
  await received.atLeast(1)
  // An instance notifies only while it knows that another one has subscribers.
  let tries = 0
  await eventually(async () => {
    await other.graphql(insert, { title: `Foam ${++tries}` })
    return received.items.length > 1
  })
  // The tables that a mutation writes are looked up when it first runs.
  for (const server of [trellis, other]) await server.graphql(rename, { name: 'Arc' })
  let before = -1
  while (counts.asked !== before) {
    before = counts.asked
    await sleep(soon)
  }
  for (const server of [trellis, other]) await server.graphql(rename, { name: 'Arch' })
  await sleep(soon)
  assert.equal(counts.asked, before)
  for (const [i, server] of [trellis, other].entries()) {
    await server.graphql(insert, { title: `Gale ${i}` })
    await received.until((items) => JSON.stringify(items.at(-1)).includes(`Gale ${i}`))
  }
})

test('rows written by cascades and by triggers of a mutation are seen at once', async (t) => {
  const trellis = await startLibrary(t, { settings: patient })
  await trellis.sql(`
    alter table book drop constraint book_publisher_id_fkey,
      add foreign key (publisher_id) references publisher(id) on delete cascade;
    insert into publisher (id, name) values (10, 'Dune'), (11, 'Elm'), (12, 'Fir');
    insert into book (title, publisher_id) values ('Ten', 10), ('Eleven', 11), ('Twelve', 12)`)
  const received = subscribeWith(graphqlWsClient(t, trellis.url), books)
  await received.atLeast(1)
  for (const [id, title] of [
    [10, 'Ten'],
    [11, 'Eleven'],
    [12, 'Twelve'],
  ] as const) {
    await trellis.graphql(deletePublisher, { id })
    await received.until((items) => !JSON.stringify(items.at(-1)).includes(title))
  }
  await trellis.sql(`
    create function renamed() returns trigger language plpgsql as
      $$ begin update book set title = new.name where publisher_id = new.id; return null; end $$;
    create trigger renamed after update on publisher for each row execute function renamed()`)
  for (const name of ['Kelp', 'Lime', 'Mint']) {
    await trellis.graphql(rename, { name })
    await received.until((items) => JSON.stringify(items.at(-1)).includes(name))
  }
})
