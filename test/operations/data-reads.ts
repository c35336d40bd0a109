// Reading rows, with database names and the role's permissions.

import {
  cannot,
  clerk,
  forbidden,
  noHouse,
  notColumn,
  refusedReading,
  refusedWhere,
  untracked,
} from './data-refusals.ts'
import type { OperationEntry, Refusal } from './entry.ts'

const select = (args: object) => ({ table: 'book', columns: ['id'], ...args })

const orderBy = (title: string, order_by: string, error: string, code = 'unexpected-payload'): Refusal => ({
  title: `to order by ${title}`,
  args: { table: 'book', columns: ['id'], order_by: ['title', order_by] },
  code,
  path: '$.args.order_by[1]',
  error,
})

/** Reading and counting rows. */
export const reads: readonly OperationEntry[] = [
  {
    type: 'select',
    requires: ['table', 'columns'],
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
        code: 'not-exists',
        path: '$.args.columns[0].name',
        error: 'relationship "publisher" does not exist',
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
    requires: ['table'],
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
]
