import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startTrellis } from 'trellis/testing'
import encryption from '../../examples/encryption.ts'
import masking from '../../examples/masking.ts'

const sql = `
  create table patient (id int primary key, name text not null, diagnosis text, ssn text unique);
  comment on column patient.diagnosis is '@encrypted';
  comment on column patient.ssn is '@encrypted searchable';
  create table visit (id int primary key, patient_id int references patient, note text);
  comment on column visit.note is '@encrypted'`

const settings = {
  encryptionKey: Buffer.alloc(32, 7).toString('base64'),
  encryptionReaders: ['admin', 'doctor'],
}

async function startWard() {
  const trellis = await startTrellis({ plugins: [encryption], settings, sql })
  const columns = '*'
  const grants = ['doctor', 'porter'].flatMap((role) =>
    ['patient', 'visit'].map((table) => ({
      type: 'create_select_permission',
      args: { table, role, permission: { columns, filter: {}, allow_aggregations: true } },
    })),
  )
  await trellis.operation('bulk', [
    { type: 'track_table', args: 'patient' },
    { type: 'track_table', args: 'visit' },
    {
      type: 'create_array_relationship',
      args: {
        table: 'patient',
        name: 'visits',
        using: { foreign_key_constraint_on: { table: 'visit', column: 'patient_id' } },
      },
    },
    ...grants,
    {
      type: 'create_insert_permission',
      args: {
        table: 'patient',
        role: 'doctor',
        permission: { columns: ['id', 'name', 'diagnosis'], set: { ssn: 'x-service-ssn' }, check: {} },
      },
    },
  ])
  return trellis
}

test('texts are stored encrypted, and readers alone see them under the name of the column', async () => {
  await using trellis = await startWard()
  const insert = `mutation ($visits: [visit_insert_input!]!) {
    insert_patient(objects: {id: 1, name: "Ann", diagnosis: "flu", ssn: "123", visits: {data: $visits}}) {
      returning { diagnosis ssn visits { note } }
    }
  }`
  const visits = [
    { id: 1, note: 'cough' },
    { id: 2, note: null },
  ]
  const shown = { diagnosis: 'flu', ssn: '123', visits: [{ note: 'cough' }, { note: null }] }
  assert.deepEqual(await trellis.graphql(insert, { variables: { visits } }), {
    data: { insert_patient: { returning: [shown] } },
  })
  const [stored] = await trellis.sql('select diagnosis, ssn from patient')
  for (const text of Object.values(stored!)) assert.match(String(text), /^[A-Za-z0-9+/]{40,}=*$/)
  const read = '{ patient { name diagnosis ssn visits(order_by: {id: asc}) { note } } }'
  assert.deepEqual(await trellis.graphql(read, { role: 'doctor' }), { data: { patient: [{ name: 'Ann', ...shown }] } })
  const hidden = { name: 'Ann', diagnosis: null, ssn: null, visits: [{ note: null }, { note: null }] }
  assert.deepEqual(await trellis.graphql(read, { role: 'porter' }), { data: { patient: [hidden] } })
  const columns = ['name', 'diagnosis', { name: 'visits', columns: ['note'], order_by: 'id' }]
  const { ssn, ...own } = shown
  assert.deepEqual(await trellis.operation('select', { table: 'patient', columns }), [{ name: 'Ann', ...own }])
})

test('presets of session variables are encrypted, and readers find equal values', async () => {
  await using trellis = await startWard()
  const insert =
    'mutation ($d: String) { insert_patient_one(object: {id: 2, name: "Bo", diagnosis: $d}) { ssn diagnosis } }'
  const options = { role: 'doctor', headers: { 'x-service-ssn': '456' }, variables: { d: 'cold' } }
  assert.deepEqual(await trellis.graphql(insert, options), {
    data: { insert_patient_one: { ssn: '456', diagnosis: 'cold' } },
  })
  const find = 'query ($ssn: String!) { patient(where: {ssn: {_eq: $ssn}}) { id } }'
  const found = (ssn: string) => trellis.graphql(find, { role: 'doctor', variables: { ssn } })
  assert.deepEqual(await found('456'), { data: { patient: [{ id: 2 }] } })
  assert.deepEqual(await found('457'), { data: { patient: [] } })
  const upsert = `mutation {
    insert_patient(objects: {id: 9, name: "Bob", ssn: "456"},
                   on_conflict: {constraint: patient_ssn_key, update_columns: [name]}) { returning { id name } }
  }`
  assert.deepEqual(await trellis.graphql(upsert), {
    data: { insert_patient: { returning: [{ id: 2, name: 'Bob' }] } },
  })
  const { errors } = await trellis.graphql('{ patient(where: {diagnosis: {_eq: "cold"}}) { id } }')
  assert.deepEqual(errors, [
    {
      extensions: { path: '$.selectionSet.patient.args.where.diagnosis', code: 'validation-failed' },
      message: `field "diagnosis" not found in type: 'patient_bool_exp'`,
    },
  ])
})

test('lists of values are found, and a permission compares with a session variable', async () => {
  await using trellis = await startWard()
  const objects = ['1', '2', '3'].map((ssn, i) => ({ id: i + 1, name: `P${ssn}`, ssn, diagnosis: ssn }))
  const insert = 'mutation ($objects: [patient_insert_input!]!) { insert_patient(objects: $objects) { affected_rows } }'
  await trellis.graphql(insert, { variables: { objects } })
  const find = `query ($ssns: [String!]!, $where: patient_bool_exp!) {
    some: patient(where: {ssn: {_in: $ssns}}, order_by: {id: asc}) { id }
    literal: patient(where: {ssn: {_nin: ["1", "3"]}}) { id }
    whole: patient(where: $where) { id }
    none: patient(where: {ssn: {_is_null: true}}) { id }
  }`
  const variables = { ssns: ['1', '3', '4'], where: { _not: { ssn: { _neq: '2' } } } }
  assert.deepEqual(await trellis.graphql(find, { role: 'doctor', variables }), {
    data: { some: [{ id: 1 }, { id: 3 }], literal: [{ id: 2 }], whole: [{ id: 2 }], none: [] },
  })
  const found = { table: 'patient', columns: ['id', 'ssn'], where: { ssn: { $in: ['2', '3'] } }, order_by: 'id' }
  assert.deepEqual(await trellis.operation('select', found), [
    { id: 2, ssn: '2' },
    { id: 3, ssn: '3' },
  ])
  await trellis.operation('create_select_permission', {
    table: 'patient',
    role: 'self',
    permission: { columns: ['id', 'name', 'ssn'], filter: { ssn: 'x-service-ssn' } },
  })
  const own = await trellis.graphql('{ patient { name ssn } }', { role: 'self', headers: { 'x-service-ssn': '2' } })
  assert.deepEqual(own, { data: { patient: [{ name: 'P2', ssn: null }] } })
  const { errors } = await trellis.graphql('{ patient(where: {ssn: {_like: "%"}}) { id } }')
  assert.equal(errors?.[0]?.message, `field "_like" not found in type: 'String_equality_exp'`)
})

test('a broken ciphertext is null with an error at its place', async () => {
  await using trellis = await startWard()
  await trellis.graphql(`mutation { insert_patient(objects: [
    {id: 1, name: "Ann", diagnosis: "flu"}, {id: 2, name: "Bo", diagnosis: "cold"}]) { affected_rows } }`)
  await trellis.sql(
    `update patient set diagnosis = (select diagnosis from patient where id = 2), ssn = diagnosis where id = 1`,
  )
  const { data, errors } = await trellis.graphql('{ patient(order_by: {id: asc}) { id sick: diagnosis ssn } }')
  assert.deepEqual(data, {
    patient: [
      { id: 1, sick: 'cold', ssn: null },
      { id: 2, sick: 'cold', ssn: null },
    ],
  })
  assert.deepEqual(errors, [
    {
      extensions: { path: '$.selectionSet.patient.selectionSet.ssn', code: 'data-exception' },
      message: 'the value of the column "ssn" cannot be read',
      path: ['patient', 0, 'ssn'],
    },
  ])
})

test('masked columns show their last characters, and only administrators can compare them', async () => {
  const card = `create table card (id int primary key, number text);
    comment on column card.number is '@masked';
    insert into card values (1, '4000123412341234'), (2, '4000'), (3, null)`
  await using trellis = await startTrellis({ plugins: [masking], sql: card })
  await trellis.operation('track_table', 'card')
  const permission = { columns: '*', filter: { number: { _like: '4000%' } } }
  await trellis.operation('create_select_permission', { table: 'card', role: 'clerk', permission })
  const read = '{ card(order_by: {id: asc}) { id number } }'
  assert.deepEqual(await trellis.graphql(read, { role: 'clerk' }), {
    data: {
      card: [
        { id: 1, number: '************1234' },
        { id: 2, number: '4000' },
      ],
    },
  })
  const find = '{ card(where: {number: {_like: "4000_%"}}) { number } }'
  assert.deepEqual(await trellis.graphql(find), { data: { card: [{ number: '4000123412341234' }] } })
  const { errors } = await trellis.graphql(find, { role: 'clerk' })
  assert.equal(errors?.[0]?.message, `field "number" not found in type: 'card_bool_exp'`)
})
