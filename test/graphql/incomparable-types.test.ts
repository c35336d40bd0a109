import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import type { GivenSettings } from '../../core/engine/options.ts'
import { startTrellis } from '../support/trellis.ts'

const sql = `
  create type noted as (id int, note json);
  create table odd (id int primary key, x xml, p point, j json, js json[], n noted, b box, s xid, u uuid, t text);
  create table plain (big bigint primary key, v varchar, x xml);
  create table bare (x xml);
  insert into odd values (1, '<a/>', '(1,2)', '{}', '{}', '(1,"{}")', '(1,1,0,0)', '7', '00000000-0000-0000-0000-000000000001', 'a');
  insert into plain values (1, 'a', '<a/>')`

async function startOdd(t: TestContext, settings: GivenSettings = {}) {
  const trellis = await startTrellis(t, { sql, settings })
  for (const table of ['odd', 'plain', 'bare']) await trellis.op('track_table', table)
  const fieldsOf = async (name: string) => {
    const query = 'query ($name: String!) { __type(name: $name) { inputFields { name } } }'
    const { data } = await trellis.graphql<{ data: { __type: { inputFields: { name: string }[] } | null } }>(query, {
      name,
    })
    return data.__type?.inputFields.map((field) => field.name) ?? null
  }
  return { ...trellis, fieldsOf }
}

test('columns have the comparisons and orders that PostgreSQL offers for their types', async (t) => {
  const { fieldsOf, graphql } = await startOdd(t)
  const comparisons = async (scalar: string) => (await fieldsOf(`${scalar}_comparison_exp`))?.sort()
  assert.deepEqual(await comparisons('xml'), ['_is_null'])
  assert.deepEqual(await comparisons('json'), ['_is_null'])
  assert.deepEqual(await comparisons('_json'), ['_is_null'])
  assert.deepEqual(await comparisons('noted'), ['_is_null'])
  assert.deepEqual(await comparisons('point'), ['_is_null', '_neq', '_nin'])
  assert.deepEqual(await comparisons('xid'), ['_eq', '_in', '_is_null', '_neq', '_nin'])
  const all = ['_eq', '_gt', '_gte', '_in', '_is_null', '_lt', '_lte', '_neq', '_nin']
  assert.deepEqual(await comparisons('box'), all)
  assert.deepEqual(await comparisons('uuid'), all)
  assert.deepEqual((await fieldsOf('odd_order_by'))?.sort(), ['id', 't', 'u'])
  assert.equal(await fieldsOf('bare_order_by'), null)
  // Boxes are compared by their areas.
  const boxes = '{ odd(where: {b: {_neq: "(5,5,0,0)", _nin: ["(5,5,0,0)"], _in: ["(2,1,1,0)"]}}) { id } }'
  assert.deepEqual(await graphql(boxes), { data: { odd: [{ id: 1 }] } })
  assert.deepEqual(await graphql('{ odd(where: {s: {_neq: "8"}, p: {_neq: "(2,2)"}}) { id } }'), {
    data: { odd: [{ id: 1 }] },
  })
})

test('every offered comparison and order works', async (t) => {
  const { fieldsOf, graphql, sql: run } = await startOdd(t)
  const columns: Record<string, string> = {
    x: 'xml',
    p: 'point',
    j: 'json',
    js: '_json',
    n: 'noted',
    b: 'box',
    s: 'xid',
    u: 'uuid',
  }
  const texts = (await run('select x::text, p::text, n::text, b::text, s::text, u::text from odd')) as Record<
    string,
    string
  >[]
  for (const [column, scalar] of Object.entries(columns)) {
    for (const operator of (await fieldsOf(`${scalar}_comparison_exp`)) ?? []) {
      const value = JSON.stringify(texts[0]?.[column] ?? null)
      const operand = operator === '_is_null' ? 'true' : operator.endsWith('in') ? `[${value}]` : value
      const answer = await graphql<{ errors?: unknown }>(
        `{ odd(where: {${column}: {${operator}: ${operand}}}) { id } }`,
      )
      assert.equal(answer.errors, undefined, `${column} ${operator}: ${JSON.stringify(answer)}`)
    }
  }
  for (const column of (await fieldsOf('odd_order_by')) ?? []) {
    const answer = await graphql<{ errors?: unknown }>(`{ odd(order_by: {${column}: asc}) { id } }`)
    assert.equal(answer.errors, undefined, column)
  }
})

test('rows are not distinguished by columns that PostgreSQL cannot compare', async (t) => {
  const { graphql } = await startOdd(t)
  const refused = (message: string, path: string) => ({
    errors: [{ extensions: { path, code: 'validation-failed' }, message }],
  })
  assert.deepEqual(
    await graphql('{ odd(distinct_on: [id, j]) { id } }'),
    refused(`"j" has type 'json' and cannot be used in distinct_on`, '$.selectionSet.odd.args.distinct_on[1]'),
  )
  assert.deepEqual(
    await graphql('{ odd_aggregate { aggregate { count(columns: [x], distinct: true) } } }'),
    refused(
      `"x" has type 'xml' and cannot be used in a distinct count`,
      '$.selectionSet.odd_aggregate.selectionSet.aggregate.selectionSet.count.args.columns[0]',
    ),
  )
  const counted = await graphql('{ odd_aggregate { aggregate { count(columns: [x]) } } }')
  assert.deepEqual(counted, { data: { odd_aggregate: { aggregate: { count: 1 } } } })
})

test('a permission with a comparison that PostgreSQL lacks is refused', async (t) => {
  const { opError } = await startOdd(t)
  for (const [filter, type] of [
    [{ x: { _eq: '<a/>' } }, 'xml'],
    [{ x: '<a/>' }, 'xml'],
    [{ n: { $in: ['(1,"{}")'] } }, 'noted'],
  ] as const) {
    const permission = { columns: ['id'], filter }
    const { status, body } = await opError('create_select_permission', { table: 'odd', role: 'user', permission })
    const { error, code, path } = body as { error: string; code: string; path: string }
    const place = 'in table "odd": in permission for role "user": '
    assert.deepEqual(
      [status, code, path, error],
      [400, 'constraint-violation', '$.args', `${place} is of type "${type}", whose values PostgreSQL cannot compare`],
    )
  }
})

test('a relationship of a custom type to a column that PostgreSQL cannot compare is refused', async (t) => {
  const { opError } = await startOdd(t)
  const relationships = [{ name: 'rows', type: 'array', remote_table: 'plain', field_mapping: { doc: 'x' } }]
  const objects = [{ name: 'Paper', fields: [{ name: 'doc', type: 'String!' }], relationships }]
  const { status, body } = await opError('set_custom_types', { objects })
  assert.equal(status, 400)
  const what = 'the column "x" of remote table "plain" for relationship "rows" in object type "Paper"'
  assert.match(
    JSON.stringify(body).replaceAll('\\"', '"'),
    new RegExp(`${what} is of type xml, whose values PostgreSQL cannot compare`),
  )
})

const manual = (table: string, mapping: Record<string, string>) => ({
  manual_configuration: { remote_table: table, column_mapping: mapping },
})

test('a relationship whose columns PostgreSQL cannot compare is refused, and inconsistent in stored metadata', async (t) => {
  const { op, opError, graphql, sql: run } = await startOdd(t)
  const reason = (own: string, theirs: string) =>
    `in table "odd": in relationship "other": column ${own} cannot be compared with column ${theirs} of table "plain"`
  for (const [mapping, own, theirs] of [
    [{ u: 'big' }, '"u" of type uuid', '"big" of type bigint'],
    [{ id: 'big', x: 'x' }, '"x" of type xml', '"x" of type xml'],
    [{ t: 'big' }, '"t" of type text', '"big" of type bigint'],
  ] as const) {
    for (const type of ['object', 'array'] as const) {
      const args = { table: 'odd', name: 'other', using: manual('plain', mapping) }
      const { status, body } = await opError(`create_${type}_relationship`, args)
      const { error, code, path } = body as { error: string; code: string; path: string }
      assert.deepEqual(
        { status, error, code, path },
        {
          status: 400,
          error: reason(own, theirs),
          code: 'constraint-violation',
          path: '$.args',
        },
      )
    }
  }
  await op('create_object_relationship', { table: 'odd', name: 'other', using: manual('plain', { id: 'big', t: 'v' }) })
  assert.deepEqual(await graphql('{ odd { other { big } } }'), { data: { odd: [{ other: { big: 1 } }] } })
  await run('alter table plain alter column v type json using null')
  await op('reload_metadata', {})
  const inconsistent = await op<{ reason: string }[]>('get_inconsistent_metadata', {})
  assert.deepEqual(
    inconsistent.map((each) => each.reason),
    [reason('"t" of type text', '"v" of type json')],
  )
  const { errors } = await graphql<{ errors: { message: string }[] }>('{ odd { other { big } } }')
  assert.equal(errors[0]?.message, `field "other" not found in type: 'odd'`)
})

test('a new cast makes columns comparable, and a dropped cast makes them incomparable', async (t) => {
  const { op, opError } = await startOdd(t)
  const args = { table: 'odd', name: 'other', using: manual('plain', { u: 'v' }) }
  assert.equal((await opError('create_object_relationship', args)).status, 400)
  await op('run_sql', { sql: 'create cast (varchar as uuid) with inout as implicit; alter table odd add more int' })
  await op('reload_metadata', {})
  await op('create_object_relationship', args)
  await op('run_sql', { sql: 'drop cast (varchar as uuid)', check_metadata_consistency: false })
  await op('reload_metadata', {})
  const inconsistent = await op<{ type: string }[]>('get_inconsistent_metadata', {})
  assert.deepEqual(
    inconsistent.map(({ type }) => type),
    ['object_relation'],
  )
})

test('hasura: comparisons and orders are those of v1.3', async (t) => {
  const { fieldsOf, op } = await startOdd(t, { dialect: 'hasura' })
  const all = ['_eq', '_gt', '_gte', '_in', '_is_null', '_lt', '_lte', '_neq', '_nin']
  for (const scalar of ['xml', 'json', 'point']) {
    assert.deepEqual((await fieldsOf(`${scalar}_comparison_exp`))?.sort(), all)
  }
  assert.deepEqual(await fieldsOf('bare_order_by'), ['x'])
  await op('create_select_permission', {
    table: 'odd',
    role: 'user',
    permission: { columns: ['id'], filter: { x: { _eq: '<a/>' } } },
  })
})
