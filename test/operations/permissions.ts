// Creating and dropping permissions of roles on tables.

import assert from 'node:assert/strict'
import { doesNotServe, noField, rows, serves, tableIs } from './effects.ts'
import type { Area } from './entry.ts'
import {
  grant,
  type Kind,
  refusedAlways,
  refusedColumns,
  refusedExpressions,
  refusedParts,
  refusedPresets,
} from './permissions-refusals.ts'
import { named } from './world.ts'

const asEditor = (headers: Record<string, string> = {}) => ({ role: 'editor', headers })

/** A permission of this kind is dropped. */
const dropped = (kind: Kind) =>
  ({
    type: `drop_${kind}_permission`,
    requires: ['table', 'role'],
    notFound: { $: ['table'] },
    succeeds: [
      {
        title: 'takes the permission away',
        given: [{ type: `create_${kind}_permission`, args: grant(kind, {}) }],
        args: { table: 'book', role: 'editor' },
        then: [
          tableIs('book', {
            insert_permissions: undefined,
            update_permissions: undefined,
            delete_permissions: undefined,
          }),
          doesNotServe('{ book { id } }', noField('book'), asEditor()),
        ],
      },
      {
        title: 'takes away a permission that is inconsistent',
        given: [
          {
            type: `create_${kind}_permission`,
            args: grant(kind, { [kind === 'insert' ? 'check' : 'filter']: { price: 1 } }),
          },
          'alter table book rename price to cost',
          { type: 'reload_metadata', args: {} },
        ],
        args: { table: named('book'), role: 'editor' },
        then: [tableIs('book', { insert_permissions: undefined, update_permissions: undefined })],
      },
    ],
    refuses: [
      {
        title: 'a table that is not tracked',
        args: { table: 'genre', role: 'editor' },
        code: 'not-exists',
        error: 'table "genre" does not exist',
      },
      {
        title: 'a permission that is not there',
        args: { table: 'book', role: 'editor' },
        code: 'permission-denied',
        error: `${kind} permission on "book" for role "editor" does not exist`,
      },
    ],
  }) as const satisfies Area['operations'][number]

const insertOne = 'mutation { insert_book_one(object: {title: "Gale"}) { title pages } }'

export const permissions: Area = {
  title: 'permissions',
  sql: `create function book_twins(book) returns setof book language sql stable as 'select * from book'`,
  given: [
    { type: 'add_computed_field', args: { table: 'book', name: 'twins', definition: { function: 'book_twins' } } },
  ],
  operations: [
    {
      type: 'create_insert_permission',
      requires: ['table', 'role', 'permission'],
      notFound: { $: ['table'] },
      succeeds: [
        {
          title: 'lets a role insert rows that pass the check, with presets',
          args: {
            table: 'book',
            role: 'editor',
            permission: { check: { pages: { _lt: 100 } }, set: { pages: 'x-service-pages' }, columns: ['title'] },
            comment: 'Short ones',
          },
          then: [
            tableIs('book', {
              insert_permissions: [
                {
                  role: 'editor',
                  permission: { check: { pages: { _lt: 100 } }, set: { pages: 'x-service-pages' }, columns: ['title'] },
                  comment: 'Short ones',
                },
              ],
            }),
            serves(
              'mutation { insert_book(objects: [{title: "Gale"}]) { affected_rows } }',
              { insert_book: { affected_rows: 1 } },
              asEditor({ 'x-service-pages': '99' }),
            ),
            doesNotServe(
              'mutation { insert_book(objects: [{title: "Hail"}]) { affected_rows } }',
              'Check constraint violation. insert check constraint failed',
              asEditor({ 'x-service-pages': '100' }),
            ),
            rows(`select title, pages from book where id > 3`, [{ title: 'Gale', pages: 99 }]),
          ],
        },
        {
          title: 'shows the mutations to back ends alone',
          args: { table: 'book', role: 'editor', permission: { check: {}, backend_only: true } },
          then: [
            tableIs('book', {
              insert_permissions: [{ role: 'editor', permission: { check: {}, backend_only: true } }],
            }),
            doesNotServe(insertOne, 'no mutations exist', asEditor()),
          ],
        },
        {
          title: 'stores what an expression says in its canonical words',
          args: {
            table: 'book',
            role: 'editor',
            permission: { check: { $or: [{ id: 1 }, { $not: { id: { $eq: 2 } } }] }, set: {} },
          },
          then: [
            tableIs('book', {
              insert_permissions: [
                { role: 'editor', permission: { check: { _or: [{ id: 1 }, { _not: { id: { $eq: 2 } } }] } } },
              ],
            }),
          ],
        },
      ],
      refuses: [
        ...refusedAlways('insert'),
        ...refusedColumns('insert', ''),
        ...refusedPresets('insert'),
        ...refusedExpressions('insert', 'check'),
      ],
    },
    {
      type: 'create_select_permission',
      requires: ['table', 'role', 'permission'],
      notFound: { $: ['table'], '$.permission': true },
      succeeds: [
        {
          title: 'lets a role read columns of rows',
          args: {
            table: 'book',
            role: 'editor',
            permission: {
              columns: ['id', 'title'],
              computed_fields: ['label'],
              filter: { publisher_id: { _eq: 'X-Service-House' } },
              limit: 1,
              allow_aggregations: true,
            },
          },
          then: [
            tableIs('book', {
              select_permissions: [
                {
                  role: 'editor',
                  permission: {
                    columns: ['id', 'title'],
                    computed_fields: ['label'],
                    filter: { publisher_id: { _eq: 'X-Service-House' } },
                    limit: 1,
                    allow_aggregations: true,
                  },
                },
                {
                  role: 'reader',
                  permission: {
                    columns: ['id', 'title'],
                    computed_fields: ['label'],
                    filter: { publisher: { name: 'Ark' } },
                  },
                },
              ],
            }),
            serves(
              '{ book(order_by: {id: desc}) { title label } book_aggregate { aggregate { count } } }',
              { book: [{ title: 'Ebb', label: 'Ebb!' }], book_aggregate: { aggregate: { count: 2 } } },
              asEditor({ 'x-service-house': '1' }),
            ),
            doesNotServe('{ book { pages } }', noField('pages', 'book'), asEditor()),
          ],
        },
        {
          title: 'takes all columns, those to come included',
          args: {
            table: 'publisher',
            role: 'editor',
            permission: { columns: '*', filter: {}, allow_aggregations: false },
          },
          then: [
            tableIs('publisher', {
              select_permissions: [{ role: 'editor', permission: { columns: '*', filter: {} } }],
            }),
            ({ op }) => op('run_sql', { sql: "alter table publisher add city text default 'Oslo'" }).then(() => {}),
            serves('{ publisher_by_pk(id: 1) { city } }', { publisher_by_pk: { city: 'Oslo' } }, asEditor()),
          ],
        },
        {
          title: 'takes no columns at all',
          args: {
            table: 'publisher',
            role: 'editor',
            permission: { columns: [], filter: {}, allow_aggregations: true },
          },
          then: [
            serves(
              '{ publisher_aggregate { aggregate { count } } }',
              { publisher_aggregate: { aggregate: { count: 2 } } },
              asEditor(),
            ),
          ],
        },
      ],
      refuses: [
        ...refusedAlways('select'),
        ...refusedColumns('select', 'permissions for relationships are automatically inferred'),
        ...refusedExpressions('select', 'filter'),
        ...refusedParts('select', [
          [
            'a computed field that is not there',
            { computed_fields: ['nothing'] },
            'computed field "nothing" does not exist',
          ],
          [
            'a column among its computed fields',
            { computed_fields: ['title'] },
            'expecting a computed field; but, "title" is a column; ',
          ],
          [
            'a computed field that gives rows',
            { computed_fields: ['twins'] },
            'select permissions on computed field "twins" are auto-derived from the permissions on its returning table "book" and cannot be specified manually',
          ],
          ['a negative limit', { limit: -1 }, 'unexpected negative value'],
        ]),
      ],
    },
    {
      type: 'create_update_permission',
      requires: ['table', 'role', 'permission'],
      notFound: { $: ['table'] },
      succeeds: [
        {
          title: 'lets a role update columns of rows, with a check and presets',
          args: {
            table: 'book',
            role: 'editor',
            permission: {
              columns: ['title'],
              filter: { publisher_id: 1 },
              check: { title: { _neq: 'Forbidden' } },
              set: { price: 5 },
            },
          },
          then: [
            tableIs('book', {
              update_permissions: [
                {
                  role: 'editor',
                  permission: {
                    columns: ['title'],
                    filter: { publisher_id: 1 },
                    check: { title: { _neq: 'Forbidden' } },
                    set: { price: 5 },
                  },
                },
              ],
            }),
            ({ op }) => op('create_select_permission', grant('select', {})).then(() => {}),
            serves(
              'mutation { update_book(where: {id: {_in: [1, 3]}}, _set: {title: "New"}) { affected_rows } }',
              { update_book: { affected_rows: 1 } },
              asEditor(),
            ),
            doesNotServe(
              'mutation { update_book(where: {id: {_eq: 1}}, _set: {title: "Forbidden"}) { affected_rows } }',
              'Check constraint violation. update check constraint failed',
              asEditor(),
            ),
            rows(`select id, title, price from book where title = 'New'`, [{ id: 1, title: 'New', price: '5' }]),
          ],
        },
        {
          title: 'shows a check that is unset as null',
          args: grant('update', { set: {} }),
          then: [
            tableIs('book', {
              update_permissions: [{ role: 'editor', permission: { columns: '*', filter: {}, check: null } }],
            }),
          ],
        },
      ],
      refuses: [
        ...refusedAlways('update'),
        ...refusedColumns('update', "relationships can't be used in update"),
        ...refusedPresets('update'),
        ...refusedExpressions('update', 'filter'),
        ...refusedParts('update', [
          ['an unknown field in its check', { check: { nothing: 1 } }, '"nothing" does not exist'],
        ]),
      ],
    },
    {
      type: 'create_delete_permission',
      requires: ['table', 'role', 'permission'],
      notFound: { $: ['table'] },
      succeeds: [
        {
          title: 'lets a role delete rows',
          args: {
            table: 'book',
            role: 'editor',
            permission: { filter: { pages: { _lt: 100 } } },
            comment: 'Short ones',
          },
          then: [
            tableIs('book', {
              delete_permissions: [
                { role: 'editor', permission: { filter: { pages: { _lt: 100 } } }, comment: 'Short ones' },
              ],
            }),
            ({ op }) => op('create_select_permission', grant('select', {})).then(() => {}),
            serves(
              'mutation { delete_book(where: {}) { affected_rows } }',
              { delete_book: { affected_rows: 1 } },
              asEditor(),
            ),
            rows('select title from book order by id', [{ title: 'Dawn' }, { title: 'Ebb' }]),
          ],
        },
      ],
      refuses: [...refusedAlways('delete'), ...refusedExpressions('delete', 'filter')],
    },
    dropped('insert'),
    dropped('select'),
    dropped('update'),
    dropped('delete'),
    {
      type: 'set_permission_comment',
      requires: ['table', 'role', 'permission'],
      notFound: { $: ['table'] },
      succeeds: [
        {
          title: 'sets the comment',
          args: { table: 'book', role: 'reader', permission: 'select', comment: 'Those of Ark' },
          then: [
            tableIs('book', {
              select_permissions: [
                {
                  role: 'reader',
                  permission: {
                    columns: ['id', 'title'],
                    computed_fields: ['label'],
                    filter: { publisher: { name: 'Ark' } },
                  },
                  comment: 'Those of Ark',
                },
              ],
            }),
          ],
        },
        {
          title: 'clears the comment of an insert permission',
          given: [{ type: 'create_insert_permission', args: { ...grant('insert', {}), comment: 'Old' } }],
          args: { table: 'book', role: 'editor', permission: 'insert', comment: null },
          then: [tableIs('book', { insert_permissions: [{ role: 'editor', permission: { check: {} } }] })],
        },
        {
          title: 'sets the comment of an update permission',
          given: [{ type: 'create_update_permission', args: grant('update', {}) }],
          args: { table: 'book', role: 'editor', permission: 'update', comment: '' },
          then: [
            tableIs('book', {
              update_permissions: [
                { role: 'editor', permission: { columns: '*', filter: {}, check: null }, comment: '' },
              ],
            }),
          ],
        },
        {
          title: 'sets the comment of a delete permission',
          given: [{ type: 'create_delete_permission', args: grant('delete', {}) }],
          args: { table: 'book', role: 'editor', permission: 'delete', comment: 'All' },
          then: [
            tableIs('book', { delete_permissions: [{ role: 'editor', permission: { filter: {} }, comment: 'All' }] }),
          ],
        },
      ],
      refuses: [
        {
          title: 'a table that is not tracked',
          args: { table: 'genre', role: 'reader', permission: 'select' },
          code: 'not-exists',
          error: 'table "genre" does not exist',
        },
        {
          title: 'a permission that is not there',
          args: { table: 'book', role: 'editor', permission: 'select', comment: 'x' },
          code: 'permission-denied',
          error: '\'select\' permission on "book" for role "editor" does not exist',
        },
        {
          title: 'a kind of permission that there is not',
          args: { table: 'book', role: 'reader', permission: 'read' },
          code: 'parse-failed',
          path: '$.permission',
          error: "perm_type should be one of 'insert', 'select', 'update', 'delete'",
        },
      ],
    },
    {
      type: 'explain_access',
      requires: ['table', 'key', 'role'],
      succeeds: [
        {
          title: 'tells the verdict of each part of a rule',
          args: { table: 'book', key: { id: 1 }, role: 'admin', session: { 'x-service-user-id': '1' }, verb: 'select' },
          answers: (answer: object) => assert.deepEqual(answer, { allowed: true, reason: null, rules: [] }),
        },
        {
          title: 'tells that there is no such row',
          args: { table: 'book', key: { id: 99 }, role: 'admin' },
          answers: (answer: object) =>
            assert.deepEqual(answer, { allowed: false, reason: 'no row has this key', rules: [] }),
        },
      ],
      refuses: [
        {
          title: 'a table that is not tracked',
          args: { table: 'genre', key: { value: 'a' }, role: 'reader' },
          code: 'not-exists',
          path: '$.args.table',
          error: 'table "genre" does not exist',
        },
        {
          title: 'an unknown column',
          args: { table: 'book', key: { isbn: 1 }, role: 'reader' },
          code: 'not-exists',
          path: '$.args.key.isbn',
          error: '"isbn" does not exist',
        },
        {
          title: 'a value that does not fit its column',
          args: { table: 'book', key: { id: true }, role: 'reader' },
          code: 'validation-failed',
          path: '$.args.key.id._eq',
          error: 'expected a 32-bit integer for type "Int", but found a boolean',
        },
        {
          title: 'a variable of no session',
          args: { table: 'book', key: { id: 1 }, role: 'reader', session: { house: 'Ark' } },
          code: 'parse-failed',
          path: '$.args.session',
          error: '"house" is no session variable: their names begin with "x-service-"',
          fits: true,
        },
      ],
    },
  ],
}
