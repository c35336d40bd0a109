// The harness of the golden suite: reading cases, laying out SQL, and recording.

import assert from 'node:assert/strict'
import test from 'node:test'
import pg from 'pg'
import { testDatabase } from '../support/database.ts'
import { parseCase, printCase } from './harness/case-file.ts'
import { layoutJson } from './harness/json-layout.ts'
import { layoutSql } from './harness/sql-layout.ts'
import { printStatements } from './harness/statements.ts'
import { recordWire } from './harness/wire-recorder.ts'

test('a case is read into steps and printed as it was', () => {
  const text = `What it shows.

--- request
role: reader
x-service-user-id: 4

{ book { id } }

--- variables
{ "id": 1.50 }

=== answer 200
{ "data": {} }

--- database
select 1

=== rows
[]
`
  const given = parseCase(text)
  assert.equal(printCase(given), text)
  assert.equal(given.title, 'What it shows.')
  assert.deepEqual(given.steps[0], {
    kind: 'request',
    headers: [
      ['role', 'reader'],
      ['x-service-user-id', '4'],
    ],
    text: '{ book { id } }',
    variables: '{ "id": 1.50 }',
    recorded: [{ heading: 'answer 200', text: '{ "data": {} }' }],
  })
  assert.equal(given.steps[1]?.text, 'select 1')
})

test('an invalid case is refused', () => {
  assert.throws(() => parseCase('--- request\n{ a }'), { message: 'a case begins with what it shows, in words' })
  assert.throws(() => parseCase('Title'), { message: 'a case has at least one step' })
  assert.throws(() => parseCase('Title\n--- reqest\n{ a }'), { message: '"--- reqest" belongs to no step' })
  assert.throws(() => parseCase('Title\n--- request\n{ a }\n--- variable\n{}'), {
    message: 'no such section: "--- variable"',
  })
})

test('JSON keeps digits, order and duplicates', () => {
  assert.equal(layoutJson('{"b":1.50,"1":[],"b":{},"s":"a\\"{,"}'), '{ "b": 1.50, "1": [], "b": {}, "s": "a\\"{," }')
  assert.equal(layoutJson('{"a":[1,2],"b":3}', 12), '{\n  "a": [\n    1,\n    2\n  ],\n  "b": 3\n}')
  assert.equal(layoutJson('not json'), 'not json')
})

test('SQL keeps its tokens', () => {
  const text = `select '{"a":' || ("t"."a (b"::text) || E'\\\\\\'(' as j from "t" where "t"."x" @> $1::jsonb and "t"."b" = any ($2::text[]) order by 1`
  const laidOut = layoutSql(text)
  assert.equal(laidOut.replace(/\s+/g, ''), text.replace(/\s+/g, ''))
  assert.deepEqual(
    laidOut.split('\n').map((line) => line.split(' ')[0]),
    ['select', 'from', 'where', 'order'],
  )
})

test('the recorder sees statements of both protocols with their values', async (t) => {
  const database = await testDatabase(t)
  const recorder = await recordWire(t, database.url)
  const client = new pg.Client({ connectionString: recorder.url })
  await client.connect()
  await client.query('select 1')
  const named = { name: 'n', text: 'select $1::text, $2::int', values: ['ä', null] }
  await client.query(named)
  await client.query(named)
  await client.end()
  const sent = recorder.take()
  assert.deepEqual(
    sent.map(({ text, values }) => ({ text, values })),
    [
      { text: 'select 1', values: [] },
      { text: named.text, values: named.values },
      { text: named.text, values: named.values },
    ],
  )
  assert.equal(new Set(sent.map(({ batch }) => batch)).size, 3)
  assert.equal(new Set(sent.map(({ connection }) => connection)).size, 1)
  assert.deepEqual(recorder.take(), [])
})

test('statements of a transaction are grouped, however it was begun', () => {
  const sent = (texts: readonly (readonly [batch: number, text: string])[]) =>
    texts.map(([batch, text]) => ({ text, values: [], connection: 0, batch }))
  const settings = 'select where (pg_catalog.set_config($1, $2, true)) is null'
  const begun = [
    [0, 'BEGIN ISOLATION LEVEL READ COMMITTED'],
    [1, settings],
    [2, 'delete from a'],
    [3, 'COMMIT'],
  ] as const
  assert.equal(printStatements(sent(begun)), '-- transaction\n\ndelete from a')
  const together = [
    [0, settings],
    [0, 'delete from a'],
    [1, 'select 3'],
    [2, 'select 1'],
  ] as const
  // The last one is a test of a connection, and not part of any request.
  assert.equal(printStatements(sent(together)), '-- transaction\n\ndelete from a\n\n-- no transaction\n\nselect 3')
  const strict = [
    [0, 'BEGIN ISOLATION LEVEL SERIALIZABLE'],
    [1, 'delete from a'],
    [2, 'delete from b'],
    [3, 'ROLLBACK'],
    [4, 'select 2'],
    [5, 'select 3'],
  ] as const
  assert.equal(
    printStatements(sent(strict)),
    '-- transaction: SERIALIZABLE\n\ndelete from a\n\ndelete from b\n\n-- no transaction\n\nselect 2\n\nselect 3',
  )
})
