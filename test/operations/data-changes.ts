// Changing rows, with database names and the role's permissions.

import {
  cannot,
  clerk,
  forbidden,
  noHouse,
  notColumn,
  refusedReading,
  refusedReturning,
  refusedWhere,
  untracked,
  unwritable,
} from './data-refusals.ts'
import { rows } from './effects.ts'
import type { OperationEntry, Refusal } from './entry.ts'

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

/** Inserting, updating and deleting rows. */
export const changes: readonly OperationEntry[] = [
  {
    type: 'insert',
    requires: ['table', 'objects'],
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
    requires: ['table', 'where'],
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
        title: 'patches a jsonb value',
        args: {
          table: 'publisher',
          where: { id: 1 },
          $set: { name: 'Arch' },
          $patch: {
            info: [
              { op: 'test', path: '/a', value: 1 },
              { op: 'add', path: '/b/-', value: null },
            ],
          },
          returning: ['name', 'info'],
        },
        given: [{ type: 'update', args: { table: 'publisher', where: {}, $set: { info: { a: 1, b: [] } } } }],
        answers: { returning: [{ name: 'Arch', info: { a: 1, b: [null] } }], affected_rows: 1 },
      },
      {
        title: 'leaves a row alone whose jsonb value differs from the test of a patch',
        args: { table: 'publisher', where: {}, $patch: { info: [{ op: 'test', path: '/a', value: 2 }] } },
        given: [{ type: 'update', args: { table: 'publisher', where: {}, $set: { info: { a: 1 } } } }],
        answers: { affected_rows: 0 },
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
        title: 'a patch of a column that is not jsonb',
        args: update({ $patch: { info: [{ op: 'remove', path: '/a' }] } }),
        code: 'unexpected-payload',
        path: "$.args['$patch']",
        error: 'column "info" is not of type jsonb',
      },
      {
        title: 'an unknown operation of a patch',
        args: { table: 'publisher', where: {}, $patch: { info: [{ op: 'copy', path: '/a' }] } },
        code: 'unexpected-payload',
        path: "$.args['$patch'].info[0].op",
        error: 'expecting one of "add", "remove", "replace", "test"',
      },
      {
        title: 'a patch of a place that is no pointer',
        args: { table: 'publisher', where: {}, $patch: { info: [{ op: 'remove', path: 'a' }] } },
        code: 'unexpected-payload',
        path: "$.args['$patch'].info[0].path",
        error: '"a" is not a JSON Pointer',
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
    requires: ['table', 'where'],
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
]
