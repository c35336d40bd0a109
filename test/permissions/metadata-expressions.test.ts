import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Condition } from '../../core/compiler/plan/plan.ts'
import type { FieldModel } from '../../core/metadata/document/model.ts'
import { resolveExpression } from '../../plugins/permissions/index.ts'
import { expressionContext, publicName, relationship, tableModel } from './models.ts'

const otherField = (kind: string, name: string) => ({ kind, name }) as unknown as FieldModel

const colour = tableModel(
  'colour',
  { value: 'text' },
  {
    isEnum: true,
    enumValues: [
      { value: 'red', comment: null },
      { value: 'blue', comment: null },
    ],
  },
)
const person = tableModel('person', { id: 'int4', name: 'text' })
const lead = tableModel(
  'lead',
  {
    id: 'int4',
    owner_id: 'int4',
    score: 'int4',
    best: 'int4',
    stage: 'text',
    tags: '_text',
    meta: 'jsonb',
    raw: 'json',
    colour: 'text',
    big: 'int8',
  },
  {
    enums: { colour: 'colour' },
    fields: [
      relationship('owner', 'person', [['owner_id', 'id']]),
      relationship('lost', 'nowhere', [['owner_id', 'id']]),
      otherField('computed_field', 'full_name'),
      otherField('remote_relationship', 'notes'),
    ],
  },
)

const resolved = (expression: unknown): Condition =>
  resolveExpression(expression, lead, expressionContext(lead, person, colour))

const constant = (value: string | null, type = 'integer') =>
  ({ kind: 'param', source: { from: 'constant', value }, type }) as const
const session = (variable: string, type = 'integer') =>
  ({ kind: 'param', source: { from: 'session', variable }, type }) as const
const compare = (column: string, operator: string, operand: ReturnType<typeof constant | typeof session>) =>
  ({ kind: 'compare', column, operator, operand }) as const
const isTrue = { kind: 'true' } as const
const scoreIsFive = compare('score', '_eq', constant('5'))

const meanings: readonly (readonly [expression: unknown, condition: unknown])[] = [
  [{}, isTrue],
  [{ _and: [] }, isTrue],
  [{ _or: [] }, { kind: 'false' }],
  [{ _not: {} }, { kind: 'not', of: isTrue }],
  [{ score: {} }, isTrue],
  [{ score: 5 }, scoreIsFive],
  [{ score: { _eq: 5 } }, scoreIsFive],
  [{ score: { $eq: 5 } }, scoreIsFive],
  [{ score: { _ne: 5 } }, compare('score', '_neq', constant('5'))],
  [{ score: { $neq: 5 } }, compare('score', '_neq', constant('5'))],
  [{ score: null }, { kind: 'null', column: 'score', negated: false }],
  [{ score: { _eq: null } }, { kind: 'null', column: 'score', negated: false }],
  [{ score: { _ne: null } }, { kind: 'null', column: 'score', negated: true }],
  [{ score: { _is_null: true } }, { kind: 'null', column: 'score', negated: false }],
  [{ score: { _is_null: false } }, { kind: 'null', column: 'score', negated: true }],
  [{ score: { _gt: null } }, compare('score', '_gt', constant(null))],
  [
    { score: { _gt: 1, _lte: 5 } },
    { kind: 'and', of: [compare('score', '_gt', constant('1')), compare('score', '_lte', constant('5'))] },
  ],
  [{ score: { _in: [1, null, 3] } }, compare('score', '_in', constant('{"1",null,"3"}', 'integer[]'))],
  [{ score: { _nin: [] } }, compare('score', '_nin', constant('{}', 'integer[]'))],
  [{ score: { _in: 'X-Service-Allowed' } }, compare('score', '_in', session('x-service-allowed', 'integer[]'))],
  [{ stage: { _in: ['x-service-user-id'] } }, compare('stage', '_in', constant('{"x-service-user-id"}', 'text[]'))],
  [{ owner_id: 'X-Service-User-Id' }, compare('owner_id', '_eq', session('x-service-user-id'))],
  [{ owner_id: { _eq: 'REQ_USER_ID' } }, compare('owner_id', '_eq', session('x-service-user-id'))],
  [{ big: '9223372036854775807' }, compare('big', '_eq', constant('9223372036854775807', 'int8'))],
  [{ stage: { _nilike: 'a%' } }, compare('stage', '_nilike', constant('a%', 'text'))],
  [{ tags: ['a', 'b'] }, compare('tags', '_eq', constant('{"a","b"}', 'text[]'))],
  [{ meta: { _contains: { a: 1 } } }, compare('meta', '_contains', constant('{"a":1}', 'jsonb'))],
  [{ meta: { _contains: 'x-service-meta' } }, compare('meta', '_contains', session('x-service-meta', 'jsonb'))],
  [{ meta: { _has_key: 'a' } }, compare('meta', '_has_key', constant('a', 'text'))],
  [{ meta: { _has_keys_any: ['a'] } }, compare('meta', '_has_keys_any', constant('{"a"}', 'text[]'))],
  [{ meta: { _has_keys_all: 'x-service-k' } }, compare('meta', '_has_keys_all', session('x-service-k', 'text[]'))],
  [
    { score: { _clte: 'best' } },
    { kind: 'compare', column: 'score', operator: '_lte', operand: { kind: 'column', column: 'best' } },
  ],
  [
    { score: { $cne: 'best' } },
    { kind: 'compare', column: 'score', operator: '_neq', operand: { kind: 'column', column: 'best' } },
  ],
  ...(
    [
      ['_ceq', '_eq'],
      ['_cneq', '_neq'],
      ['$clt', '_lt'],
      ['_cgt', '_gt'],
      ['_cgte', '_gte'],
    ] as const
  ).map(([word, operator]) => {
    const operand = { kind: 'column', column: 'best' }
    return [{ score: { [word]: 'best' } }, { kind: 'compare', column: 'score', operator, operand }] as const
  }),
  [{ colour: 'red' }, compare('colour', '_eq', constant('red', 'text'))],
  [{ colour: { _like: 're%' } }, compare('colour', '_like', constant('re%', 'text'))],
  [{ score: 5, _and: [{}] }, scoreIsFive],
  [{ $or: [{ score: 5 }] }, scoreIsFive],
  [
    { $or: [{ score: 5 }, { _not: { $and: [{ stage: 'a' }] } }] },
    { kind: 'or', of: [scoreIsFive, { kind: 'not', of: compare('stage', '_eq', constant('a', 'text')) }] },
  ],
  [
    { owner: { name: 'Ann' } },
    {
      kind: 'related',
      table: publicName('person'),
      mapping: [['owner_id', 'id']],
      where: compare('name', '_eq', constant('Ann', 'text')),
    },
  ],
  [{ owner: {} }, { kind: 'related', table: publicName('person'), mapping: [['owner_id', 'id']], where: isTrue }],
  [
    { _exists: { _table: 'person', _where: { id: 1 } } },
    { kind: 'exists', table: publicName('person'), where: compare('id', '_eq', constant('1')) },
  ],
  [
    { $exists: { $table: { schema: 'public', name: 'person' }, $where: {} } },
    { kind: 'exists', table: publicName('person'), where: isTrue },
  ],
]

for (const [expression, condition] of meanings) {
  test(`${JSON.stringify(expression)} is resolved`, () => assert.deepEqual(resolved(expression), condition))
}

const arrayExpected = (found: string) => `parsing [] failed, expected Array, but encountered ${found}`
const textOnly = ' is of type "integer"; this operator works only on columns of type "varchar"/"text"/"citext"'
const notAColumn = 'expecting a postgres column; but, "owner" is a relationship; '

const refusals: readonly (readonly [
  expression: unknown,
  path: readonly (string | number)[],
  code: string,
  message: string,
])[] = [
  [5, [], 'parse-failed', 'expecting an Object for boolean exp'],
  [{ _and: [5] }, ['_and', 0], 'parse-failed', 'expecting an Object for boolean exp'],
  [{ _and: {} }, ['_and'], 'parse-failed', arrayExpected('Object')],
  [{ _or: null }, ['_or'], 'parse-failed', arrayExpected('Null')],
  [{ _not: null }, ['_not'], 'parse-failed', 'expecting an Object for boolean exp'],
  [{ owner: null }, ['owner'], 'parse-failed', 'expecting an Object for boolean exp'],
  [{ _exists: [] }, ['_exists'], 'parse-failed', 'expecting an Object for _exists expression'],
  [{ _exists: { _where: {} } }, ['_exists'], 'parse-failed', 'key "_table" not found'],
  [{ _exists: { _table: 'person' } }, ['_exists'], 'parse-failed', 'key "_where" not found'],
  [{ _exists: { _table: 'x', _where: {} } }, ['_exists', '_table'], 'not-exists', 'table "x" does not exist'],
  [
    { $exists: { _table: 'person', _where: { nope: 1 } } },
    ['$exists', '_where', 'nope'],
    'not-exists',
    '"nope" does not exist',
  ],
  [{ f: 1 }, ['f'], 'not-exists', '"f" does not exist'],
  [{ lost: {} }, ['lost'], 'not-exists', 'table "nowhere" does not exist'],
  [{ raw: {} }, ['raw'], 'unexpected-payload', 'JSON column can not be part of where clause'],
  [
    { full_name: 'x' },
    ['full_name'],
    'unexpected-payload',
    'computed fields that take arguments can not be part of the where clause',
  ],
  [{ notes: {} }, ['notes'], 'unexpected-payload', 'remote field unsupported'],
  [{ score: { _foo: 1 } }, ['score', '_foo'], 'unexpected-payload', 'Unknown operator : _foo'],
  [{ score: { $foo: 1 } }, ['score', '$foo'], 'unexpected-payload', 'Unknown operator : $foo'],
  [{ score: { _like: 'a' } }, ['score', '_like'], 'unexpected-payload', textOnly],
  [
    { stage: { _contains: {} } },
    ['stage', '_contains'],
    'unexpected-payload',
    ' is of type "text"; this operator works only on columns of type "jsonb"',
  ],
  [
    { score: { _cast: { text: {} } } },
    ['score', '_cast', 'text'],
    'unexpected-payload',
    'cannot cast column of type "integer" to type "text"',
  ],
  [
    { score: { _ceq: 'stage' } },
    ['score', '_ceq'],
    'unexpected-payload',
    'incompatible column types : "score", "stage"',
  ],
  [{ score: { _ceq: 'nope' } }, ['score', '_ceq'], 'not-exists', '"nope" does not exist'],
  [
    { score: { _ceq: 'owner' } },
    ['score', '_ceq'],
    'unexpected-payload',
    `${notAColumn}column operators can only compare postgres columns`,
  ],
  [
    { score: { _ceq: 1 } },
    ['score', '_ceq'],
    'parse-failed',
    'parsing Text failed, expected String, but encountered Number',
  ],
  [
    { colour: { _eq: 'pink' } },
    ['colour', '_eq'],
    'unexpected-payload',
    'expected one of the values "red", "blue" for type "colour", given "pink"',
  ],
  [{ score: { _in: null } }, ['score', '_in'], 'parse-failed', arrayExpected('Null')],
  [
    { score: { _in: [1, 'a'] } },
    ['score', '_in', 1],
    'validation-failed',
    'expected a 32-bit integer for type "Int", but found a string',
  ],
  [
    { score: { _is_null: 'yes' } },
    ['score', '_is_null'],
    'parse-failed',
    'parsing Bool failed, expected Boolean, but encountered String',
  ],
]

for (const [expression, path, code, message] of refusals) {
  test(`${JSON.stringify(expression)} is refused`, () => {
    assert.throws(() => resolved(expression), { path, code, message })
  })
}

test('a key that JavaScript treats specially is a name like any other', () => {
  const path = ['__proto__']
  assert.throws(() => resolved(JSON.parse('{"__proto__": {"_eq": 1}}')), {
    path,
    message: '"__proto__" does not exist',
  })
})

test('a column is called by its database name, not by its GraphQL name', () => {
  const column = { ...person.columns.get('name')!, field: 'label' }
  const renamed = { ...person, columns: new Map([['name', column]]), fields: new Map([['label', column]]) }
  const context = expressionContext(renamed)
  assert.equal(resolveExpression({ name: 'Ann' }, renamed, context).kind, 'compare')
  assert.throws(() => resolveExpression({ label: 'Ann' }, renamed, context), { message: '"label" does not exist' })
})

const dependencies: readonly (readonly [expression: unknown, noted: readonly string[]])[] = [
  [{ score: 5 }, ['column lead.score on_type']],
  [{ score: { _gt: 'x-service-a' } }, ['column lead.score session_variable']],
  [{ score: { _gt: 'x-service-a', _lt: 5 } }, ['column lead.score on_type']],
  [{ score: { _is_null: true } }, ['column lead.score session_variable']],
  [{ score: { _clt: 'best' } }, ['column lead.score on_type', 'column lead.best on_type', 'column lead.score on_type']],
  [{ owner: { name: 'x-service-a' } }, ['relationship lead.owner on_type', 'column person.name session_variable']],
  [{ _exists: { _table: 'person', _where: { id: 1 } } }, ['table person remote_table', 'column person.id on_type']],
]

for (const [expression, noted] of dependencies) {
  test(`the dependencies of ${JSON.stringify(expression)} are noted`, () => {
    const context = expressionContext(lead, person, colour)
    resolveExpression(expression, lead, context)
    assert.deepEqual(context.noted, noted)
  })
}
