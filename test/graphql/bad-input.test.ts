// Invalid input, sent by mistake or on purpose: the answer is a clear error or the right data, never a server failure.

import assert from 'node:assert/strict'
import test from 'node:test'
import { startLibrary } from '../support/library.ts'
import { startTrellis, type TestTrellis } from '../support/trellis.ts'

interface Refusal {
  readonly errors: readonly [
    { readonly message: string; readonly extensions: { readonly path: string; readonly code: string } },
  ]
}

const refusalOf = (body: unknown) => {
  const [{ message, extensions }] = (body as Refusal).errors
  return { message, ...extensions }
}

/** The server still works, and its schema and data are unchanged. */
async function assertUnharmed(trellis: TestTrellis) {
  const answer = await trellis.graphql('{ book_aggregate { aggregate { count } } }')
  assert.deepEqual(answer, { data: { book_aggregate: { aggregate: { count: 3 } } } })
}

test('numbers beyond double precision are kept exactly, in and out', async (t) => {
  const trellis = await startTrellis(t, {
    sql: `create table amount (id bigint primary key, value numeric, data jsonb, plain json)`,
  })
  await trellis.op('track_table', 'amount')
  const id = '9223372036854775807'
  const value = '12345678901234567890.123456789012345678900'
  const data = '{"n": 123456789012345678901234567890, "f": 1.10}'
  const { text } = await trellis.request('/v1/graphql', {
    body: `{"query": "mutation ($o: [amount_insert_input!]!) { insert_amount(objects: $o) { returning { id value data plain } } }",
            "variables": {"o": [{"id": ${id}, "value": ${value}, "data": ${data}, "plain": ${data}}]}}`,
  })
  assert.equal(
    text,
    `{"data":{"insert_amount":{"returning":[{"id":${id},"value":${value},` +
      `"data":{"f": 1.10, "n": 123456789012345678901234567890},"plain":{"n":123456789012345678901234567890,"f":1.10}}]}}}`,
  )
  const literal = await trellis.request('/v1/graphql', {
    body: { query: `{ amount(where: {id: {_eq: ${id}}, value: {_eq: ${value}}}) { id } }` },
  })
  assert.equal(literal.text, `{"data":{"amount":[{"id":${id}}]}}`)
  const variable = await trellis.request('/v1/graphql', {
    body: `{"query": "query ($v: [numeric!]) { amount(where: {value: {_in: $v}}) { id } }", "variables": {"v": [${value}]}}`,
  })
  assert.equal(variable.text, `{"data":{"amount":[{"id":${id}}]}}`)
})

test('odd names work wherever GraphQL can spell them', async (t) => {
  const long = 'c'.repeat(63)
  const trellis = await startTrellis(t, {
    sql: `create schema "odd ""schema"" ☂";
      create table "odd ""schema"" ☂"."ta'ble; drop table x; -- 🎉" (
        "id" int primary key, "it's" text, "select" text, "💥" int, "${long}" text, "__proto__" text, "constructor" text);
      insert into "odd ""schema"" ☂"."ta'ble; drop table x; -- 🎉" values (1, 'a', 'b', 2, 'd', 'e', 'f')`,
  })
  const table = { schema: 'odd "schema" ☂', name: "ta'ble; drop table x; -- 🎉" }
  await trellis.op('track_table', table)
  const configuration = {
    custom_root_fields: { select: 'odd', select_by_pk: 'odd_by_pk' },
    custom_column_names: { "it's": 'its', '💥': 'boom' },
  }
  await trellis.op('untrack_table', { table })
  await trellis.op('track_table', { table, configuration }, { version: 2 })
  // Type names are derived from the table's name. GraphQL cannot spell it, so only the metadata API serves the table.
  assert.equal(
    refusalOf(await trellis.graphql('{ odd { id } }')).message,
    `field "odd" not found in type: 'query_root'`,
  )
  await trellis.sql(`alter table "odd ""schema"" ☂"."ta'ble; drop table x; -- 🎉" set schema public`)
  await trellis.sql(`alter table "ta'ble; drop table x; -- 🎉" rename to plain`)
  await trellis.op('reload_metadata', {})
  await trellis.op('drop_inconsistent_metadata', {})
  const custom_column_names = { "it's": 'its', '💥': 'boom', ['__proto__']: 'proto' }
  await trellis.request('/v1/query', {
    body: `{"type": "track_table", "version": 2, "args": {"table": "plain", "configuration":
      {"custom_column_names": {"it's": "its", "💥": "boom", "__proto__": "proto"}}}}`,
  })
  assert.ok(custom_column_names)
  assert.deepEqual(
    await trellis.graphql(
      `{ plain(where: {its: {_eq: "a"}, proto: {_eq: "e"}}, order_by: {boom: asc}) {
           id its select boom ${long} proto constructor _1: id __proto: id } }`,
    ),
    {
      data: {
        plain: [
          { id: 1, its: 'a', select: 'b', boom: 2, [long]: 'd', proto: 'e', constructor: 'f', _1: 1, __proto: 1 },
        ],
      },
    },
  )
})

test('values are never read as SQL', async (t) => {
  const trellis = await startLibrary(t)
  for (const title of [
    `'; drop table book; --`,
    '$1',
    '\\',
    '%',
    '🎉"\'\u0001\n',
    '\\u0000',
    `${'x'.repeat(1_000_000)}'`,
  ]) {
    const answer = await trellis.graphql('query ($t: String!) { book(where: {title: {_eq: $t}}) { id } }', { t: title })
    assert.deepEqual(answer, { data: { book: [] } })
    const literal = JSON.stringify(title)
    assert.deepEqual(await trellis.graphql(`{ book(where: {title: {_in: [${literal}]}}) { id } }`), {
      data: { book: [] },
    })
  }
  const nul = await trellis.graphql('query ($t: String!) { book(where: {title: {_eq: $t}}) { id } }', { t: 'a\u0000b' })
  assert.equal(refusalOf(nul).code, 'data-exception')
  await assertUnharmed(trellis)
})

test('values that do not fit their type are refused, with any error code of PostgreSQL', async (t) => {
  const trellis = await startTrellis(t, {
    sql: `create extension ltree; create extension hstore;
      create function raises(id int) returns int language plpgsql immutable as $$
        begin raise 'it is not' using errcode = 'syntax_error'; end $$;
      create table odd (id int primary key, path ltree, pairs hstore, words tsvector, way jsonpath);
      insert into odd values (1); create view raising as select raises(id) as n from odd`,
  })
  for (const table of ['odd', 'raising']) await trellis.op('track_table', table)
  const values: [column: string, value: string, message: RegExp][] = [
    ['path', 'a..b', /ltree syntax error/],
    ['pairs', 'a=>', /syntax error in hstore/],
    ['words', 'a:x', /syntax error in tsvector: "a:x"/],
    ['way', '$.[', /syntax error .* of jsonpath input/],
  ]
  for (const [column, value, message] of values) {
    const update = `mutation { update_odd(where: {}, _set: {${column}: "${value}"}) { affected_rows } }`
    const refusals = [await trellis.graphql(update)]
    if (column !== 'way') refusals.push(await trellis.graphql(`{ odd(where: {${column}: {_eq: "${value}"}}) { id } }`))
    for (const refusal of refusals) {
      assert.equal(refusalOf(refusal).code, 'data-exception')
      assert.match(refusalOf(refusal).message, message)
    }
  }
  // The error code of an invalid value must reveal nothing when a function raises it.
  const raised = refusalOf(await trellis.graphql('{ raising { n } }'))
  assert.deepEqual([raised.code, raised.message], ['unexpected', 'database query error'])
})

test('__proto__ is a name like any other', async (t) => {
  const trellis = await startLibrary(t)
  const body = (variables: string) =>
    `{"query": "query ($w: book_bool_exp) { book(where: $w) { id } }", "variables": ${variables}}`
  const ask = async (variables: string) => (await trellis.request('/v1/graphql', { body: body(variables) })).body
  assert.deepEqual(refusalOf(await ask('{"w": {"__proto__": {"_eq": 1}}}')), {
    message: `field "__proto__" not found in type: 'book_bool_exp'`,
    path: '$.selectionSet.book.args.where.__proto__',
    code: 'validation-failed',
  })
  assert.equal(
    refusalOf(await ask('{"w": {}, "__proto__": {"a": 1}}')).message,
    'unexpected variables in variableValues: __proto__',
  )
  assert.equal(
    refusalOf(await trellis.graphql('{ book { toString } }')).message,
    `field "toString" not found in type: 'book'`,
  )
  assert.equal(
    refusalOf(await trellis.graphql('{ book(where: {constructor: {}}) { id } }')).message,
    `field "constructor" not found in type: 'book_bool_exp'`,
  )
  await assertUnharmed(trellis)
})

test('deep nesting is refused', async (t) => {
  const trellis = await startLibrary(t)
  const nested = (depth: number) => `{ book ${'{ publisher { books '.repeat(depth)} { id } ${'} }'.repeat(depth)} }`
  assert.match(refusalOf(await trellis.graphql(nested(200))).message, /^the request costs more than 50000, /)
  assert.equal(refusalOf(await trellis.graphql(nested(20_000))).message, 'not a valid graphql query')
  const where = (depth: number) => `{ book(where: ${'{_not: '.repeat(depth)}{}${'}'.repeat(depth)}) { id } }`
  assert.equal(refusalOf(await trellis.graphql(where(1000))).message, 'the value is nested too deeply')
  assert.deepEqual(await trellis.graphql(where(100)), { data: { book: [{ id: 1 }, { id: 2 }, { id: 3 }] } })
  const variable = async (depth: number) => {
    const value = `${'{"_not":'.repeat(depth)}{}${'}'.repeat(depth)}`
    const body = `{"query": "query ($w: book_bool_exp) { book(where: $w) { id } }", "variables": {"w": ${value}}}`
    return refusalOf((await trellis.request('/v1/graphql', { body })).body)
  }
  assert.equal((await variable(900)).message, 'the value is nested too deeply')
  assert.equal((await variable(100_000)).code, 'invalid-json')
  await assertUnharmed(trellis)
})

test('thousands of aliases are answered', async (t) => {
  const trellis = await startLibrary(t)
  const many = (count: number, field: (i: number) => string) =>
    Array.from({ length: count }, (_, i) => field(i)).join(' ')
  const roots = await trellis.graphql<{ data: object }>(`{ ${many(1000, (i) => `a${i}: book_by_pk(id: 1) { id }`)} }`)
  assert.equal(Object.keys(roots.data).length, 1000)
  const members = await trellis.graphql<{ data: { book: object[] } }>(
    `{ book { ${many(5000, (i) => `a${i}: title`)} } }`,
  )
  assert.equal(Object.keys(members.data.book[0]!).length, 5000)
  const repeated = await trellis.graphql(`{ ${many(5000, () => 'book_by_pk(id: 1) { id }')} }`)
  assert.deepEqual(repeated, { data: { book_by_pk: { id: 1 } } })
})

test('an error repeats a part of a long name, in its path and in its message', async (t) => {
  const trellis = await startLibrary(t)
  const name = 'x'.repeat(1_000_000)
  const query = 'query ($where: book_bool_exp) { book(where: $where) { id } }'
  const { path, message } = refusalOf(await trellis.graphql(query, { where: { [name]: {} } }))
  assert.ok(path.endsWith(`.where.${'x'.repeat(200)}…`) || path.endsWith('.where'), path.slice(-300))
  assert.equal(message.length, 10_000)
  assert.match(message, /^[^x]*"x{8000,}…x+"[^x]/)
  const { body } = await trellis.opError('count', { table: 'book', where: { [`${name} y`]: {} } })
  assert.ok(JSON.stringify(body).length < 11_000)
})

test('fragments that multiply are flattened once', async (t) => {
  const trellis = await startLibrary(t)
  const fragments = Array.from({ length: 40 }, (_, i) => `fragment f${i} on book { ...f${i + 1} ...f${i + 1} id }`)
  const answer = await trellis.graphql(
    `{ book(limit: 1) { ...f0 } } ${fragments.join(' ')} fragment f40 on book { title }`,
  )
  assert.deepEqual(answer, { data: { book: [{ title: 'Dawn', id: 1 }] } })
})

test('the metadata API refuses arguments of a wrong shape and changes nothing', async (t) => {
  const trellis = await startLibrary(t)
  const before = await trellis.op('export_metadata', {})
  const bodies = [
    '',
    '{',
    'null',
    '[]',
    '"x"',
    '1e999',
    '{"type": 1, "args": {}}',
    '{"type": "no_such_operation", "args": {}}',
    '{"type": "track_table"}',
    '{"type": "track_table", "args": 5}',
    '{"type": "track_table", "args": {"schema": 1, "name": "book"}}',
    '{"type": "track_table", "args": "book", "version": 7}',
    '{"type": "track_table", "args": "no_such_table"}',
    `{"type": "track_table", "args": "${'x'.repeat(200)}"}`,
    '{"type": "__proto__", "args": {}}',
    '{"type": "bulk", "args": {"a": 1}}',
    '{"type": "bulk", "args": [{"type": "untrack_table", "args": {"table": "book"}}, {"type": "nothing", "args": {}}]}',
    '{"type": "create_select_permission", "args": {"table": "book", "role": "r", "permission": {"columns": ["nope"], "filter": {}}}}',
    '{"type": "create_select_permission", "args": {"table": "book", "role": "r", "permission": {"columns": "*", "filter": {"__proto__": {}}}}}',
    `{"type": "replace_metadata", "args": ${'{"a":'.repeat(5000)}1${'}'.repeat(5000)}}`,
  ]
  for (const body of bodies) {
    const answer = await trellis.request<{ path: string; error: string; code: string }>('/v1/query', {
      method: 'POST',
      body,
    })
    assert.ok(answer.status >= 400 && answer.status < 500, `${body.slice(0, 100)}: ${answer.status} ${answer.text}`)
    assert.deepEqual(Object.keys(answer.body).sort().slice(0, 2), ['code', 'error'], body.slice(0, 100))
  }
  assert.deepEqual(await trellis.op('export_metadata', {}), before)
  await assertUnharmed(trellis)
})
