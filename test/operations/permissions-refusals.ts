// Invalid permissions.

import type { Refusal } from './entry.ts'

export type Kind = 'insert' | 'select' | 'update' | 'delete'

/** A valid body for each kind; other members are merged into it. */
const bodies: Readonly<Record<Kind, object>> = {
  insert: { check: {} },
  select: { columns: '*', filter: {} },
  update: { columns: '*', filter: {} },
  delete: { filter: {} },
}

export const grant = (kind: Kind, permission: object, table = 'book') => ({
  table,
  role: 'editor',
  permission: { ...bodies[kind], ...permission },
})

const broken = (reason: string) => `in table "book": in permission for role "editor": ${reason}`

/** Refusals of a part of a permission on `book`. */
export const refusedParts = (
  kind: Kind,
  parts: readonly (readonly [title: string, part: object, reason: string])[],
): Refusal[] =>
  parts.map(([title, part, reason]) => ({
    title,
    args: grant(kind, part),
    code: 'constraint-violation',
    error: broken(reason),
  }))

/** Every fault of an expression, under the key where the kind has one. */
export const refusedExpressions = (kind: Kind, key: 'check' | 'filter'): Refusal[] => [
  ...refusedParts(
    kind,
    [
      ['an unknown field', { publisher: { nothing: 1 } }, '"nothing" does not exist'],
      [
        'an _exists of an untracked table',
        { $exists: { _table: 'genre', _where: {} } },
        'table "genre" does not exist',
      ],
      ['a json column', { info: { _is_null: true } }, 'JSON column can not be part of where clause'],
      ['an unknown operator', { id: { _foo: 1 } }, 'Unknown operator : _foo'],
      [
        'an operator of other types',
        { pages: { _like: '1%' } },
        ' is of type "integer"; this operator works only on columns of type "varchar"/"text"/"citext"',
      ],
      [
        'an operator of jsonb on text',
        { title: { _has_key: 'a' } },
        ' is of type "text"; this operator works only on columns of type "jsonb"',
      ],
      ['a cast', { pages: { _cast: { text: { _eq: '1' } } } }, 'cannot cast column of type "integer" to type "text"'],
      [
        'a comparison of columns of different types',
        { pages: { _ceq: 'title' } },
        'incompatible column types : "pages", "title"',
      ],
      [
        'a comparison with a relationship',
        { pages: { $cne: 'publisher' } },
        'expecting a postgres column; but, "publisher" is a relationship; column operators can only compare postgres columns',
      ],
    ].map(([what, expression, reason]) => [`${what} in its ${key}`, { [key]: expression }, reason as string] as const),
  ),
  {
    title: `a value that the enum of its column does not have, in its ${key}`,
    given: [{ type: 'track_table', args: { table: 'genre', is_enum: true } }],
    args: grant(kind, { [key]: { genre: { _eq: 'pink' } } }),
    code: 'constraint-violation',
    error: broken('expected one of the values "novel", "poem" for type "genre", given "pink"'),
  },
  {
    title: `a literal of another type in its ${key}`,
    args: grant(kind, { [key]: { pages: { _gt: 'many' } } }),
    code: 'constraint-violation',
    error: /^in table "book": in permission for role "editor": /,
  },
  {
    title: `a ${key} that is no object`,
    args: grant(kind, { [key]: [] }),
    code: 'parse-failed',
    path: `$.permission.${key}`,
    error: 'expecting an Object for boolean exp',
  },
  {
    title: `a part of its ${key} that is no object`,
    args: grant(kind, { [key]: { _and: [{}, { _not: 5 }] } }),
    code: 'parse-failed',
    path: `$.permission.${key}._and[1]._not`,
    error: 'expecting an Object for boolean exp',
  },
  {
    title: `an _exists in its ${key} that is no object`,
    args: grant(kind, { [key]: { $exists: 5 } }),
    code: 'parse-failed',
    path: `$.permission.${key}['$exists']`,
    error: 'expecting an Object for _exists expression',
  },
]

/** Faults of lists of columns; `hint` is the hint for names of other members. */
export const refusedColumns = (kind: Kind, hint: string): Refusal[] =>
  refusedParts(kind, [
    ['a column that is not there', { columns: ['id', 'nothing'] }, 'column "nothing" does not exist'],
    [
      'a relationship among its columns',
      { columns: ['publisher'] },
      `expecting a postgres column; but, "publisher" is a relationship; ${hint}`,
    ],
    [
      'a computed field among its columns',
      { columns: ['label'] },
      `expecting a postgres column; but, "label" is a computed field; ${hint}`,
    ],
  ])

export const refusedPresets = (kind: Kind): Refusal[] => [
  ...refusedParts(kind, [
    ['a preset of a column that is not there', { set: { nothing: 1 } }, 'column "nothing" does not exist'],
    [
      'a preset of a relationship',
      { set: { publisher: 1 } },
      'expecting a postgres column; but, "publisher" is a relationship; column "publisher" not found in table "book"',
    ],
  ]),
  {
    title: 'a preset of another type',
    args: grant(kind, { set: { pages: 'many' } }),
    code: 'constraint-violation',
    error: /^in table "book": in permission for role "editor": /,
  },
]

/** Required keys of each kind. */
const neededKeys: Readonly<Record<Kind, readonly string[]>> = {
  insert: ['check'],
  select: ['columns', 'filter'],
  update: ['columns', 'filter'],
  delete: ['filter'],
}

const absent = (kind: Kind, key: string) =>
  kind === 'select' ? `key "${key}" not found` : `the key '${key}' was not present`

/** Values that every kind refuses. */
export const refusedAlways = (kind: Kind): Refusal[] => [
  ...neededKeys[kind].map(
    (key): Refusal => ({
      title: `a permission without ${key}`,
      args: grant(kind, { [key]: undefined }),
      code: 'parse-failed',
      path: '$.permission',
      error: absent(kind, key),
    }),
  ),
  {
    title: 'a table that is not tracked',
    args: grant(kind, {}, 'genre'),
    code: 'not-exists',
    error: 'table "genre" does not exist',
  },
  {
    title: 'a permission that the role has',
    given: [{ type: `create_${kind}_permission`, args: grant(kind, {}) }],
    args: grant(kind, {}),
    code: 'already-exists',
    error: `${kind} permission already defined on table "book" with role "editor"`,
  },
  {
    title: 'the role admin',
    args: { ...grant(kind, {}), role: 'admin' },
    code: 'constraint-violation',
    error: 'in table "book": in permission for role "admin": cannot define permission for admin role',
  },
  {
    title: 'a role without a name',
    args: { ...grant(kind, {}), role: '' },
    code: 'parse-failed',
    path: '$.role',
    error: 'empty string not allowed',
  },
]
