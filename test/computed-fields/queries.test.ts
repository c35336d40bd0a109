import assert from 'node:assert/strict'
import { test } from 'node:test'
import { dataOf, refusalOf } from '../support/graphql-answers.ts'
import { startOffice } from './office.ts'

const lead = { schema: 'crm', name: 'lead' }

test('scalar computed fields are values of their row', async (t) => {
  const trellis = await startOffice(t)
  const query = `{ person(order_by: {id: asc}) {
    full_name wage facts role_of nicknames viewer name: facts(path: "names[0]") none: facts(path: "$.x")
  } }`
  const headers = { 'X-Service-Team': 'a"b' }
  const session = { 'x-service-role': 'admin', 'x-service-team': 'a"b' }
  const person = (id: number, first: string, last: string | null, wage: unknown) => ({
    full_name: last === null ? null : `${first} ${last}`,
    wage,
    facts: { id, names: [first, last] },
    role_of: 'admin',
    nicknames: first.slice(0, 1),
    viewer: { session, id },
    name: first,
    none: null,
  })
  assert.deepEqual(await dataOf(trellis, query, undefined, { headers }), {
    person: [person(1, 'Ann', 'Ash', 10.5), person(2, 'Bob', 'Birch', 'NaN'), person(3, 'Cid', null, 7)],
  })
})

test('numbers keep their digits, and are strings with --stringify-numeric-types', async (t) => {
  const query = { query: '{ person_by_pk(id: 1) { wage big nan: wage(args: {factor: "NaN"}) } }' }
  const answer = async (stringifyNumericTypes: boolean) => {
    const trellis = await startOffice(t, { settings: { stringifyNumericTypes } })
    return (await trellis.request('/v1/graphql', { body: query })).text
  }
  assert.equal(await answer(false), '{"data":{"person_by_pk":{"wage":10.50,"big":9007199254740995,"nan":"NaN"}}}')
  assert.equal(await answer(true), '{"data":{"person_by_pk":{"wage":"10.50","big":"9007199254740995","nan":"NaN"}}}')
})

test('the function runs once for each row that is shown', async (t) => {
  const trellis = await startOffice(t)
  await trellis.sql(`create sequence calls;
    create function counted(p person) returns numeric language plpgsql stable
      as $$ begin perform nextval('calls'); return p.id; end $$`)
  await trellis.op('add_computed_field', { table: 'person', name: 'counted', definition: { function: 'counted' } })
  const query = '{ person(order_by: {first: desc}, limit: 2) { counted } }'
  assert.deepEqual(await dataOf(trellis, query), { person: [{ counted: 3 }, { counted: 2 }] })
  assert.deepEqual(await trellis.sql('select last_value::int as calls from calls'), [{ calls: 2 }])
})

test('computed fields that return rows take the arguments of a select, and nest', async (t) => {
  const trellis = await startOffice(t)
  const query = `{ person(order_by: {id: asc}, limit: 2) {
    top_leads { title }
    late: top_leads(args: {first_id: 2}, order_by: {id: asc}, limit: 1, where: {title: {_neq: "Three"}}) {
      id owner_name owner { full_name others(limit: 1) { full_name top_leads(limit: 1) { id } } }
    }
    best_lead { id }
    others(distinct_on: first, order_by: {first: desc}, offset: 1) { id leads(order_by: {id: desc}, limit: 1) { owner_name } }
  } }`
  const others = [{ full_name: 'Bob Birch', top_leads: [{ id: 3 }] }]
  assert.deepEqual(await dataOf(trellis, query), {
    person: [
      {
        top_leads: [{ title: 'Four' }, { title: 'Two' }, { title: 'One' }],
        late: [{ id: 2, owner_name: 'Ann', owner: { full_name: 'Ann Ash', others } }],
        best_lead: [{ id: 1 }],
        others: [{ id: 2, leads: [{ owner_name: 'Bob' }] }],
      },
      {
        top_leads: [{ title: 'Three' }],
        late: [],
        best_lead: [{ id: 3 }],
        others: [{ id: 1, leads: [{ owner_name: 'Ann' }] }],
      },
    ],
  })
})

test('a function that finds no single row gives an empty list', async (t) => {
  const trellis = await startOffice(t)
  assert.deepEqual(await dataOf(trellis, '{ person_by_pk(id: 3) { best_lead { id title } } }'), {
    person_by_pk: { best_lead: [] },
  })
})

test('computed fields work wherever rows do: ordered, distinct, aggregated, related, written', async (t) => {
  const trellis = await startOffice(t)
  const query = `{
    all: crm_lead(order_by: {id: asc}) { owner_name owner { full_name } }
    some: crm_lead(order_by: [{owner: {first: desc}}, {id: asc}], limit: 2) { owner_name owner { full_name } }
    each: crm_lead(distinct_on: owner_id, order_by: [{owner_id: asc}, {id: asc}]) { id owner_name owner { wage } }
    person_aggregate(order_by: {id: desc}) { aggregate { count } nodes { full_name best_lead { owner { full_name } } } }
  }`
  const named = (first: string, full_name: string) => ({ owner_name: first, owner: { full_name } })
  const ann = named('Ann', 'Ann Ash')
  const bob = named('Bob', 'Bob Birch')
  assert.deepEqual(await dataOf(trellis, query), {
    all: [ann, ann, bob, ann],
    some: [bob, ann],
    each: [
      { id: 1, owner_name: 'Ann', owner: { wage: 10.5 } },
      { id: 3, owner_name: 'Bob', owner: { wage: 'NaN' } },
    ],
    person_aggregate: {
      aggregate: { count: 3 },
      nodes: [
        { full_name: null, best_lead: [] },
        { full_name: 'Bob Birch', best_lead: [{ owner: { full_name: 'Bob Birch' } }] },
        { full_name: 'Ann Ash', best_lead: [{ owner: { full_name: 'Ann Ash' } }] },
      ],
    },
  })
})

test('mutations return computed fields of the rows after the change', async (t) => {
  const trellis = await startOffice(t)
  const insert = `mutation {
    insert_person(objects: [{id: 9, first: "Zed", last: "Zorn", pay: 1}]) { returning { full_name wage best_lead { id } } }
    insert_crm_lead_one(object: {id: 50, owner_id: 9, title: "New"}) { owner_name owner { full_name best_lead { id } } }
    update_person(where: {id: {_eq: 9}}, _set: {first: "Zoe"}) { returning { full_name top_leads { owner_name } } }
    delete_crm_lead(where: {id: {_eq: 50}}) { returning { owner_name } }
  }`
  assert.deepEqual(await dataOf(trellis, insert), {
    insert_person: { returning: [{ full_name: 'Zed Zorn', wage: 1, best_lead: [] }] },
    insert_crm_lead_one: { owner_name: 'Zed', owner: { full_name: 'Zed Zorn', best_lead: [{ id: 50 }] } },
    update_person: { returning: [{ full_name: 'Zoe Zorn', top_leads: [{ owner_name: 'Zoe' }] }] },
    delete_crm_lead: { returning: [{ owner_name: 'Zoe' }] },
  })
})

test('the arguments of the function follow the rules of functions', async (t) => {
  const trellis = await startOffice(t)
  const query = `query ($word: String, $all: greeting_args!) { person_by_pk(id: 2) {
    a: greeting(args: {word: "Hi"})
    b: greeting(args: {word: $word, repeated: 3})
    c: greeting(args: $all)
    d: greeting(args: {word: "Hi", mark: null})
    e: wage(args: {factor: 2})
    f: wage(args: {})
  } }`
  const all = { word: 'Yo', mark: '?', repeated: 2 }
  assert.deepEqual(await dataOf(trellis, query, { word: "O'", all }), {
    person_by_pk: { a: 'Hi Bob!', b: "O' Bob!!!", c: 'Yo Bob??', d: null, e: 'NaN', f: 'NaN' },
  })
  const at = (field: string) => `$.selectionSet.person.selectionSet.${field}.args.args`
  assert.deepEqual(
    await trellis.graphql('{ person { greeting(args: {mark: "."}) } }'),
    refusalOf(at('greeting'), 'not-supported', 'Non default arguments cannot be omitted'),
  )
  assert.deepEqual(
    await trellis.graphql('{ person { greeting } }'),
    refusalOf(at('greeting'), 'validation-failed', 'missing required field "args"'),
  )
  assert.deepEqual(
    await trellis.graphql('{ person { viewer(args: {session: "{}"}) } }'),
    refusalOf(
      '$.selectionSet.person.selectionSet.viewer',
      'validation-failed',
      '"viewer" has no argument named "args"',
    ),
  )
})

test('roles see the scalar computed fields that their permission lists, and rows that they may select', async (t) => {
  const trellis = await startOffice(t)
  await trellis.op('create_select_permission', {
    table: 'person',
    role: 'clerk',
    permission: { columns: ['id'], computed_fields: ['full_name'], filter: {}, limit: 2, allow_aggregations: true },
  })
  const clerk = { role: 'clerk' }
  const missing = (field: string) =>
    refusalOf(
      `$.selectionSet.person.selectionSet.${field}`,
      'validation-failed',
      `field "${field}" not found in type: 'person'`,
    )
  for (const field of ['wage', 'top_leads', 'best_lead']) {
    const query = `{ person { ${field} } }`
    assert.deepEqual(await trellis.graphql(query, undefined, clerk), missing(field))
  }
  await trellis.op('create_select_permission', {
    table: lead,
    role: 'clerk',
    permission: { columns: ['id'], filter: { title: { _neq: 'Four' } }, limit: 1 },
  })
  const query = `{
    person(order_by: {id: asc}) { full_name top_leads { id } }
    person_aggregate(order_by: {id: asc}) { aggregate { count } nodes { id full_name top_leads { id owner { full_name } } } }
  }`
  const ann = { full_name: 'Ann Ash' }
  const bob = { full_name: 'Bob Birch' }
  assert.deepEqual(await dataOf(trellis, query, undefined, clerk), {
    person: [
      { ...ann, top_leads: [{ id: 2 }] },
      { ...bob, top_leads: [{ id: 3 }] },
    ],
    person_aggregate: {
      aggregate: { count: 3 },
      nodes: [
        { id: 1, ...ann, top_leads: [{ id: 2, owner: ann }] },
        { id: 2, ...bob, top_leads: [{ id: 3, owner: bob }] },
      ],
    },
  })
})

test('computed fields are not in inputs', async (t) => {
  const { graphql } = await startOffice(t)
  const path = '$.selectionSet.insert_person.args.objects[0].wage'
  const message = `field "wage" not found in type: 'person_insert_input'`
  const answer = await graphql('mutation { insert_person(objects: [{wage: 1}]) { affected_rows } }')
  assert.deepEqual(answer, refusalOf(path, 'validation-failed', message))
})

test('computed fields keep working while unknown columns are added and dropped', async (t) => {
  const trellis = await startOffice(t)
  const query = `{
    person(order_by: {id: asc}) { full_name best_lead { id } }
    crm_lead(limit: 1, order_by: {id: asc}) { owner_name owner { full_name } }
    person_by_pk(id: 1) { full_name }
    person_aggregate { nodes { full_name } }
  }`
  const before = await dataOf(trellis, query)
  assert.deepEqual(await dataOf(trellis, query), before)
  await trellis.sql('alter table person add later text default 1; alter table crm.lead add later int')
  assert.deepEqual(await dataOf(trellis, query), before)
  await trellis.sql('alter table person drop column pay cascade')
  assert.deepEqual(await dataOf(trellis, query), before)
})

interface TypeInfo {
  readonly fields: readonly { readonly name: string; readonly [key: string]: unknown }[]
}

test('computed fields have descriptions', async (t) => {
  const trellis = await startOffice(t)
  const query = `{ __type(name: "person") { fields {
    name description type { kind name ofType { kind ofType { name } } }
    args(includeDeprecated: true) { name description type { kind name ofType { name } } }
  } } }`
  const { __type: type } = (await dataOf(trellis, query)) as { __type: TypeInfo }
  const find = (name: string) => type.fields.find((field) => field.name === name)!
  assert.deepEqual(find('full_name'), {
    name: 'full_name',
    description: 'First and last name\n\n\nA computed field, executes function "full_name"\n',
    type: { kind: 'SCALAR', name: 'String', ofType: null },
    args: [],
  })
  assert.deepEqual(find('greeting').args, [
    {
      name: 'args',
      description: 'input parameters for function "greeting"',
      type: { kind: 'NON_NULL', name: null, ofType: { name: 'greeting_args' } },
    },
  ])
  assert.deepEqual(find('facts').args, [
    { name: 'path', description: 'JSON select path', type: { kind: 'SCALAR', name: 'String', ofType: null } },
  ])
  assert.deepEqual(find('others').type, {
    kind: 'LIST',
    name: null,
    ofType: { kind: 'NON_NULL', ofType: { name: 'person' } },
  })
  const args = find('top_leads').args as readonly { name: string; type: { name: string } }[]
  assert.deepEqual(
    args.map(({ name }) => name),
    ['args', 'distinct_on', 'limit', 'offset', 'order_by', 'where'],
  )
  assert.equal(args[0]!.type.name, 'top_leads_args')
})

test('one function with other arguments elsewhere has an input type for each use', async (t) => {
  const trellis = await startOffice(t)
  await trellis.sql(`create function shared(p person, l crm.lead, word text default '') returns text
    language sql stable as $$ select word || p.first || coalesce(l.title, '-') $$`)
  const use = (table: unknown, table_argument: string) =>
    trellis.op('add_computed_field', { table, name: 'shared', definition: { function: 'shared', table_argument } })
  await use('person', 'p')
  await use(lead, 'l')
  await trellis.op('track_function', { schema: 'public', name: 'others' })
  const query = `{
    person_by_pk(id: 2) { shared(args: {l: "(8,1,Eight)", word: "a "}) others(limit: 1) { id } }
    crm_lead_by_pk(id: 1) { shared(args: {p: null}) }
    others(args: {p: "(1,Ann,Ash,1,,2)"}) { id }
  }`
  assert.deepEqual(await dataOf(trellis, query), {
    person_by_pk: { shared: 'a BobEight', others: [{ id: 1 }] },
    crm_lead_by_pk: { shared: null },
    others: [{ id: 2 }, { id: 3 }],
  })
  const types = '{ __schema { types { name inputFields { name type { name } } } } }'
  const { __schema: schema } = (await dataOf(trellis, types)) as {
    __schema: { types: { name: string; inputFields: { name: string }[] }[] }
  }
  const members = (name: string) =>
    schema.types.find((type) => type.name === name)?.inputFields.map((field) => field.name)
  assert.deepEqual(members('person_shared_args'), ['l', 'word'])
  assert.deepEqual(members('crm_lead_shared_args'), ['p', 'word'])
  assert.equal(members('shared_args'), undefined)
  assert.deepEqual(members('others_args'), ['p'])
})

test('a tracked function that is called after a table and its computed field keeps its own arguments', async (t) => {
  const trellis = await startOffice(t)
  await trellis.sql(`create function person_later(p person, first_id int) returns setof crm.lead language sql stable
    as $$ select * from crm.lead l where l.owner_id = p.id and l.id >= first_id $$`)
  const definition = { function: 'person_later', table_argument: 'p' }
  await trellis.op('add_computed_field', { table: 'person', name: 'from', definition })
  await trellis.op('add_computed_field', { table: 'person', name: 'later', definition })
  await trellis.op('track_function', 'person_later')
  const related = '{ person_by_pk(id: 1) { later(args: {first_id: 4}) { id } from(args: {first_id: 4}) { id } } }'
  assert.deepEqual(await dataOf(trellis, related), { person_by_pk: { later: [{ id: 4 }], from: [{ id: 4 }] } })
  const rows = '{ person_later(args: {p: "(1,Ann,Ash,,,2)", first_id: 2}, order_by: {id: asc}) { id } }'
  assert.deepEqual(await dataOf(trellis, rows), { person_later: [{ id: 2 }, { id: 4 }] })
})
