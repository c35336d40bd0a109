// Tracking many tables in one operation, under both names.

import assert from 'node:assert/strict'
import { isUntracked, serves, tableIs } from './effects.ts'
import type { OperationEntry } from './entry.ts'
import { lead } from './tables-refusals.ts'
import { named } from './world.ts'

const own = 'create table archive (id int) partition by range (id); create table archive_1 partition of archive default'

const gone = (name: string) => ({
  type: 'table',
  name,
  code: 'constraint-violation',
  message: `no such table/view exists in postgres: "${name}"`,
})

const again = {
  type: 'table',
  name: 'book',
  code: 'already-tracked',
  message: 'view/table already tracked : "book"',
}

interface Answer {
  readonly tables: readonly { readonly schema: string; readonly name: string }[]
}

const manyTables = (type: string): OperationEntry => ({
  type,
  notFound: { '$.tables[0]': true },
  succeeds: [
    {
      title: 'tracks a list, whose elements are names or arguments of version 2 of track_table',
      args: {
        tables: [
          lead,
          { table: 'genre', configuration: { custom_name: 'kind' }, source: 'default' },
          { table: { table: 'mood', is_enum: true } },
        ],
        allow_warnings: false,
        source: 'default',
      },
      answers: { message: 'success', tables: [lead, named('genre'), named('mood')] },
      then: [
        tableIs(lead, {}),
        tableIs('mood', { is_enum: true }),
        serves('{ crm_lead { name } kind(order_by: {value: asc}) { value } }', {
          crm_lead: [{ name: 'Ann' }],
          kind: [{ value: 'novel' }, { value: 'poem' }],
        }),
      ],
    },
    {
      title: 'tracks the tables of a schema that are not tracked yet',
      args: { schemas: ['crm'] },
      answers: { message: 'success', tables: [lead] },
      then: [isUntracked('genre')],
    },
    {
      title: 'tracks all tables, except for partitions and the tables of the server',
      given: [own],
      args: {},
      answers: (body: unknown) => {
        const { tables } = body as Answer
        assert.deepEqual(tables[0], lead)
        assert.deepEqual([...new Set(tables.map(({ schema }) => schema))], ['crm', 'public'])
        const names = tables.map(({ name }) => name)
        assert.ok(names.includes('archive') && !names.includes('archive_1') && !names.includes('book'))
      },
      then: [tableIs('song', {}), serves('{ book_by_pk(id: 1) { title } }', { book_by_pk: { title: 'Dawn' } })],
    },
    {
      title: 'passes over tables that cannot be tracked, and says why',
      args: { tables: ['nobody', 'genre', 'book', 'genre'] },
      answers: {
        message: 'success',
        tables: [named('genre')],
        warnings: [again, { ...again, name: 'genre', message: 'view/table already tracked : "genre"' }, gone('nobody')],
      },
      then: [isUntracked('nobody')],
    },
    {
      title: 'passes over tables whose names collide with those of others',
      given: [
        'create table book_aggregate (id int); create table book_max_fields (id int); create table plain (id int)',
      ],
      args: { tables: ['book_aggregate', 'book_max_fields', 'plain'] },
      answers: {
        message: 'success',
        tables: [named('plain')],
        warnings: [
          {
            type: 'table',
            name: 'book_aggregate',
            code: 'constraint-violation',
            message: 'following query root fields are duplicated: book_aggregate',
          },
          {
            type: 'table',
            name: 'book_max_fields',
            code: 'unexpected',
            message: 'found conflicting definitions for "book_max_fields" when collecting types from the schema',
          },
        ],
      },
    },
  ],
  refuses: [
    {
      title: 'a list of which nothing can be tracked',
      args: { tables: ['book'] },
      code: 'metadata-warnings',
      error: 'failed due to metadata warnings',
      internal: [again],
    },
    {
      title: 'any warning when they are not allowed',
      args: { tables: ['genre', 'nobody'], allow_warnings: false },
      code: 'metadata-warnings',
      error: 'failed due to metadata warnings',
      internal: [gone('nobody')],
    },
    {
      title: 'a schema that does not exist',
      args: { schemas: ['public', 'crn'] },
      code: 'not-exists',
      path: '$.args.schemas[1]',
      error: 'schema "crn" does not exist',
      hint: 'did you mean "crm"?',
    },
    {
      title: 'another source',
      args: { source: 'other' },
      code: 'not-exists',
      path: '$.args',
      error: 'source with name "other" does not exist',
    },
    {
      title: 'a table of another source',
      args: { tables: ['genre', { table: 'mood', source: 'other' }] },
      code: 'not-exists',
      path: '$.args.tables[1].source',
      error: 'source with name "other" does not exist',
    },
    {
      title: 'both a list and schemas',
      args: { tables: ['genre'], schemas: ['crm'] },
      code: 'parse-failed',
      error: 'only one of tables/schemas should be present',
      fits: true,
    },
  ],
})

const stays = (name: string, dependent: string) => ({
  type: 'table',
  name,
  code: 'dependency-error',
  message: `cannot drop due to the following dependent objects : ${dependent}`,
})

const untracked = (name: string) => ({
  type: 'table',
  name,
  code: 'already-untracked',
  message: `view/table already untracked : "${name}"`,
})

const untrackTables = (type: string): OperationEntry => ({
  type,
  requires: ['tables'],
  notFound: { '$.tables[0]': true },
  succeeds: [
    {
      title: 'untracks tables that depend on each other',
      args: { tables: ['publisher', { table: 'book', source: 'default', cascade: true }], allow_warnings: false },
      answers: { message: 'success', tables: [named('publisher'), named('book')] },
      then: [isUntracked('book'), isUntracked('publisher'), tableIs('cheap_book', {})],
    },
    {
      title: 'passes over tables that others need, and says why',
      args: { tables: ['publisher', 'cheap_book', 'genre', 'cheap_book'] },
      answers: {
        message: 'success',
        tables: [named('cheap_book')],
        warnings: [
          untracked('genre'),
          untracked('cheap_book'),
          stays('publisher', 'permission book.reader.select, relationship book.publisher'),
        ],
      },
      then: [isUntracked('cheap_book')],
    },
  ],
  refuses: [
    {
      title: 'a list of which nothing can be untracked',
      args: { tables: ['genre'] },
      code: 'metadata-warnings',
      error: 'failed due to metadata warnings',
      internal: [untracked('genre')],
    },
    {
      title: 'any warning when they are not allowed',
      args: { tables: ['cheap_book', 'genre'], allow_warnings: false },
      code: 'metadata-warnings',
      error: 'failed due to metadata warnings',
      internal: [untracked('genre')],
    },
    {
      title: 'a table of another source',
      args: { tables: ['cheap_book', { table: 'book', source: 'other' }] },
      code: 'not-exists',
      path: '$.args.tables[1].source',
      error: 'source with name "other" does not exist',
    },
  ],
})

export const manyTablesOperations: readonly OperationEntry[] = [
  ...['track_tables', 'pg_track_tables'].map(manyTables),
  ...['untrack_tables', 'pg_untrack_tables'].map(untrackTables),
]
