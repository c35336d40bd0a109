// Random orders, with ties and nulls in all of them: pages by cursor put together are the rows as plain SQL sorts them.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from '../support/fast-check.ts'
import { startTrellis, type TestTrellis } from '../support/trellis.ts'
import { ask, type Connection } from './relay.ts'

const sql = `
create table port (id int primary key, name text, depth numeric, built date, load float8, facts jsonb, seen timestamptz);
create table ship (line text, number bigint, port_id int references port, price numeric, length real, afloat boolean,
  flag text, leave interval, primary key (number, line));
insert into port select i,
  (array[null, 'a', 'B'])[i % 3 + 1],
  (array[null, 'NaN', '1.50', '12345678901234567890.1'])[i % 4 + 1]::numeric,
  (array['infinity', null, '2020-01-01'])[i % 3 + 1]::date,
  (array['Infinity', '0.1', null])[i % 3 + 1]::float8,
  (array['null', '{"a": 1}', null])[i % 3 + 1]::jsonb,
  (array['2020-01-01 00:00:00.123456', '-infinity', null])[i % 3 + 1]::timestamptz
from generate_series(1, 9) i;
insert into ship select 'l' || i % 5, 9007199254740990 + i / 5,
  case when i % 4 > 0 then i % 7 + 1 end,
  (array[null, 'Infinity', '2', '2.00'])[i % 4 + 1]::numeric,
  (array['0.1', null, 'NaN'])[i % 3 + 1]::real,
  (array[true, false, null])[i % 3 + 1],
  (array[null, '', E'\\u00e9"\\\\\\\\', 'z'])[i % 4 + 1],
  (array[null, '1 mon', '30 days'])[i % 3 + 1]::interval
from generate_series(1, 24) i`

const directions = {
  asc: 'asc nulls last',
  asc_nulls_first: 'asc nulls first',
  desc: 'desc nulls first',
  desc_nulls_last: 'desc nulls last',
}

type Direction = keyof typeof directions

const direction = fc.constantFrom(...(Object.keys(directions) as Direction[]))

/** The rows of a table that a role sees. */
type Seen = (table: 'port' | 'ship') => string

/** A term of a connection's order, in GraphQL and in SQL. */
interface Term {
  readonly graphql: string
  sql(seen: Seen): string
}

const column = (names: readonly string[]) =>
  fc
    .tuple(fc.constantFrom(...names), direction)
    .map(([name, way]): Term => ({ graphql: `{ ${name}: ${way} }`, sql: () => `${name} ${directions[way]}` }))

const ofPort = fc.constantFrom('name', 'depth', 'built', 'load', 'seen')
const relatedColumn = fc.tuple(ofPort, direction).map(
  ([name, way]): Term => ({
    graphql: `{ port: { ${name}: ${way} } }`,
    sql: (seen) => `(select ${name} from port where port.id = it.port_id and ${seen('port')}) ${directions[way]}`,
  }),
)

const aggregates = { count: '*', max: 'flag', sum: 'price', avg: 'length' }
const aggregate = fc.tuple(fc.constantFrom(...Object.entries(aggregates)), direction).map(
  ([[name, of], way]): Term => ({
    graphql: `{ ships_aggregate: { ${name}: ${of === '*' ? way : `{ ${of}: ${way} }`} } }`,
    sql: (seen) =>
      `(select ${name}(${of}) from ship where ship.port_id = it.id and ${seen('ship')}) ${directions[way]}`,
  }),
)

/** The tables, the orders of their connections, and the part that the role `guest` sees. */
const tables = {
  port: {
    key: ['id'],
    terms: fc.oneof(column(['id', 'name', 'depth', 'built', 'load', 'facts', 'seen']), aggregate),
    filter: 'id > 3',
    limit: 4,
  },
  ship: {
    key: ['number', 'line'],
    terms: fc.oneof(column(['number', 'price', 'length', 'afloat', 'flag', 'leave', 'port_id']), relatedColumn),
    filter: 'afloat is not false',
    limit: 5,
  },
}

const shelf = fc.constantFrom('port' as const, 'ship' as const).chain((table) =>
  fc.record({
    table: fc.constant(table),
    order: fc.array(tables[table].terms, { maxLength: 3 }),
    isGuest: fc.boolean(),
    size: fc.integer({ min: 1, max: 4 }),
    place: fc.nat(),
  }),
)

type Shelf = typeof shelf extends fc.Arbitrary<infer Value> ? Value : never

async function start(t: Parameters<typeof startTrellis>[0]): Promise<TestTrellis> {
  const trellis = await startTrellis(t, { sql })
  for (const table of Object.keys(tables)) await trellis.op('track_table', table)
  const by = (foreign_key_constraint_on: unknown) => ({ using: { foreign_key_constraint_on } })
  await trellis.op('create_object_relationship', { table: 'ship', name: 'port', ...by('port_id') })
  const key = { table: 'ship', column: 'port_id' }
  await trellis.op('create_array_relationship', { table: 'port', name: 'ships', ...by(key) })
  const filters = { port: { id: { _gt: 3 } }, ship: { _or: [{ afloat: true }, { afloat: null }] } }
  for (const [table, filter] of Object.entries(filters)) {
    const { limit } = tables[table as keyof typeof tables]
    const permission = { columns: '*', filter, limit }
    await trellis.op('create_select_permission', { table, role: 'guest', permission })
  }
  return trellis
}

/** The keys of the rows that there are, as PostgreSQL sorts them. */
async function sorted(trellis: TestTrellis, { table, order, isGuest }: Shelf): Promise<readonly string[]> {
  const { key, limit } = tables[table]
  const seen: Seen = (name) => (isGuest ? tables[name].filter : 'true')
  const rows = await trellis.sql<{ key: string }>(
    `select jsonb_build_array(${key.map((name) => `it.${name}`).join()})::text as key from ${table} it
    where ${seen(table)} order by ${[...order.map((term) => term.sql(seen)), ...key].join()}
    ${isGuest ? `limit ${limit}` : ''}`,
  )
  return rows.map((row) => row.key)
}

const keysOf = ({ edges }: Connection): string[] =>
  edges.map(({ node }) => {
    const [, , , ...key] = Buffer.from(String(node['id']), 'base64').toString().slice(1, -1).split(', ')
    return `[${key.join(', ')}]`
  })

async function page(trellis: TestTrellis, { table, order, isGuest }: Shelf, args: readonly string[]) {
  const ordered = order.length > 0 ? [`order_by: [${order.map(({ graphql }) => graphql).join()}]`] : []
  const given = [...ordered, ...args]
  const field = `c: ${table}_connection${given.length > 0 ? `(${given.join()})` : ''}`
  const flags = 'startCursor endCursor hasNextPage hasPreviousPage'
  const query = `{ ${field} { edges { cursor node { id } } pageInfo { ${flags} } } }`
  const { c } = await ask<{ c: Connection }>(trellis, query, undefined, isGuest ? 'guest' : 'admin')
  return c
}

/** All pages, one after the other from either end. */
async function turned(trellis: TestTrellis, of: Shelf, forwards: boolean): Promise<readonly string[]> {
  const keys: string[] = []
  let cursor: string | null = null
  for (let more = true; more && keys.length < 30; ) {
    const beyond: string[] = cursor === null ? [] : [`${forwards ? 'after' : 'before'}: "${cursor}"`]
    const next: Connection = await page(trellis, of, [`${forwards ? 'first' : 'last'}: ${of.size}`, ...beyond])
    if (forwards) keys.push(...keysOf(next))
    else keys.unshift(...keysOf(next))
    const { startCursor, endCursor, hasNextPage, hasPreviousPage } = next.pageInfo
    cursor = forwards ? endCursor : startCursor
    more = forwards ? hasNextPage : hasPreviousPage
  }
  return keys
}

test('pages of random orders are the rows as SQL sorts them', { timeout: 120_000 }, async (t) => {
  const trellis = await start(t)
  const property = fc.asyncProperty(shelf, async (of) => {
    const expected = await sorted(trellis, of)
    const whole = await page(trellis, of, [])
    assert.deepEqual(keysOf(whole), expected)
    assert.deepEqual(await turned(trellis, of, true), expected)
    assert.deepEqual(await turned(trellis, of, false), expected)
    const place = of.place % expected.length
    const cursor = whole.edges[place]!.cursor
    const before = await page(trellis, of, [`before: "${cursor}"`, `first: ${of.size}`])
    assert.deepEqual(keysOf(before), expected.slice(0, place).slice(0, of.size))
    const after = await page(trellis, of, [`after: "${cursor}"`, `last: ${of.size}`])
    assert.deepEqual(keysOf(after), expected.slice(place + 1).slice(-of.size))
  })
  await fc.assert(property, { numRuns: 40 })
})
