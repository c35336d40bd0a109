// Reading and changing rows by the database's names and the role's permissions.

import { rows } from './effects.ts'
import type { Area, Refusal } from './entry.ts'

/** What the clerk may do: read, add to and change the books of the house in the session. */
const house = { publisher_id: 'X-Service-House' }
const notForbidden = { title: { _ne: 'Forbidden' } }

const granted = (kind: string, permission: object, role = 'clerk') => ({
  type: `create_${kind}_permission`,
  args: { table: 'book', role, permission },
})

const clerk = { role: 'clerk', headers: { 'x-service-house': '1' } }

const denied = (action: string, role: string, because = '') =>
  `${action} on "book" for role "${role}" is not allowed. ${because}`
const cannot = (action: string, column: string) =>
  `role "clerk" does not have permission to ${action} column "${column}"`
const notColumn = (hint: string) => `expecting a postgres column; but, "publisher" is a relationship; ${hint}`
const unreadable =
  'role "clerk" does not have permission to read relationship "publisher"; no permission on table "publisher"'

/** What expressions may not be, given the arguments around them; the path goes on in the expression. */
const refusedWhere = (args: (where: unknown) => object): Refusal[] => {
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
    refused(
      'a computed field',
      { label: 'x' },
      '.label',
      'unexpected-payload',
      'Computed columns can not be part of the where clause',
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
      '.pages._cast.text',
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

/** What a role must know of a column to name it in an expression. */
const refusedReading = (args: (where: object) => object): Refusal[] => [
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
    error: unreadable,
  },
]

/** What `returning` may not name, given the arguments around it. */
const refusedReturning = (args: (returning: readonly string[]) => object): Refusal[] => [
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

const untracked = (args: object, path = '$.args'): Refusal => ({
  title: 'a table that is not tracked',
  args,
  code: 'not-exists',
  path,
  error: 'table "genre" does not exist',
})

const forbidden = (action: string, args: object, role = 'guest', because = ''): Refusal => ({
  title: `a role without the permission to ${action}${because && ', where it needs that too'}`,
  role,
  args,
  code: 'permission-denied',
  error: denied(because ? 'select' : action, role, because),
})

const noHouse = (args: object): Refusal => ({
  title: 'a session without the variable that a permission needs',
  role: 'clerk',
  args,
  code: 'not-found',
  error: '"x-service-house" header is expected but not found',
})

const unwritable = (word: string, args: object): Refusal => ({
  title: `a view whose rows are not ${word}`,
  args,
  code: 'not-supported',
  error: `view "book_count" is not ${word}`,
})

const select = (args: object) => ({ table: 'book', columns: ['id'], ...args })

const orderBy = (title: string, order_by: string, error: string, code = 'unexpected-payload'): Refusal => ({
  title: `to order by ${title}`,
  args: { table: 'book', columns: ['id'], order_by: ['title', order_by] },
  code,
  path: '$.args.order_by[1]',
  error,
})

const insert = (...objects: readonly object[]) => ({ table: 'book', objects })
const upsert = (on_conflict: object, object: object = { title: 'Dawn', publisher_id: 1, pages: 1 }) => ({
  ...insert(object),
  on_conflict,
})
const update = (args: object) => ({ table: 'book', where: { id: 1 }, ...args })

const checkFailed = (kind: 'insert' | 'update', args: object): Refusal => ({
  title: 'a row that fails the check',
  ...clerk,
  args,
  code: 'permission-error',
  error: `Check constraint violation. ${kind} check constraint failed`,
})

const needsSelect = (action: string) =>
  `; "${action}" is only allowed if the role has "select" permission as "where" can't be used without "select" permission on the table`

export const data: Area = {
  title: 'rows',
  sql: `alter table book add constraint few_pages check (pages < 10000)`,
  given: [
    granted('select', { columns: ['id', 'title', 'pages', 'publisher_id'], filter: house }),
    granted('insert', {
      check: notForbidden,
      columns: ['id', 'title', 'pages'],
      set: { publisher_id: 'x-service-house' },
    }),
    granted('update', { columns: ['title', 'pages'], filter: house, check: notForbidden, set: { price: 5 } }),
    granted('delete', { filter: house }),
    granted('insert', { check: {} }, 'writer'),
    granted('update', { columns: '*', filter: {} }, 'writer'),
    granted('delete', { filter: {} }, 'writer'),
    granted('select', { columns: '*', filter: {} }, 'inserter'),
    granted('insert', { check: {} }, 'inserter'),
  ],
  operations: [
    {
      type: 'select',
      anyRole: true,
      notFound: { $: true, '$.columns[0]': true, '$.order_by[0]': true },
      succeeds: [
        {
          title: 'answers with columns and related rows',
          args: {
            table: 'publisher',
            columns: [
              {
                name: 'books',
                alias: 'long',
                columns: ['title'],
                where: { pages: { $gt: 100 } },
                order_by: '-title',
                limit: 1,
              },
              'name',
            ],
            where: { books: { title: 'Dawn' } },
            order_by: [{ column: 'name', type: 'desc', nulls: 'first' }],
            limit: 5,
            offset: 0,
          },
          answers: [{ long: [{ title: 'Ebb' }], name: 'Ark' }],
        },
        {
          title: 'takes wildcards, which relationships follow for each dot',
          args: { table: 'book', columns: ['*.*'], where: { id: 3 } },
          answers: [
            {
              id: 3,
              title: 'Fog',
              price: null,
              pages: 80,
              info: null,
              genre: null,
              publisher_id: 2,
              publisher: { id: 2, name: 'Bell', info: null },
            },
          ],
        },
        {
          title: 'shows a role its rows and columns',
          ...clerk,
          args: { table: 'book', columns: ['*'], order_by: ['+id'] },
          answers: [
            { id: 1, title: 'Dawn', pages: 300, publisher_id: 1 },
            { id: 2, title: 'Ebb', pages: 120, publisher_id: 1 },
          ],
        },
      ],
      refuses: [
        untracked({ table: 'genre', columns: ['*'] }, '$.args.table'),
        forbidden('select', select({})),
        noHouse(select({})),
        {
          title: 'a column that is not there',
          args: select({ columns: ['id', 'nothing'] }),
          code: 'permission-denied',
          path: '$.args.columns[1]',
          error: 'no such column exists : "nothing"',
        },
        {
          title: 'a column that the role may not read',
          ...clerk,
          args: select({ columns: ['id', 'title', 'price'] }),
          code: 'permission-denied',
          path: '$.args.columns[2]',
          error: cannot('select', 'price'),
        },
        {
          title: 'a relationship whose table the role may not read',
          ...clerk,
          args: select({ columns: [{ name: 'publisher', columns: ['name'] }] }),
          code: 'permission-denied',
          path: '$.args.columns[0]',
          error: unreadable,
        },
        {
          title: 'a relationship as if it were a column',
          args: select({ columns: ['publisher'] }),
          code: 'unexpected-payload',
          path: '$.args.columns[0]',
          error: notColumn('relationships have to be expanded'),
        },
        {
          title: 'a column as if it were a relationship',
          args: select({ columns: ['id', { name: 'title', columns: ['*'] }] }),
          code: 'unexpected-payload',
          path: '$.args.columns[1].name',
          error: 'expecting a relationship; but, "title" is a postgres column; only relationships can be expanded',
        },
        {
          title: 'a limit within an object relationship',
          args: select({ columns: [{ name: 'publisher', columns: ['name'], limit: 1 }] }),
          code: 'unexpected-payload',
          path: '$.args.columns[0]',
          error: `when selecting an 'obj_relationship' 'where', 'order_by', 'limit' and 'offset'  can't be used`,
        },
        orderBy('a relationship', 'publisher', '"publisher" is a relationship and should be expanded'),
        {
          title: 'to order by an array relationship',
          args: { table: 'publisher', columns: ['id'], order_by: 'books.title' },
          code: 'unexpected-payload',
          path: '$.args.order_by[0]',
          error: `"books" is an array relationship and can't be used in 'order_by'`,
        },
        orderBy('what follows a column', 'title.length', '"title" is a Postgres column and cannot be chained further'),
        orderBy('a computed field', 'label', `"label" is a computed field and can't be used in 'order_by'`),
        orderBy('nothing that is there', '-nothing', '"nothing" does not exist', 'not-exists'),
        {
          title: 'a negative limit',
          args: select({ limit: -1 }),
          code: 'not-supported',
          path: '$.args.limit',
          error: 'unexpected negative value',
        },
        {
          title: 'a negative offset',
          args: select({ offset: -1 }),
          code: 'not-supported',
          path: '$.args.offset',
          error: 'unexpected negative value',
        },
        ...refusedWhere((where) => select({ where })),
        ...refusedReading((where) => select({ where })),
      ],
    },
    {
      type: 'count',
      anyRole: true,
      succeeds: [
        { title: 'counts rows', args: { table: 'book', where: { pages: { _gte: 100 } } }, answers: { count: 2 } },
        {
          title: 'counts distinct values',
          args: { table: 'book', distinct: ['publisher_id'] },
          answers: { count: 2 },
        },
        { title: 'counts the rows of a role', ...clerk, args: { table: 'book' }, answers: { count: 2 } },
      ],
      refuses: [
        untracked({ table: 'genre' }),
        forbidden(
          'count',
          { table: 'book' },
          'guest',
          '; "count" is only allowed if the role has "select" permissions on the table',
        ),
        noHouse({ table: 'book' }),
        {
          title: 'a distinct column that is not there',
          args: { table: 'book', distinct: ['nothing'] },
          code: 'permission-denied',
          path: '$.args.distinct[0]',
          error: 'no such column exists : "nothing"',
        },
        {
          title: 'a distinct column that the role may not read',
          ...clerk,
          args: { table: 'book', distinct: ['id', 'price'] },
          code: 'permission-denied',
          path: '$.args.distinct[1]',
          error: cannot('select', 'price'),
        },
        {
          title: 'a distinct relationship',
          args: { table: 'book', distinct: ['publisher'] },
          code: 'unexpected-payload',
          path: '$.args.distinct[0]',
          error: notColumn('Relationships can\'t be used in "distinct".'),
        },
        ...refusedWhere((where) => ({ table: 'book', where })),
        ...refusedReading((where) => ({ table: 'book', where })),
      ],
    },
    {
      type: 'insert',
      anyRole: true,
      succeeds: [
        {
          title: 'inserts rows, with defaults for what is missing',
          args: {
            table: 'book',
            objects: [
              { title: 'Gale', price: 3 },
              { title: 'Hail', pages: null },
            ],
            returning: ['title', 'price'],
          },
          answers: {
            returning: [
              { title: 'Gale', price: 3 },
              { title: 'Hail', price: null },
            ],
            affected_rows: 2,
          },
          then: [
            rows(`select title, price from book where id > 3 order by id`, [
              { title: 'Gale', price: '3' },
              { title: 'Hail', price: null },
            ]),
          ],
        },
        {
          title: 'adds the presets of a role',
          ...clerk,
          args: insert({ title: 'Gale' }),
          answers: { affected_rows: 1 },
          then: [rows(`select publisher_id from book where title = 'Gale'`, [{ publisher_id: 1 }])],
        },
        {
          title: 'leaves rows alone that are there',
          args: upsert({ action: 'ignore', constraint_on: ['title', 'publisher_id'] }),
          answers: { affected_rows: 0 },
        },
        {
          title: 'updates rows that are there',
          args: upsert({ action: 'update', constraint: 'book_title_publisher_id_key' }),
          answers: { affected_rows: 1 },
          then: [rows('select pages from book where id = 1', [{ pages: 1 }])],
        },
        {
          title: 'inserts into a view that PostgreSQL can insert into',
          args: { table: 'cheap_book', objects: [{ title: 'Gale', price: 1 }] },
          answers: { affected_rows: 1 },
        },
      ],
      refuses: [
        untracked({ table: 'genre', objects: [{}] }),
        forbidden('insert', insert({ title: 'x' })),
        forbidden(
          'insert',
          { ...insert({ title: 'x' }), returning: ['id'] },
          'writer',
          '; "returning" can only be used if the role has "select" permission on the table',
        ),
        noHouse(insert({ title: 'x' })),
        {
          title: 'no rows',
          args: insert(),
          code: 'unexpected-payload',
          path: '$.args.objects',
          error: 'objects should not be empty',
        },
        {
          title: 'a column that the role may not write',
          ...clerk,
          args: insert({ title: 'x' }, { price: 1 }),
          code: 'permission-denied',
          path: '$.args.objects[1]',
          error: cannot('insert', 'price'),
        },
        {
          title: 'a column that a preset writes',
          ...clerk,
          args: insert({ title: 'x', publisher_id: 2 }),
          code: 'not-supported',
          path: '$.args.objects[0]',
          error: 'column "publisher_id" is not insertable for role "clerk"',
        },
        {
          title: 'a relationship',
          args: insert({ title: 'x', publisher: { name: 'y' } }),
          code: 'unexpected-payload',
          path: '$.args.objects[0]',
          error: notColumn("relationships can't be inserted"),
        },
        {
          title: 'a value of another type',
          args: insert({ title: 'x' }, { title: 'y', pages: 'many' }),
          code: 'parse-failed',
          path: '$.args.objects[1].pages',
          error: /./,
          fits: true,
        },
        {
          title: 'a conflict with a constraint that is not there',
          args: upsert({ action: 'update', constraint: 'nothing' }),
          code: 'unexpected',
          path: '$.args.on_conflict.constraint',
          error: 'constraint "nothing" for table "book" does not exist',
        },
        {
          title: 'a conflict on a column that is not there',
          args: upsert({ action: 'update', constraint_on: ['nothing'] }),
          code: 'not-exists',
          path: '$.args.on_conflict.constraint_on[0]',
          error: 'column "nothing" does not exist',
        },
        {
          title: 'an update on conflict without saying which',
          args: upsert({ action: 'update' }),
          code: 'unexpected-payload',
          path: '$.args.on_conflict',
          error: `Expecting 'constraint' or 'constraint_on' when the 'action' is 'update'`,
        },
        {
          title: 'a conflict that is said twice',
          args: upsert({ action: 'ignore', constraint: 'book_pkey', constraint_on: 'id' }),
          code: 'unexpected-payload',
          path: '$.args.on_conflict',
          error: `'constraint' and 'constraint_on' cannot be set at a time`,
        },
        {
          title: 'an upsert of a role that may not update',
          role: 'inserter',
          args: upsert({ action: 'ignore' }),
          code: 'permission-denied',
          path: '$.args.on_conflict',
          error: 'upsert is not allowed for role "inserter" since update permissions are not defined',
        },
        {
          title: 'an upsert of a column that the role may not update',
          ...clerk,
          args: upsert({ action: 'update', constraint: 'book_pkey' }, { id: 1, title: 'x' }),
          code: 'validation-failed',
          path: '$.args.on_conflict',
          error: 'column "id" is not updatable',
        },
        {
          title: 'a conflict on columns without a unique constraint',
          args: upsert({ action: 'update', constraint_on: ['pages'] }),
          code: 'constraint-error',
          error: 'there is no unique or exclusion constraint on target column(s)',
        },
        checkFailed('insert', insert({ title: 'Forbidden' })),
        unwritable('insertable', { table: 'book_count', objects: [{ books: 1 }] }),
        {
          title: 'a row that is there',
          args: insert({ title: 'Dawn', publisher_id: 1 }),
          code: 'constraint-violation',
          error: /^Uniqueness violation\. duplicate key value violates unique constraint "book_title_publisher_id_key"/,
        },
        {
          title: 'a row without a value that it must have',
          args: insert({ title: null }),
          code: 'constraint-violation',
          error: /^Not-NULL violation\. null value in column "title"/,
        },
        {
          title: 'a row that refers to none',
          args: insert({ title: 'x', publisher_id: 9 }),
          code: 'constraint-violation',
          error: /^Foreign key violation\. insert or update on table "book"/,
        },
        {
          title: 'a row that breaks a check of the table',
          args: insert({ title: 'x', pages: 10000 }),
          code: 'permission-error',
          error: /^Check constraint violation\. new row for relation "book" violates check constraint "few_pages"/,
        },
      ],
    },
    {
      type: 'update',
      anyRole: true,
      notFound: { $: true },
      succeeds: [
        {
          title: 'sets, increases, multiplies and resets columns',
          args: {
            table: 'book',
            where: { title: 'Ebb' },
            $set: { title: 'Flow' },
            $inc: { pages: 1 },
            $mul: { price: 2 },
            $default: ['genre'],
            returning: ['title', 'pages', 'price', 'genre'],
          },
          answers: { returning: [{ title: 'Flow', pages: 121, price: 14, genre: null }], affected_rows: 1 },
        },
        {
          title: 'takes values as another name of $set, and adds presets',
          ...clerk,
          args: { table: 'book', where: {}, values: { pages: 7 } },
          answers: { affected_rows: 2 },
          then: [
            rows('select pages, price from book where id in (1, 3) order by id', [
              { pages: 7, price: '5' },
              { pages: 80, price: null },
            ]),
          ],
        },
        {
          title: 'leaves the rows of others alone',
          ...clerk,
          args: { table: 'book', where: { id: 3 }, $set: { title: 'x' } },
          answers: { affected_rows: 0 },
        },
        {
          title: 'updates a view that PostgreSQL can update',
          args: { table: 'cheap_book', where: {}, $set: { title: 'Cheap' } },
          answers: { affected_rows: 1 },
        },
      ],
      refuses: [
        untracked({ table: 'genre', where: {}, $set: { value: 'x' } }, '$.args.table'),
        forbidden('update', update({ $set: { pages: 1 } })),
        forbidden('update', update({ $set: { pages: 1 } }), 'writer', needsSelect('update')),
        noHouse(update({ $set: { pages: 1 } })),
        {
          title: 'a column that is not there',
          args: update({ $set: { nothing: 1 } }),
          code: 'permission-denied',
          path: "$.args['$set']",
          error: 'no such column exists : "nothing"',
        },
        {
          title: 'a column that the role may not update',
          ...clerk,
          args: update({ $set: { id: 9 } }),
          code: 'permission-denied',
          path: "$.args['$set']",
          error: cannot('update', 'id'),
        },
        {
          title: 'a column that a preset writes',
          ...clerk,
          args: update({ $set: { price: 1 } }),
          code: 'not-supported',
          path: "$.args['$set']",
          error: 'column "price" is not updatable for role "clerk"; its value is predefined in permission',
        },
        {
          title: 'a relationship',
          args: update({ $set: { publisher: 1 } }),
          code: 'unexpected-payload',
          path: "$.args['$set']",
          error: notColumn("relationships can't be updated"),
        },
        {
          title: 'a value of another type',
          args: update({ $inc: { pages: 'one' } }),
          code: 'parse-failed',
          path: "$.args['$inc'].pages",
          error: /./,
          fits: true,
        },
        {
          title: 'nothing to change',
          args: update({}),
          code: 'unexpected-payload',
          error: 'atleast one of $set, $inc, $mul has to be present',
        },
        checkFailed('update', update({ $set: { title: 'Forbidden' } })),
        unwritable('updatable', { table: 'book_count', where: {}, $set: { books: 1 } }),
        ...refusedReturning((returning) => update({ $set: { pages: 1 }, returning })),
        ...refusedWhere((where) => update({ $set: { pages: 1 }, where })),
        ...refusedReading((where) => update({ $set: { pages: 1 }, where })),
      ],
    },
    {
      type: 'delete',
      anyRole: true,
      succeeds: [
        {
          title: 'deletes rows and answers with what they were',
          args: { table: 'book', where: { pages: { _lt: 200 } }, returning: ['title'] },
          answers: { returning: [{ title: 'Ebb' }, { title: 'Fog' }], affected_rows: 2 },
          then: [rows('select title from book', [{ title: 'Dawn' }])],
        },
        {
          title: 'leaves the rows of others alone',
          ...clerk,
          args: { table: 'book', where: { title: { _in: ['Ebb', 'Fog'] } } },
          answers: { affected_rows: 1 },
        },
      ],
      refuses: [
        untracked({ table: 'genre', where: {} }),
        forbidden('delete', { table: 'book', where: {} }),
        forbidden('delete', { table: 'book', where: {} }, 'writer', needsSelect('delete')),
        noHouse({ table: 'book', where: {} }),
        unwritable('deletable', { table: 'book_count', where: {} }),
        {
          title: 'a row that others refer to',
          args: { table: 'publisher', where: { id: 1 } },
          code: 'constraint-violation',
          error: /^Foreign key violation\. update or delete on table "publisher" violates foreign key constraint/,
        },
        ...refusedReturning((returning) => ({ table: 'book', where: {}, returning })),
        ...refusedWhere((where) => ({ table: 'book', where })),
        ...refusedReading((where) => ({ table: 'book', where })),
      ],
    },
  ],
}
