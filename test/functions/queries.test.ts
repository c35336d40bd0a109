import assert from 'node:assert/strict'
import { test } from 'node:test'
import { dataOf, refusalOf } from '../support/graphql-answers.ts'
import type { TestTrellis } from '../support/trellis.ts'
import { startOffice } from './office.ts'

const lead = { schema: 'crm', name: 'lead' }

async function track(trellis: TestTrellis, ...names: readonly unknown[]): Promise<void> {
  for (const name of names) await trellis.op('track_function', name)
}

test('a function returns rows of its table in its own order, with all their fields', async (t) => {
  const trellis = await startOffice(t)
  await track(trellis, 'people', { schema: 'crm', name: 'leads' })
  const query = `{
    people(args: {search: "%"}) { id pay leads(order_by: {id: asc}) { title } leads_aggregate { aggregate { count } } }
    crm_leads(args: {arg_1: 3}) { id owner { first } }
  }`
  assert.deepEqual(await dataOf(trellis, query), {
    people: [
      { id: 3, pay: 7, leads: [], leads_aggregate: { aggregate: { count: 0 } } },
      { id: 2, pay: 'NaN', leads: [{ title: 'Three' }], leads_aggregate: { aggregate: { count: 1 } } },
      {
        id: 1,
        pay: 10.5,
        leads: [{ title: 'One' }, { title: 'Two' }, { title: 'Four' }],
        leads_aggregate: { aggregate: { count: 3 } },
      },
    ],
    crm_leads: [
      { id: 3, owner: { first: 'Bob' } },
      { id: 4, owner: { first: 'Ann' } },
    ],
  })
})

test('a returned row keeps nulls in columns that its table declares NOT NULL', async (t) => {
  const trellis = await startOffice(t)
  await trellis.sql(`create function masked() returns setof person language sql stable
    as $$ select id, null::text, last, pay, twice from person where id < 3 $$`)
  await track(trellis, 'masked')
  const masked = [
    { id: 1, first: null },
    { id: 2, first: null },
  ]
  assert.deepEqual(
    await dataOf(trellis, '{ masked(order_by: {id: asc}) { id first } masked_aggregate { nodes { first } } }'),
    {
      masked,
      masked_aggregate: { nodes: [{ first: null }, { first: null }] },
    },
  )
  // The server does not learn of a constraint that is dropped while it runs.
  await trellis.sql('alter table person alter first drop not null; update person set first = null where id = 2')
  assert.deepEqual(
    await dataOf(trellis, '{ person(order_by: {id: asc}, limit: 2) { id first } person_by_pk(id: 2) { id first } }'),
    {
      person: [{ id: 1, first: 'Ann' }, masked[1]],
      person_by_pk: masked[1],
    },
  )
})

test('the rows of a function are filtered, ordered, limited and distinct like those of a table', async (t) => {
  const trellis = await startOffice(t)
  await track(trellis, 'everyone', { schema: 'crm', name: 'leads' })
  const query = `{
    filtered: everyone(where: {leads: {title: {_eq: "Three"}}}) { first }
    page: everyone(order_by: {id: asc}, limit: 1, offset: 1) { first leads(order_by: {id: asc}) { owner { first } } }
    owners: crm_leads(args: {arg_1: 0}, distinct_on: owner_id, order_by: [{owner_id: desc}, {id: desc}]) { id }
    related: crm_leads(args: {arg_1: 0}, order_by: [{owner: {first: desc}}, {id: asc}]) { id owner { first } }
  }`
  assert.deepEqual(await dataOf(trellis, query), {
    filtered: [{ first: 'Bob' }],
    page: [{ first: 'Bob', leads: [{ owner: { first: 'Bob' } }] }],
    owners: [{ id: 3 }, { id: 4 }],
    related: [
      { id: 3, owner: { first: 'Bob' } },
      { id: 1, owner: { first: 'Ann' } },
      { id: 2, owner: { first: 'Ann' } },
      { id: 4, owner: { first: 'Ann' } },
    ],
  })
})

test('the aggregate field aggregates the rows of the function', async (t) => {
  const trellis = await startOffice(t)
  await track(trellis, 'people')
  const query = `{
    people_aggregate(args: {search: "%", last_id: 2}, order_by: {id: asc}) {
      aggregate { count sum { id } max { first } } nodes { first }
    }
  }`
  assert.deepEqual(await dataOf(trellis, query), {
    people_aggregate: {
      aggregate: { count: 2, sum: { id: 3 }, max: { first: 'Bob' } },
      nodes: [{ first: 'Ann' }, { first: 'Bob' }],
    },
  })
})

test('omitted arguments have their defaults, in any position', async (t) => {
  const trellis = await startOffice(t)
  await track(trellis, 'people', 'gaps', { schema: 'crm', name: 'leads' })
  const query = `query ($all: people_args!, $last: Int, $title: String) {
    a: people(args: {search: "%"}) { id }
    b: people(args: {search: "%", first_id: 2}) { id }
    c: people(args: {search: "%", last_id: $last}) { id }
    d: people(args: $all) { id }
    e: people(args: {search: null}) { id }
    f: crm_leads(args: {arg_1: 2, arg_2: $title}) { id }
    g: gaps { id }
    h: gaps(args: {}) { id }
    i: gaps(args: null) { id }
    j: gaps(args: {a: 3}) { id }
    k: gaps(args: {c: 1}) { id }
    l: gaps(args: {a: 3, arg_1: 3}) { id }
    m: gaps(args: {a: 3, arg_1: 3, c: null}) { id }
  }`
  const ids = (...list: number[]) => list.map((id) => ({ id }))
  const all = { search: '%', last_id: 2 }
  assert.deepEqual(await dataOf(trellis, query, { all, last: 1, title: 'T%' }), {
    a: ids(3, 2, 1),
    b: ids(3, 2),
    c: ids(1),
    d: ids(2, 1),
    e: [],
    f: ids(2, 3),
    g: ids(1, 2, 3),
    h: ids(1, 2, 3),
    i: ids(1, 2, 3),
    j: ids(2, 3),
    k: ids(1, 2),
    l: ids(3),
    m: ids(3),
  })
})

test('a plan is reused for other values, but not for other arguments', async (t) => {
  const trellis = await startOffice(t)
  await track(trellis, 'people')
  const query = 'query ($args: people_args!) { people(args: $args) { id } }'
  const ids = async (args: object) => {
    const { people } = (await dataOf(trellis, query, { args })) as { people: { id: number }[] }
    return people.map(({ id }) => id)
  }
  assert.deepEqual(await ids({ search: '%' }), [3, 2, 1])
  assert.deepEqual(await ids({ search: 'A%' }), [1])
  assert.deepEqual(await ids({ search: '%', last_id: 2 }), [2, 1])
  assert.deepEqual(await ids({ search: '%', first_id: 2 }), [3, 2])
  assert.deepEqual(await ids({ search: '%', first_id: null }), [])
})

test('missing and wrong arguments are refused at their places', async (t) => {
  const trellis = await startOffice(t)
  await track(trellis, 'people', 'gaps', 'everyone', { schema: 'crm', name: 'leads' })
  const args = (field: string) => `$.selectionSet.${field}.args.args`
  const cases: readonly (readonly [string, object])[] = [
    [
      '{ crm_leads(args: {}) { id } }',
      refusalOf(args('crm_leads'), 'not-supported', 'Non default arguments cannot be omitted'),
    ],
    [
      '{ people_aggregate(args: {first_id: 1}) { aggregate { count } } }',
      refusalOf(args('people_aggregate'), 'not-supported', 'Non default arguments cannot be omitted'),
    ],
    [
      '{ gaps(args: {arg_1: 2}) { id } }',
      refusalOf(args('gaps'), 'not-supported', 'Only last set of positional arguments can be omitted'),
    ],
    ['{ people { id } }', refusalOf(args('people'), 'validation-failed', 'missing required field "args"')],
    [
      '{ people(args: null) { id } }',
      refusalOf(args('people'), 'validation-failed', 'expected an object for type "people_args", but found null'),
    ],
    [
      '{ people(args: {nope: 1}) { id } }',
      refusalOf(`${args('people')}.nope`, 'validation-failed', `field "nope" not found in type: 'people_args'`),
    ],
    [
      '{ people(args: {search: 5}) { id } }',
      refusalOf(
        `${args('people')}.search`,
        'validation-failed',
        'expected a string for type "String", but found an integer',
      ),
    ],
    [
      '{ everyone(args: {}) { id } }',
      refusalOf('$.selectionSet.everyone', 'validation-failed', '"everyone" has no argument named "args"'),
    ],
  ]
  for (const [query, answer] of cases) assert.deepEqual(await trellis.graphql(query), answer, query)
})

test('arguments of any type reach the function as they were written', async (t) => {
  const trellis = await startOffice(t)
  await track(trellis, 'labels')
  const query = `query ($d: _text) {
    labels(args: {l: "x'); drop table person; --", m: "good", d: $d, arg_1: "(7,\\"O\\"\\"Hara, K\\",,1.50,14)"}) { id first last pay }
  }`
  const labels = [{ id: 7, first: 'O"Hara, K', last: null, pay: 1.5 }]
  assert.deepEqual(await dataOf(trellis, query, { d: ['a', null] }), { labels })
  assert.deepEqual(await dataOf(trellis, query, { d: '{a}' }), { labels })
  assert.deepEqual(await dataOf(trellis, query, { d: null }), { labels })
  const bad = '{ labels(args: {l: "x", m: "ugly", d: null, arg_1: null}) { id } }'
  const message = 'invalid input value for enum mood: "ugly"'
  assert.deepEqual(await trellis.graphql(bad), refusalOf('$', 'data-exception', message))
})

test('names that need quotes are quoted', async (t) => {
  const trellis = await startOffice(t)
  await trellis.sql(`create function "Select"(a int default 1, "Order" int default 2) returns setof person
    language sql stable as $$ select * from person where id = "Order" $$`)
  await track(trellis, 'Select')
  assert.deepEqual(await dataOf(trellis, '{ Select { id } s: Select(args: {Order: 3}) { id } }'), {
    Select: [{ id: 2 }],
    s: [{ id: 3 }],
  })
})

test('the session argument is given all session variables', async (t) => {
  const trellis = await startOffice(t)
  const entry = { function: 'mine', configuration: { session_argument: 'session' } }
  await trellis.op('track_function', entry, { version: 2 })
  await trellis.op('create_select_permission', {
    table: 'person',
    role: 'clerk',
    permission: { columns: ['id', 'last'], filter: {} },
  })
  const query = '{ mine { id last } labelled: mine(args: {label: "x"}) { last } }'
  const as = (id: string) => ({ role: 'clerk', headers: { 'X-Service-User-Id': id } })
  assert.deepEqual(await dataOf(trellis, query, undefined, as('2')), {
    mine: [{ id: 2, last: 'none' }],
    labelled: [{ last: 'x' }],
  })
  assert.deepEqual(await dataOf(trellis, query, undefined, as('3')), {
    mine: [{ id: 3, last: 'none' }],
    labelled: [{ last: 'x' }],
  })
  assert.deepEqual(await dataOf(trellis, query, undefined, { role: 'clerk' }), { mine: [], labelled: [] })
  assert.deepEqual(
    await trellis.graphql('{ mine(args: {session: "{}"}) { id } }'),
    refusalOf(
      '$.selectionSet.mine.args.args.session',
      'validation-failed',
      `field "session" not found in type: 'mine_args'`,
    ),
  )
})

test('roles have the permission of the returned table', async (t) => {
  const trellis = await startOffice(t)
  await track(trellis, 'people', 'everyone', { schema: 'crm', name: 'leads' })
  const permission = { columns: ['id'], filter: { id: { _lte: 2 } }, limit: 1, allow_aggregations: true }
  await trellis.op('create_select_permission', { table: 'person', role: 'clerk', permission })
  await trellis.op('create_select_permission', {
    table: lead,
    role: 'clerk',
    permission: { columns: ['id'], filter: { owner: { first: { _eq: 'X-Service-Owner' } } } },
  })
  const clerk = { role: 'clerk', headers: { 'x-service-owner': 'Ann' } }
  const query = `{
    people(args: {search: "%"}) { id }
    ordered: everyone(order_by: {id: asc}, limit: 5) { id }
    people_aggregate(args: {search: "%"}) { aggregate { count } nodes { id } }
    crm_leads(args: {arg_1: 2}) { id }
  }`
  assert.deepEqual(await dataOf(trellis, query, undefined, clerk), {
    people: [{ id: 2 }],
    ordered: [{ id: 1 }],
    people_aggregate: { aggregate: { count: 2 }, nodes: [{ id: 2 }] },
    crm_leads: [{ id: 2 }, { id: 4 }],
  })
  const missing = (field: string, type: string, path: string) =>
    refusalOf(path, 'validation-failed', `field "${field}" not found in type: '${type}'`)
  const refused = (text: string, role: string) => trellis.graphql(text, undefined, { role })
  assert.deepEqual(
    await refused('{ everyone { first } }', 'clerk'),
    missing('first', 'person', '$.selectionSet.everyone.selectionSet.first'),
  )
  assert.deepEqual(
    await refused('{ crm_leads_aggregate(args: {arg_1: 1}) { aggregate { count } } }', 'clerk'),
    missing('crm_leads_aggregate', 'query_root', '$.selectionSet.crm_leads_aggregate'),
  )
  assert.deepEqual(
    await refused('{ everyone { id } }', 'stranger'),
    missing('everyone', 'query_root', '$.selectionSet.everyone'),
  )
  assert.deepEqual(
    await refused('{ crm_leads(args: {arg_1: 1}) { id } }', 'clerk'),
    refusalOf('$', 'not-found', 'missing session variables: "x-service-owner"'),
  )
})

test('an error that the function raises is an error of the database', async (t) => {
  const trellis = await startOffice(t)
  await trellis.sql(`create function failing(divisor int) returns setof person language plpgsql stable
    as $$ begin perform 1 / divisor; raise exception 'not today'; end $$`)
  await track(trellis, 'failing')
  assert.deepEqual(
    await trellis.graphql('{ failing(args: {divisor: 0}) { id } }'),
    refusalOf('$', 'data-exception', 'division by zero'),
  )
  const { errors } = await trellis.graphql<{ errors: { message: string; extensions: { code: string } }[] }>(
    '{ failing(args: {divisor: 1}) { id } }',
  )
  assert.deepEqual([errors[0]!.message, errors[0]!.extensions.code], ['database query error', 'unexpected'])
})

interface Introspected {
  readonly query: { readonly fields: readonly { readonly name: string }[] }
  readonly subscription: { readonly fields: readonly { readonly name: string }[] }
  readonly args: unknown
}

test('functions have descriptions, in queries and subscriptions', async (t) => {
  const trellis = await startOffice(t)
  await track(trellis, 'labels', 'people', { schema: 'crm', name: 'leads' })
  const type = 'kind name ofType { kind name ofType { kind ofType { name } } }'
  const field = `name description args(includeDeprecated: true) { name description type { ${type} } } type { ${type} }`
  const query = `{
    query: __type(name: "query_root") { fields { ${field} } }
    subscription: __type(name: "subscription_root") { fields { ${field} } }
    args: __type(name: "labels_args") { kind description inputFields { name type { kind name } } }
  }`
  const result = (await dataOf(trellis, query)) as Introspected
  const find = (root: 'query' | 'subscription', name: string) => result[root].fields.find((each) => each.name === name)
  const people = find('query', 'people') as unknown as { args: { name: string }[] }
  const list = { kind: 'LIST', name: null, ofType: { kind: 'NON_NULL', ofType: { name: 'person' } } }
  assert.deepEqual(
    { ...people, args: people.args.map(({ name }) => name) },
    {
      name: 'people',
      description: 'execute function "people" which returns "person"',
      args: ['args', 'distinct_on', 'limit', 'offset', 'order_by', 'where'],
      type: { kind: 'NON_NULL', name: null, ofType: list },
    },
  )
  assert.deepEqual(people.args[0], {
    name: 'args',
    description: 'input parameters for function "people"',
    type: { kind: 'NON_NULL', name: null, ofType: { kind: 'INPUT_OBJECT', name: 'people_args', ofType: null } },
  })
  const aggregate = find('query', 'crm_leads_aggregate') as unknown as { description: string; type: unknown }
  assert.equal(
    aggregate.description,
    'execute function "crm.leads" and query aggregates on result of table type "crm.lead"',
  )
  assert.deepEqual(aggregate.type, {
    kind: 'NON_NULL',
    name: null,
    ofType: { kind: 'OBJECT', name: 'crm_lead_aggregate', ofType: null },
  })
  for (const name of ['people', 'people_aggregate']) {
    assert.deepEqual(find('subscription', name), find('query', name))
  }
  const scalar = (name: string, type: string) => ({ name, type: { kind: 'SCALAR', name: type } })
  assert.deepEqual(result.args, {
    kind: 'INPUT_OBJECT',
    description: 'input parameters for function "labels"',
    inputFields: [scalar('arg_1', 'person_scalar'), scalar('d', '_text'), scalar('l', 'String'), scalar('m', 'mood')],
  })
})
