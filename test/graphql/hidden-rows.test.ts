// Operands that fail do so whatever rows there are: two tables that differ in rows that a role may not see answer alike,
// byte for byte, however often they are asked.

import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import fc from 'fast-check'
import { startTrellis, type TestTrellis } from '../support/trellis.ts'

/** Columns of many types, and a value of each that hidden rows have. */
const columns: Record<string, { type: string; hidden: string }> = {
  c_text: { type: 'text', hidden: 'ab(x\\y' },
  c_varchar: { type: 'varchar', hidden: 'ab(x\\y' },
  c_citext: { type: 'citext', hidden: 'ab(x\\y' },
  c_char: { type: 'char(3)', hidden: 'abc' },
  c_domain: { type: 'short', hidden: 'abc' },
  c_enum: { type: 'mood', hidden: 'sad' },
  c_int2: { type: 'int2', hidden: '1' },
  c_int4: { type: 'int4', hidden: '1' },
  c_int8: { type: 'int8', hidden: '1' },
  c_numeric: { type: 'numeric', hidden: '1' },
  c_float8: { type: 'float8', hidden: '1' },
  c_money: { type: 'money', hidden: '1' },
  c_bool: { type: 'bool', hidden: 'true' },
  c_date: { type: 'date', hidden: '2020-01-01' },
  c_timestamp: { type: 'timestamp', hidden: '2020-01-01' },
  c_timestamptz: { type: 'timestamptz', hidden: '2020-01-01' },
  c_time: { type: 'time', hidden: '10:00' },
  c_timetz: { type: 'timetz', hidden: '10:00' },
  c_interval: { type: 'interval', hidden: '1 day' },
  c_uuid: { type: 'uuid', hidden: '00000000-0000-0000-0000-000000000001' },
  c_jsonb: { type: 'jsonb', hidden: '{"a": [1]}' },
  c_inet: { type: 'inet', hidden: '10.0.0.1' },
  c_bytea: { type: 'bytea', hidden: 'abc' },
  c_range: { type: 'int4range', hidden: '[1,2)' },
  c_ints: { type: 'int4[]', hidden: '{1,2}' },
  c_texts: { type: 'text[]', hidden: '{a,b}' },
  c_moods: { type: 'mood[]', hidden: '{sad}' },
  c_varbit: { type: 'varbit', hidden: '101' },
}

const definitions = Object.entries(columns).map(([name, { type }]) => `${name} ${type}`)
const hidden = Object.values(columns).map(({ hidden }) => `'${hidden}'`)

const sql = `
create extension citext;
create type mood as enum ('sad', 'happy');
create domain short as text check (length(value) < 5);
create table box (id int primary key, open boolean not null);
insert into box values (1, true), (2, false);
${['hiding', 'bare']
  .map(
    (name) => `create table ${name} (id int primary key, box_id int references box, owner int, ${definitions.join()});`,
  )
  .join('\n')}
insert into hiding values ${[1, 2, 3].map((id) => `(${id}, 2, 2, ${hidden.join()})`).join()};
analyze`

const roles: Record<string, unknown> = {
  by_column: { owner: { _eq: 1 } },
  by_relationship: { box: { open: { _eq: true } } },
}

const operators = ['_eq', '_neq', '_gt', '_lt', '_gte', '_lte']
const patterns = [
  '_like',
  '_nlike',
  '_ilike',
  '_nilike',
  '_similar',
  '_nsimilar',
  '_regex',
  '_nregex',
  '_iregex',
  '_niregex',
]

let trellis: TestTrellis

before(async (t) => {
  trellis = await startTrellis(t as never, { sql })
  await trellis.op('track_table', 'box')
  for (const table of ['hiding', 'bare']) {
    await trellis.op('track_table', table)
    const of = { foreign_key_constraint_on: 'box_id' }
    await trellis.op('create_object_relationship', { table, name: 'box', using: of })
    const by = { foreign_key_constraint_on: { table, column: 'box_id' } }
    await trellis.op('create_array_relationship', { table: 'box', name: `${table}s`, using: by })
    for (const [role, filter] of Object.entries(roles)) {
      const select = { columns: '*', filter, allow_aggregations: true }
      await trellis.op('create_select_permission', { table, role, permission: select })
      await trellis.op('create_update_permission', { table, role, permission: { columns: ['owner'], filter } })
      await trellis.op('create_delete_permission', { table, role, permission: { filter } })
    }
  }
  for (const role of Object.keys(roles)) {
    await trellis.op('create_select_permission', { table: 'box', role, permission: { columns: '*', filter: {} } })
  }
})

/** The ways in which a condition on the rows of a table can be part of a request. */
const uses: Record<string, (table: string) => string> = {
  list: (table) => `query($where: ${table}_bool_exp!) { answer: ${table}(where: $where) { id } }`,
  ordered: (table) =>
    `query($where: ${table}_bool_exp!) { answer: ${table}(where: $where, order_by: {id: asc}, limit: 5) { id } }`,
  count: (table) =>
    `query($where: ${table}_bool_exp!) { answer: ${table}_aggregate(where: $where) { aggregate { count } nodes { id } } }`,
  beside: (table) =>
    `query($where: ${table}_bool_exp!) { box(where: {id: {_eq: 9}}) { id } answer: ${table}(where: $where) { id } }`,
  below: (table) =>
    `query($where: ${table}_bool_exp!) { box(order_by: {id: asc}) { id answer: ${table}s(where: $where) { id } } }`,
  through: (table) => `query($where: ${table}_bool_exp!) { box(where: {${table}s: $where}) { id } }`,
  update: (table) =>
    `mutation($where: ${table}_bool_exp!) { answer: update_${table}(where: $where, _set: {owner: 5}) { affected_rows } }`,
  updateReturning: (table) =>
    `mutation($where: ${table}_bool_exp!) { answer: update_${table}(where: $where, _set: {owner: 5}) { returning { id box { id } } } }`,
  delete: (table) =>
    `mutation($where: ${table}_bool_exp!) { answer: delete_${table}(where: $where) { affected_rows } }`,
}

/** The ways in which a comparison can be part of a condition. */
const placements: Record<string, (comparison: object) => object> = {
  alone: (comparison) => comparison,
  or: (comparison) => ({ _or: [{ id: { _lt: 0 } }, comparison] }),
  behind: (comparison) => ({ _and: [{ id: { _lt: 0 } }, comparison] }),
  not: (comparison) => ({ _not: { _and: [{ id: { _gt: 0 } }, comparison] } }),
}

async function alike(where: object, use: string, role: string): Promise<string> {
  const ask = async (table: string) => {
    const { text } = await trellis.request('/v1/graphql', {
      body: { query: uses[use]!(table), variables: { where } },
      role,
    })
    return text.replaceAll(table, 'table')
  }
  const [hiding, bare] = await Promise.all([ask('hiding'), ask('bare')])
  assert.equal(hiding, bare, `${JSON.stringify(where)} in ${use} for ${role}`)
  return hiding
}

/** Operands of every operator that fail, or fail for some types. */
function failing(): object[] {
  const patternOperands = [
    'a%\\',
    '%x\\',
    '\\',
    '(',
    '[',
    'a{2,1}',
    '*',
    '"#"#"#',
    'a\\',
    '(?',
    '\\1',
    '[[:nope:]]',
    '%',
  ]
  const texts = ['c_text', 'c_varchar', 'c_citext'].flatMap((column) =>
    patterns.flatMap((operator) => patternOperands.map((operand) => ({ [column]: { [operator]: operand } }))),
  )
  const scalars = Object.keys(columns).flatMap((column) =>
    operators.map((operator) => ({ [column]: { [operator]: 'bad\\{' } })),
  )
  const lists = Object.keys(columns).flatMap((column) =>
    ['_in', '_nin'].flatMap((operator) =>
      [['bad\\{'], ['{1,x', null]].map((list) => ({ [column]: { [operator]: list } })),
    ),
  )
  const json = ['_contains', '_contained_in', '_has_key', '_has_keys_any', '_has_keys_all'].map((operator) => ({
    c_jsonb: { [operator]: operator.startsWith('_has_keys') ? ['\\', ''] : '\\' },
  }))
  return [...texts, ...scalars, ...lists, ...json]
}

for (const [shift, role] of Object.keys(roles).entries()) {
  test(`operands that fail tell ${role} nothing of hidden rows`, { timeout: 120_000 }, async () => {
    const all = Object.keys(uses)
    const places = Object.values(placements)
    const refused = new Set<string>()
    for (const [i, comparison] of failing().entries()) {
      // All operators meet all uses and places, if not with each operand.
      const n = i + shift
      const answer = await alike(places[n % places.length]!(comparison), all[n % all.length]!, role)
      if (answer.includes('"errors"')) refused.add(JSON.stringify(comparison))
    }
    assert.ok(refused.size > 250, `only ${refused.size} were refused`)
  })

  test(`a pattern that fails goes on failing for ${role} when its statement is prepared`, {
    timeout: 60_000,
  }, async () => {
    for (const use of Object.keys(uses)) {
      for (const place of Object.values(placements)) {
        for (let i = 0; i < 9; i++) {
          const operator = i % 2 === 0 ? '_regex' : '_similar'
          const answer = await alike(place({ c_text: { _regex: i < 8 ? 'fine' : '(', _similar: 'fine' } }), use, role)
          assert.equal(answer.includes('invalid regular expression'), i === 8, `${operator} in ${use}: ${answer}`)
        }
      }
    }
  })

  test(`whatever patterns ${role} sends`, { timeout: 60_000 }, async () => {
    const characters = fc.constantFrom(...'()[]{}\\*+?|^$ab"#%_.,12:-x')
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...patterns),
        fc.string({ unit: characters, maxLength: 8 }),
        fc.constantFrom('c_text', 'c_citext'),
        fc.constantFrom(...Object.keys(uses)),
        fc.constantFrom(...Object.values(placements)),
        async (operator, pattern, column, use, place) => {
          await alike(place({ [column]: { [operator]: pattern } }), use, role)
        },
      ),
      { numRuns: 80 },
    )
  })
}

test('errors are those of PostgreSQL, where they were', async () => {
  const ask = async (comparison: object, query = uses['list']!('bare')) => {
    const { body } = await trellis.request<{ errors: unknown[] }>('/v1/graphql', {
      body: { query, variables: { where: comparison } },
      role: 'by_column',
    })
    return body.errors
  }
  const error = (code: string, message: string, path = '$') => [{ extensions: { path, code }, message }]
  const unbalanced = 'invalid regular expression: parentheses () not balanced'
  assert.deepEqual(await ask({ c_text: { _regex: '(' } }), error('data-exception', unbalanced))
  assert.deepEqual(await ask({ c_text: { _nsimilar: '(' } }), error('data-exception', unbalanced))
  const ending = 'LIKE pattern must not end with escape character'
  assert.deepEqual(await ask({ c_text: { _like: 'a\\' } }), error('bad-request', ending))
  for (const use of ['update', 'updateReturning', 'delete']) {
    const query = uses[use]!('bare')
    const [like] = (await ask({ c_text: { _like: 'a\\' } }, query)) as { extensions: object }[]
    const [regex] = (await ask({ c_text: { _regex: '(' } }, query)) as { extensions: object }[]
    assert.deepEqual({ ...like!.extensions, code: 0 }, { ...regex!.extensions, code: 0 }, use)
  }
})
