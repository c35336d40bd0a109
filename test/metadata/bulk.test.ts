// Bulks: their members behave as if each ran alone, after those before it, although edits of one group are resolved
// together.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startTrellis, type TestTrellis } from '../support/trellis.ts'

interface Member {
  readonly type: string
  readonly args: unknown
}

interface Refusal {
  readonly path: string
  readonly error: string
  readonly code: string
}

const sql = `
  create table owner (id int primary key, name text);
  create table pet (id int primary key, owner_id int references owner, name text);
  create table toy (id int primary key, pet_id int references pet, name text);`

const reference = (column: string) => ({ foreign_key_constraint_on: column })
const grant = (table: string, permission: unknown): Member => ({
  type: 'create_select_permission',
  args: { table, role: 'user', permission },
})
const track = (table: string): Member => ({ type: 'track_table', args: table })

/** The document, and the served model. */
async function stateOf({ op, graphql }: TestTrellis) {
  const query = '{ __schema { types { name fields { name type { name ofType { name } } } } } }'
  return {
    document: await op('export_metadata', {}),
    inconsistent: await op('get_inconsistent_metadata', {}),
    admin: await graphql(query),
    user: await graphql(query, {}, { role: 'user' }),
  }
}

test('one of several similar members is refused with its own path, and nothing is left of the others', async (t) => {
  const trellis = await startTrellis(t, { sql })
  await trellis.op('bulk', [track('owner'), track('pet')])
  const before = await stateOf(trellis)
  const names = { columns: ['name'], filter: {} }
  const refusals = [
    { members: [track('toy'), track('nothing'), track('owner')], at: 1 },
    { members: [grant('owner', names), grant('pet', { columns: ['age'], filter: {} }), grant('pet', names)], at: 1 },
    { members: [grant('owner', names), grant('pet', names), grant('owner', names)], at: 2 },
    {
      members: [{ type: 'bulk', args: [grant('owner', names), grant('pet', { columns: ['age'], filter: {} })] }],
      at: 0,
    },
  ]
  for (const { members, at } of refusals) {
    const { status, body } = await trellis.opError('bulk', members)
    assert.equal(status, 400)
    assert.ok((body as Refusal).path.startsWith(`$.args[${at}].args`), JSON.stringify(body))
    assert.deepEqual(await stateOf(trellis), before)
  }
})

test('a member cannot rely on a later one', async (t) => {
  const { op, opError } = await startTrellis(t, { sql })
  const relationship = {
    type: 'create_object_relationship',
    args: { table: 'pet', name: 'owner', using: reference('owner_id') },
  }
  const { body } = await opError('bulk', [track('pet'), relationship, track('owner')])
  assert.match((body as Refusal).path, /^\$\.args\[1\]\.args/)
  await op('bulk', [track('pet'), track('owner'), relationship])
})

test('members that read see the members before them', async (t) => {
  const { op } = await startTrellis(t, { sql })
  const stored = { type: 'run_sql', args: { sql: 'select key from trellis.metadata_entry order by key' } }
  const results = await op<unknown[]>('bulk', [
    ...[track('owner'), track('pet'), stored],
    ...[grant('owner', { columns: ['name'], filter: {} }), { type: 'export_metadata', args: {} }],
  ])
  assert.equal((results[2] as { result: unknown[] }).result.length, 3)
  const { tables } = results[4] as { tables: { select_permissions?: unknown[] }[] }
  assert.deepEqual(
    tables.map(({ select_permissions: list = [] }) => list.length),
    [1, 0],
  )
})

/** Numbers from 0 to below `end`, the same in each run. */
function numbersFrom(seed: number): (end: number) => number {
  let state = seed
  return (end) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    return Math.floor((state / 2 ** 32) * end)
  }
}

const tables = ['owner', 'pet', 'toy', 'nothing']
const kinds = ['select', 'insert', 'update', 'delete']

function someMember(below: (end: number) => number): Member {
  const pick = <T>(list: readonly T[]): T => list[below(list.length)]!
  const table = tables[below(100) < 3 ? 3 : below(3)]!
  const kind = pick(kinds)
  const columns = below(12) === 0 ? ['age'] : ['name']
  const filter = pick([{}, {}, { name: { _eq: 'x' } }, { owner: { name: { _eq: 'x' } } }])
  const permission = kind === 'insert' ? { columns, check: filter } : { ...(kind !== 'delete' && { columns }), filter }
  const relationship = pick([
    { table: 'pet', name: 'owner', using: reference('owner_id') },
    { table: 'toy', name: 'pet', using: reference('pet_id') },
  ])
  return pick<Member>([
    track(table),
    { type: 'untrack_table', args: { table, cascade: below(2) === 0 } },
    { type: 'create_object_relationship', args: relationship },
    { type: 'create_object_relationship', args: relationship },
    { type: 'drop_relationship', args: { table: relationship.table, relationship: relationship.name } },
    { type: `create_${kind}_permission`, args: { table, role: 'user', permission } },
    { type: `create_${kind}_permission`, args: { table, role: 'user', permission } },
    { type: `drop_${kind}_permission`, args: { table, role: 'user' } },
    { type: 'set_permission_comment', args: { table, role: 'user', permission: kind, comment: 'c' } },
  ])
}

/** Members that succeed one after another on a server, with those among them that it refused, and its refusals. */
async function tryEach({ request }: TestTrellis, members: readonly Member[]) {
  const accepted: Member[] = []
  const refused: { readonly after: number; readonly member: Member; readonly refusal: Refusal }[] = []
  for (const member of members) {
    const { status, body } = await request<Refusal>('/v1/query', { body: member })
    if (status === 200) accepted.push(member)
    else refused.push({ after: accepted.length, member, refusal: body })
  }
  return { accepted, refused }
}

test('a bulk of any members equals the same operations one by one, and a model that is built from scratch', async (t) => {
  const single = await startTrellis(t, { sql })
  const bulk = await startTrellis(t, { sql })
  const start = ['owner', 'pet', 'toy'].map(track)
  for (const seed of [1, 2, 3, 4]) {
    const below = numbersFrom(seed)
    for (const { op } of [single, bulk]) await op('clear_metadata', {})
    await single.op('bulk', start)
    const { accepted, refused } = await tryEach(
      single,
      Array.from({ length: 40 }, () => someMember(below)),
    )
    for (const { after, member, refusal } of refused.slice(0, 4)) {
      const { body } = await bulk.opError('bulk', [...start, ...accepted.slice(0, after), member])
      const { path, ...rest } = body as Refusal
      const { path: own, ...expected } = refusal
      assert.equal(path, own.replace('$.args', `$.args[${start.length + after}].args`), `seed ${seed}`)
      assert.deepEqual(rest, expected, `seed ${seed}`)
    }
    await bulk.op('bulk', [...start, ...accepted])
    const state = await stateOf(single)
    assert.deepEqual(await stateOf(bulk), state, `seed ${seed}`)
    await bulk.op('clear_metadata', {})
    await bulk.op('replace_metadata', state.document)
    assert.deepEqual(await stateOf(bulk), state, `seed ${seed}`)
  }
})
