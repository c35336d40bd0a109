// Comparison operators beyond those of v1.3: ltree, casts of jsonb, JSON paths, arrays, patterns on `character(n)`.

import assert from 'node:assert/strict'
import test from 'node:test'
import { refusalOf } from '../graphql/mutations.ts'
import { startTrellis, type TestTrellis } from '../support/trellis.ts'

const sql = `
  create schema ext;
  create extension ltree schema ext;
  create extension citext schema ext;
  create table place (id int primary key, path ext.ltree, labels jsonb, tags text[], sizes int[], code character(4), name ext.citext,
                      owner int, parent int);
  insert into place values
    (1, 'World', '{"a": 1, "k": ["new"]}', '{red,blue}', '{1,2}', 'ab', 'Ann', 7, null),
    (2, 'World.Europe', '{"a": 5}', '{red}', '{2,null}', 'abcd', 'Ben', 7, 1),
    (3, 'World.Europe.Norway', '["new", 3]', '{}', '{}', 'x', 'Cid', 8, 2),
    (4, 'Moon', null, null, null, null, null, 7, null)`

/** The ids of the rows that fulfil a condition. */
async function found({ graphql }: TestTrellis, where: string, options = {}, variables = {}): Promise<unknown> {
  const declared = 'v' in variables ? '($v: lquery!)' : ''
  const body = await graphql<{ data?: { place: { id: number }[] } }>(
    `query ${declared} { place(where: {${where}}, order_by: {id: asc}) { id } }`,
    variables,
    options,
  )
  return body.data ? body.data.place.map(({ id }) => id) : refusalOf(body)
}

test('columns of ltree, jsonb, arrays and characters have their own operators', async (t) => {
  const trellis = await startTrellis(t, { sql })
  await trellis.op('track_table', 'place')
  const ids = (where: string, variables = {}) => found(trellis, where, {}, variables)

  await t.test('ltree: ancestors, descendants and patterns', async () => {
    assert.deepEqual(await ids('path: {_ancestor: "World.Europe"}'), [1, 2])
    assert.deepEqual(await ids('path: {_ancestor_any: ["Moon.Sea", "World"]}'), [1, 4])
    assert.deepEqual(await ids('path: {_ancestor_any: []}'), [])
    assert.deepEqual(await ids('path: {_descendant: "World.Europe"}'), [2, 3])
    assert.deepEqual(await ids('path: {_descendant_any: ["Moon", "World.Europe.Norway"]}'), [3, 4])
    assert.deepEqual(await ids('path: {_matches: "*.Europe.*"}'), [2, 3])
    assert.deepEqual(await ids('path: {_matches: $v}', { v: 'World.*{1}' }), [2])
    assert.deepEqual(await ids('path: {_matches_any: ["Moon", "*.Norway"]}'), [3, 4])
    assert.deepEqual(await ids('path: {_matches_fulltext: "norw* & !moon"}'), [])
    assert.deepEqual(await ids('path: {_matches_fulltext: "norw*@ & !Moon"}'), [3])
    assert.deepEqual(await ids('_not: {path: {_descendant: "World"}}'), [4])
  })

  await t.test('jsonb: casts to text, and JSON paths', async () => {
    assert.deepEqual(await ids('labels: {_cast: {String: {_like: "%new%"}}}'), [1, 3])
    assert.deepEqual(await ids('labels: {_cast: {String: {_in: ["{\\"a\\": 5}"]}}}'), [2])
    assert.deepEqual(await ids('labels: {_jsonb_path_exists: "$.a ? (@ > 2)"}'), [2])
    assert.deepEqual(await ids('labels: {_jsonb_path_match: "$.a == 1"}'), [1])
    assert.deepEqual(await ids('labels: {_jsonb_path_exists: "strict $.k[0]"}'), [1])
    assert.deepEqual(await ids('labels: {_jsonb_path_exists: "$.\\"$x\\""}'), [])
  })

  await t.test('arrays: contains and contained in', async () => {
    assert.deepEqual(await ids('tags: {_contains: ["red"]}'), [1, 2])
    assert.deepEqual(await ids('tags: {_contained_in: ["red", "green"]}'), [2, 3])
    assert.deepEqual(await ids('sizes: {_contains: [2]}'), [1, 2])
    assert.deepEqual(await ids('sizes: {_contains: "{1,2}"}'), [1])
  })

  await t.test('patterns on character(n) and citext', async () => {
    assert.deepEqual(await ids('code: {_like: "ab%"}'), [1, 2])
    assert.deepEqual(await ids('code: {_ilike: "ABCD%"}'), [2])
    // PostgreSQL compares the padded value with a regular expression.
    assert.deepEqual(await ids('code: {_regex: "^ab..$"}'), [1, 2])
    assert.deepEqual(await ids('code: {_eq: "ab"}'), [1])
    assert.deepEqual(await ids('code: {_like: "abcdefgh%"}'), [])
    assert.deepEqual(await ids('name: {_like: "a%"}'), [1])
  })

  await t.test('permissions and data operations have the same operators', async () => {
    const allow = async (role: string, filter: unknown) => {
      await trellis.op('create_select_permission', { table: 'place', role, permission: { columns: '*', filter } })
      return found(trellis, '', { role, headers: { 'x-service-path': 'World.Europe', 'x-service-id': '2' } })
    }
    assert.deepEqual(await allow('a', { path: { $descendant: 'X-Service-Path' } }), [2, 3])
    assert.deepEqual(await allow('b', { path: { _matches_any: ['Moon', '*.Norway'] } }), [3, 4])
    assert.deepEqual(await allow('c', { labels: { $cast: { text: { $like: '%new%' } } } }), [1, 3])
    assert.deepEqual(await allow('d', { labels: { _cast: { String: { _like: '%new%' } } } }), [1, 3])
    assert.deepEqual(await allow('e', { labels: { _jsonb_path_exists: '$.a' } }), [1, 2])
    assert.deepEqual(await allow('f', { tags: { _contains: ['blue'] } }), [1])
    assert.deepEqual(
      await allow('g', { _exists: { _table: 'place', _where: { id: { _ceq: ['$', 'parent'] } } } }),
      [2, 3],
    )
    const select = async (where: unknown) => {
      const rows = await trellis.op<{ id: number }[]>('select', {
        table: 'place',
        columns: ['id'],
        where,
        order_by: 'id',
      })
      return rows.map(({ id }) => id)
    }
    assert.deepEqual(await select({ path: { $ancestor: 'World.Europe' } }), [1, 2])
    assert.deepEqual(await select({ code: { $ilike: 'AB%' } }), [1, 2])
    assert.deepEqual(await select({ labels: { $cast: { text: { $like: '%new%' } } } }), [1, 3])
    assert.deepEqual(await select({ tags: { $contained_in: ['red'] } }), [2, 3])
  })

  await t.test('operands of a wrong type are refused, whichever rows there are', async () => {
    const permission = { columns: '*', filter: { id: { _lt: 0 } } }
    await trellis.op('create_select_permission', { table: 'place', role: 'nobody', permission })
    const error = async (where: string) => {
      const bodies = [await ids(where), await found(trellis, where, { role: 'nobody' })]
      assert.deepEqual(bodies[1], bodies[0])
      return bodies[0] as { message: string; code: string }
    }
    assert.match((await error('path: {_ancestor: "a..b"}')).message, /ltree syntax error/)
    assert.match((await error('path: {_matches: "a{"}')).message, /lquery syntax error/)
    assert.match((await error('path: {_matches_any: ["ok", "a{"]}')).message, /lquery syntax error/)
    assert.match((await error('path: {_matches_fulltext: "& a"}')).message, /syntax error|operand syntax/)
    assert.match((await error('labels: {_jsonb_path_exists: "$.["}')).message, /syntax error/)
    assert.match((await error('code: {_regex: "("}')).message, /invalid regular expression/)
    assert.match((await error('sizes: {_contains: ["x"]}')).message, /expected a 32-bit integer for type "Int"/)
    const path = '$'
    for (const way of ['$.a ? (@ == $x)', '$\\"x\\"', '$.a.datetime() < 1']) {
      const { code } = await error(`labels: {_jsonb_path_exists: "${way}"}`)
      assert.equal(code, 'bad-request', way)
    }
    assert.deepEqual(await error('labels: {_jsonb_path_match: "$x"}'), {
      message: 'a JSON path cannot use variables',
      path,
      code: 'bad-request',
    })
    assert.equal((await error('path: {_matches: null}')).code, 'validation-failed')
    assert.equal((await error('path: {_matches_any: null}')).code, 'validation-failed')
    assert.equal((await error('id: {_contains: [1]}')).code, 'validation-failed')
  })
})
