// SQL of plugins in JavaScript, where no compiler refuses a text instead of a fragment.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  compile,
  definePlugin,
  type Engine,
  fieldMap,
  graphql,
  id,
  join,
  param,
  replaceParams,
  type Sql,
  sql,
  type TypeSupport,
} from '../../sdk/index.ts'
import { recordingObserver } from '../http/server.ts'
import { startTrellis } from '../support/trellis.ts'

/** Hides a type error, as in JavaScript. */
const untyped = (value: unknown) => value as never

const refusal =
  /^SQL is made of fragments, not of .*: use param\(\) for a value, literal\(\) for a constant text, id\(\)/

test('only fragments become SQL, whatever the compiler missed', () => {
  const forged = JSON.parse(`{"parts": ["true or 1 = 1"]}`)
  for (const value of ['true or 1 = 1', '', 1, null, undefined, false, [id('a')], forged]) {
    const given = untyped(value)
    const refused = [
      () => sql`select ${given}`,
      () => join([id('a'), given]),
      () => compile(given),
      () => replaceParams(given, () => id('a')),
      () => param({ from: 'constant', value: 'x' }, () => given),
    ]
    for (const made of refused) assert.throws(made, { name: 'TypeError', message: refusal }, String(made))
  }
  assert.throws(() => sql(untyped('true or 1 = 1')), { name: 'TypeError', message: /^sql is a tag/ })
  assert.equal(compile(sql`select ${id('a')}${sql``}, ${join([id('b'), id('c')])}`).text, 'select "a", "b", "c"')
})

const docks = `create table dock (id int primary key, name text, place point);
  insert into dock values (1, 'North', '(1,1)'), (2, 'South', '(2,2)')`

/** Asks a query of an engine over docks with a plugin, and returns the answer and the log's first error. */
const answerWith = async (t: Parameters<typeof startTrellis>[0], query: string, register: (engine: Engine) => void) => {
  const observe = recordingObserver()
  const plugin = definePlugin({ name: 'careless', dependencies: ['graphql'], register })
  const trellis = await startTrellis(t, { sql: docks, plugins: [plugin], observe })
  await trellis.op('track_table', 'dock')
  const answer = await trellis.graphql<{ data?: unknown; errors?: { message: string }[] }>(query)
  const logged = observe.entries.find(({ type, level }) => type === 'unstructured' && level === 'error')
  return { answer, logged: String(logged?.detail) }
}

const injected = () => untyped(`true or 'a' = 'b'`)

const careless: Readonly<Record<string, readonly [query: string, register: (engine: Engine) => void, whose: RegExp]>> =
  {
    'an argument in the tag': [
      `{ shout(of: "a'), current_user::text || ('b") }`,
      ({ graphql: api }) => {
        const field = () => ({
          type: graphql.GraphQLString,
          args: { of: { type: graphql.GraphQLString } },
          extensions: {
            root: {
              kind: 'relational' as const,
              plan: (field: { argument(name: string): { string(): string } | undefined }) => ({
                kind: 'sql' as const,
                build: () => sql`to_json(upper('${untyped(field.argument('of')?.string())}'))::text`,
              }),
            },
          },
        })
        api.contribute({ name: 'shout', query: () => fieldMap({ shout: untyped(field) }) })
      },
      /TypeError: SQL is made of fragments, not of a value of type string/,
    ],
    'a text from build': [
      '{ dock { loud } }',
      ({ graphql: api }) => {
        const field = () => ({
          type: graphql.GraphQLString,
          extensions: { row: { kind: 'relational' as const, plan: () => ({ kind: 'sql' as const, build: injected }) } },
        })
        api.contribute({ name: 'loud', rowFields: () => fieldMap({ loud: untyped(field) }) })
      },
      /TypeError: SQL is made of fragments, not of a value of type string/,
    ],
    'a text from an operator': [
      '{ dock(where: {name: {_starts: "N"}}) { id } }',
      ({ comparisons }) => comparisons.add({ name: '_starts', types: ['text'], operand: 'text', sql: injected }),
      /plugin "careless": "sql" of operator _starts: SQL is made of fragments/,
    ],
    'a text from the trial of an operator': [
      '{ dock(where: {name: {_starts: "N"}}) { id } }',
      ({ comparisons }) => {
        const starts = (column: Sql) => sql`starts_with(${column}, 'N')`
        comparisons.add({ name: '_starts', types: ['text'], operand: 'text', sql: starts, trial: injected })
      },
      /plugin "careless": "trial" of operator _starts: SQL is made of fragments/,
    ],
    'a text from a column transformation': [
      '{ dock { name } }',
      ({ columns }) => {
        columns.transform({
          name: 'loud',
          applies: (_, { name }) => name === 'name',
          read: () => ({ sql: injected }),
        })
      },
      /the transformation "loud" of plugin "careless" failed for the column "name" of table "dock": SQL is made of/,
    ],
    'nothing from the JSON of a type': [
      '{ dock { place } }',
      ({ types }) => {
        const point: TypeSupport = {
          name: 'point',
          codec: () => ({ type: 'point', encode: String }),
          json: () => untyped(undefined),
        }
        types.add(point)
      },
      /plugin "careless": "json" of type point: SQL is made of fragments/,
    ],
    'a text from the codec of a type': [
      '{ dock(where: {place: {_same: "(1,1)"}}) { id } }',
      ({ types, comparisons }) => {
        types.add({ name: 'point', codec: () => ({ type: 'point', encode: String, decode: injected }) })
        const same = (column: Sql, [operand]: readonly Sql[]) => sql`${column} ~= ${operand!}`
        comparisons.add({ name: '_same', types: ['point'], operand: 'scalar', sql: same })
      },
      /TypeError: SQL is made of fragments, not of a value of type string/,
    ],
  }

for (const [title, [query, register, whose]] of Object.entries(careless)) {
  test(`${title} of a plugin does not become SQL`, async (t) => {
    const { answer, logged } = await answerWith(t, query, register)
    assert.deepEqual([answer.data, answer.errors?.[0]?.message], [undefined, 'internal error'])
    assert.match(logged, whose)
  })
}
