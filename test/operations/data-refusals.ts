// Refusals that all data operations share.

import type { Refusal } from './entry.ts'

export const clerk = { role: 'clerk', headers: { 'x-service-house': '1' } }

const denied = (action: string, role: string, because = '') =>
  `${action} on "book" for role "${role}" is not allowed. ${because}`
export const cannot = (action: string, column: string) =>
  `role "clerk" does not have permission to ${action} column "${column}"`
export const notColumn = (hint: string) => `expecting a postgres column; but, "publisher" is a relationship; ${hint}`

/** Invalid expressions, within the given arguments; paths continue inside the expression. */
export const refusedWhere = (args: (where: unknown) => object): Refusal[] => {
  const refused = (
    title: string,
    where: object,
    at: string,
    code: string,
    error: string,
    rest: object = {},
  ): Refusal => ({
    title: `${title} in its where`,
    args: args(where),
    code,
    path: `$.args.where${at}`,
    error,
    ...rest,
  })
  return [
    {
      title: 'a where that is no object',
      args: args('all'),
      code: 'parse-failed',
      path: '$.where',
      error: 'expecting an Object for boolean exp',
    },
    {
      title: 'an _exists in its where that is no object',
      args: args({ _or: [{ _exists: [] }] }),
      code: 'parse-failed',
      path: '$.where._or[0]._exists',
      error: 'expecting an Object for _exists expression',
    },
    refused('an unknown field', { nothing: 1 }, '.nothing', 'not-exists', '"nothing" does not exist'),
    refused(
      'an _exists of an untracked table',
      { _exists: { _table: 'genre', _where: {} } },
      '._exists._table',
      'not-exists',
      'table "genre" does not exist',
    ),
    refused(
      'an unknown field within _exists',
      { _exists: { _table: 'publisher', _where: { nothing: 1 } } },
      '._exists._where.nothing',
      'not-exists',
      '"nothing" does not exist',
    ),
    refused(
      'a json column',
      { info: {} },
      '.info',
      'unexpected-payload',
      'JSON column can not be part of where clause',
    ),
    refused('an unknown operator', { id: { $foo: 1 } }, ".id['$foo']", 'unexpected-payload', 'Unknown operator : $foo'),
    refused(
      'an operator of other types',
      { pages: { _ilike: 'x' } },
      '.pages._ilike',
      'unexpected-payload',
      ' is of type "integer"; this operator works only on columns of type "varchar"/"text"/"citext"',
    ),
    refused(
      'a cast',
      { pages: { _cast: { text: {} } } },
      '.pages._cast',
      'unexpected-payload',
      'cannot cast column of type "integer" to type "text"',
    ),
    refused(
      'a comparison of columns of different types',
      { pages: { _clt: 'title' } },
      '.pages._clt',
      'unexpected-payload',
      'incompatible column types : "pages", "title"',
    ),
    refused(
      'a comparison with a relationship',
      { pages: { _ceq: 'publisher' } },
      '.pages._ceq',
      'unexpected-payload',
      notColumn('column operators can only compare postgres columns'),
    ),
    refused(
      'a value that the enum of its column does not have',
      { genre: { _eq: 'pink' } },
      '.genre._eq',
      'unexpected-payload',
      'expected one of the values "novel", "poem" for type "genre", given "pink"',
      { given: [{ type: 'track_table', args: { table: 'genre', is_enum: true } }] },
    ),
    {
      title: 'a value of another type in its where',
      args: args({ pages: { _gt: 'many' } }),
      code: 'parse-failed',
      path: '$.args.where.pages._gt',
      error: /./,
      fits: true,
    },
  ]
}

/** Expressions over columns that the role may not select. */
export const refusedReading = (args: (where: object) => object): Refusal[] => [
  {
    title: 'a column in its where that the role may not read',
    ...clerk,
    args: args({ price: { _gt: 1 } }),
    code: 'permission-denied',
    path: '$.args.where.price',
    error: cannot('select', 'price'),
  },
  {
    title: 'a relationship in its where whose table the role may not read',
    ...clerk,
    args: args({ publisher: { name: 'Ark' } }),
    code: 'permission-denied',
    path: '$.args.where.publisher',
    error: cannot('select', 'publisher'),
  },
]

/** Invalid members of `returning`, within the given arguments. */
export const refusedReturning = (args: (returning: readonly string[]) => object): Refusal[] => [
  {
    title: 'returning a column that is not there',
    args: args(['id', 'nothing']),
    code: 'permission-denied',
    path: '$.args.returning',
    error: 'no such column exists : "nothing"',
  },
  {
    title: 'returning a column that the role may not read',
    ...clerk,
    args: args(['price']),
    code: 'permission-denied',
    path: '$.args.returning',
    error: cannot('select', 'price'),
  },
  {
    title: 'returning a relationship',
    args: args(['publisher']),
    code: 'unexpected-payload',
    path: '$.args.returning',
    error: notColumn('Relationships can\'t be used in "returning".'),
  },
]

export const untracked = (args: object, path = '$.args'): Refusal => ({
  title: 'a table that is not tracked',
  args,
  code: 'not-exists',
  path,
  error: 'table "genre" does not exist',
})

export const forbidden = (action: string, args: object, role = 'guest', because = ''): Refusal => ({
  title: `a role without the permission to ${action}${because && ', where it needs that too'}`,
  role,
  args,
  code: 'permission-denied',
  error: denied(because ? 'select' : action, role, because),
})

export const noHouse = (args: object): Refusal => ({
  title: 'a session without the variable that a permission needs',
  role: 'clerk',
  args,
  code: 'not-found',
  error: '"x-service-house" header is expected but not found',
})

export const unwritable = (word: string, args: object): Refusal => ({
  title: `a view whose rows are not ${word}`,
  args,
  code: 'not-supported',
  error: `view "book_count" is not ${word}`,
})
