// Columns in another form, as inherited roles read them: in each row in a form of a parent that sees it, and never more.

import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { type ColumnTransform, definePlugin, sql } from '../../sdk/index.ts'
import { inherits, select } from '../permissions/inheriting.ts'
import { ask } from '../relay/relay.ts'
import { graphqlWsClient, subscribeWith } from '../subscriptions/clients.ts'
import { startTrellis, type TestTrellis } from '../support/trellis.ts'

const setup = `
  create table person (id int primary key, email text not null, region text not null, is_staff bool not null, pin text);
  create table invitation (id int primary key, email text not null);
  insert into person values (1, 'ann@test', 'north', true, '1111'), (2, 'bob@test', 'north', false, '2222'),
                            (3, 'cid@test', 'south', true, '3333'), (4, 'dan@test', 'south', false, null);
  insert into invitation values (1, 'ann@test'), (2, 'cid@test')`

/** The masks of e-mail addresses by role; the plugin shows all other roles the stored address. */
const masks: Readonly<Record<string, ReturnType<ColumnTransform['read']>>> = {
  reader: { sql: (value) => sql`'***' || right(${value}, 5)` },
  north: { sql: (value) => sql`'***' || right(${value}, 5)` },
  south: { sql: (value) => sql`left(${value}, 1) || '***'` },
  blind: 'hidden',
}

const emails: ColumnTransform = {
  name: 'emails',
  applies: (_, { name }) => name === 'email',
  read: ({ role }) => masks[role] ?? 'stored',
}

const reversed = (text: string) => [...text].reverse().join('')

/** Two roles read pins by the same function; others by one of their own, or as they are stored. */
const pins: ColumnTransform = {
  name: 'pins',
  applies: (_, { name }) => name === 'pin',
  read({ role }) {
    if (role === 'reader' || role === 'clerk') return { value: reversed, comparable: true }
    return role === 'blind' ? { value: (text) => text.slice(1) } : 'stored'
  },
}

const plugin = definePlugin({
  name: 'masks',
  register(engine) {
    for (const transform of [emails, pins]) engine.columns.transform(transform)
  },
})

const everything = { columns: '*', filter: {}, allow_aggregations: true }
const staff = { ...everything, filter: { is_staff: true } }

async function startPeople(t: TestContext): Promise<TestTrellis> {
  const trellis = await startTrellis(t, { sql: setup, plugins: [plugin] })
  await trellis.op('bulk', [
    { type: 'track_table', args: 'person' },
    { type: 'track_table', args: 'invitation' },
    {
      type: 'create_array_relationship',
      args: {
        table: 'person',
        name: 'invitations',
        using: { manual_configuration: { remote_table: 'invitation', column_mapping: { email: 'email' } } },
      },
    },
    select('person', 'reader', everything),
    select('person', 'clerk', everything),
    select('person', 'blind', staff),
    select('person', 'boss', staff),
    ...['north', 'south'].map((role) => select('person', role, { ...everything, filter: { region: role } })),
    {
      type: 'create_update_permission',
      args: { table: 'person', role: 'reader', permission: { columns: '*', filter: {} } },
    },
    { type: 'create_delete_permission', args: { table: 'person', role: 'reader', permission: { filter: {} } } },
  ])
  return trellis
}

interface Answer {
  readonly data?: { readonly person: readonly { readonly email: string | null; readonly pin: string | null }[] }
  readonly errors?: readonly { readonly extensions: { readonly code: string } }[]
}

const read = '{ person(order_by: {id: asc}) { email pin } }'

/** The values that a role reads of all people it sees, by GraphQL and by the data operation. */
async function seen({ graphql, op }: TestTrellis, role: string, column: 'email' | 'pin') {
  const { data } = await graphql<Answer>(read, undefined, { role })
  const rows = await op('select', { table: 'person', columns: ['email', 'pin'], order_by: 'id' }, { role })
  assert.deepEqual(rows, data!.person)
  return data!.person.map((row) => row[column])
}

test('an inherited role reads the form of its parent, and cannot probe the stored value', async (t) => {
  const trellis = await startPeople(t)
  const { graphql, op, opError } = trellis
  await op('bulk', [inherits('one', 'reader'), inherits('two', 'one'), inherits('twice', 'reader', 'two')])
  const probes = [
    '{ person(where: {email: {_like: "ann%"}}) { id } }',
    '{ person(order_by: {email: asc}) { id } }',
    '{ person(distinct_on: email) { id } }',
    '{ person_aggregate { aggregate { max { email } } } }',
    '{ person_aggregate(where: {email: {_like: "ann%"}}) { aggregate { count } } }',
    'mutation { update_person(where: {email: {_like: "ann%"}}, _set: {region: "x"}) { affected_rows } }',
    'mutation { delete_person(where: {email: {_like: "ann%"}}) { affected_rows } }',
    'subscription { person_stream(batch_size: 1, cursor: {initial_value: {email: "a"}}) { id } }',
  ]
  for (const role of ['one', 'two', 'twice']) {
    assert.deepEqual(
      await seen(trellis, role, 'email'),
      [1, 2, 3, 4].map(() => '***@test'),
      role,
    )
    for (const query of probes) {
      const { errors } = await graphql<Answer>(query, undefined, { role })
      assert.match(errors?.[0]?.extensions.code ?? '', /validation-failed|unexpected/, `${role}: ${query}`)
    }
    const where = { table: 'person', columns: ['id'], where: { email: { $like: 'ann%' } } }
    assert.equal(Object((await opError('select', where, { role })).body).code, 'not-supported', role)
    const set = 'mutation { update_person(where: {id: {_eq: 1}}, _set: {region: "north"}) { returning { email } } }'
    assert.deepEqual(await graphql(set, undefined, { role }), {
      data: { update_person: { returning: [{ email: '***@test' }] } },
    })
    const connection = '{ person_connection(first: 1) { edges { node { email } } } }'
    assert.deepEqual(await ask(trellis, connection, {}, role), {
      person_connection: { edges: [{ node: { email: '***@test' } }] },
    })
  }
  const client = graphqlWsClient(t, trellis.url, { connectionParams: { headers: { 'x-service-role': 'two' } } })
  const live = subscribeWith(client, 'subscription { person(where: {id: {_eq: 1}}) { email } }')
  await live.atLeast(1)
  assert.deepEqual(live.items[0], { data: { person: [{ email: '***@test' }] } })
})

test('where parents read different forms, each row shows the form of a parent that sees it, masks first', async (t) => {
  const trellis = await startPeople(t)
  const { graphql, op } = trellis
  await op('bulk', [
    inherits('north_boss', 'boss', 'north'),
    inherits('regions', 'north', 'south'),
    inherits('blind_reader', 'reader', 'blind'),
    inherits('blind_boss', 'boss', 'blind'),
    inherits('reading_boss', 'boss', 'reader'),
    inherits('boss_clerk', 'boss', 'clerk'),
  ])
  assert.deepEqual(await seen(trellis, 'north_boss', 'email'), ['***@test', '***@test', 'cid@test'])
  assert.deepEqual(await seen(trellis, 'regions', 'email'), ['***@test', '***@test', 'c***', 'd***'])
  assert.deepEqual(await seen(trellis, 'blind_reader', 'email'), [null, '***@test', null, '***@test'])
  assert.deepEqual(await seen(trellis, 'blind_boss', 'email'), [null, null])
  assert.deepEqual(
    await seen(trellis, 'reading_boss', 'email'),
    [1, 2, 3, 4].map(() => '***@test'),
  )
  for (const role of ['north_boss', 'regions', 'blind_reader', 'blind_boss', 'reading_boss']) {
    const { errors } = await graphql<Answer>('{ person(where: {email: {_like: "c%"}}) { id } }', undefined, { role })
    assert.equal(errors?.[0]?.extensions.code, 'validation-failed', role)
  }
  // Both parents read the stored address: the column is an ordinary one.
  const where = '{ person(where: {email: {_like: "c%"}}) { email } }'
  assert.deepEqual(await graphql(where, undefined, { role: 'boss_clerk' }), {
    data: { person: [{ email: 'cid@test' }] },
  })
})

test('parents that read by the same function share it, with its comparisons; by others, the value is null', async (t) => {
  const trellis = await startPeople(t)
  const { graphql, op } = trellis
  await op('bulk', [
    inherits('agreed', 'reader', 'clerk'),
    inherits('different', 'reader', 'blind'),
    inherits('partly', 'boss', 'blind', 'north'),
  ])
  assert.deepEqual(await seen(trellis, 'agreed', 'pin'), ['1111', '2222', '3333', null])
  const where = '{ person(where: {pin: {_eq: "3333"}}) { id } }'
  assert.deepEqual(await graphql(where, undefined, { role: 'agreed' }), { data: { person: [{ id: 3 }] } })
  assert.deepEqual(await seen(trellis, 'different', 'pin'), [null, null, null, null])
  assert.deepEqual(await seen(trellis, 'partly', 'pin'), [null, '2222', null])
})

test('a permission of its own takes the place of the parents, with the form of its own name', async (t) => {
  const trellis = await startPeople(t)
  const own = select('person', 'south', { ...everything, filter: { id: 1 } })
  await trellis.op('bulk', [
    { type: 'drop_select_permission', args: { table: 'person', role: 'south' } },
    inherits('south', 'reader'),
    own,
  ])
  assert.deepEqual(await seen(trellis, 'south', 'email'), ['a***'])
})

test('a relationship ties no rows by values that the role may not compare', async (t) => {
  const { graphql, op } = await startPeople(t)
  await op('bulk', [
    select('invitation', 'host', everything),
    inherits('reading_host', 'reader', 'host'),
    inherits('host_clerk', 'host', 'clerk'),
  ])
  const tied = '{ person(where: {id: {_eq: 1}}) { invitations { id } } }'
  const { errors } = await graphql<Answer>(tied, undefined, { role: 'reading_host' })
  assert.equal(errors?.[0]?.extensions.code, 'validation-failed')
  assert.deepEqual(await graphql(tied, undefined, { role: 'host_clerk' }), {
    data: { person: [{ invitations: [{ id: 1 }] }] },
  })
})
