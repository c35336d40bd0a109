// The metadata as a whole: exporting, replacing, clearing, reloading, and inconsistent objects.

import assert from 'node:assert/strict'
import { bookEntry, empty, everything, inTables, library, publisherEntry, refusedDocuments } from './documents.ts'
import { documentIs, doesNotServe, inconsistencies, isUntracked, noField, serves, tableIs } from './effects.ts'
import type { Area, Effect } from './entry.ts'
import { named } from './world.ts'

const gone = ['drop view cheap_book']
const reload = { type: 'reload_metadata', args: {} }
const cheapBookIsGone = ['table', 'no such table/view exists in postgres: "cheap_book"'] as const

/** Only the two tables and their relationships; one table is dropped outside of the engine. */
const withoutBook = [
  {
    type: 'replace_metadata',
    args: inTables({ ...bookEntry, select_permissions: [], computed_fields: [] }, publisherEntry),
  },
  'drop table book cascade',
  reload,
]

const bookIsGone = [
  {
    type: 'table',
    definition: 'book',
    reason: 'no such table/view exists in postgres: "book"',
  },
  {
    type: 'object_relation',
    definition: { table: named('book'), ...bookEntry.object_relationships[0], comment: null },
    reason: 'table "book" does not exist',
  },
  {
    type: 'array_relation',
    definition: { table: named('publisher'), ...publisherEntry.array_relationships[0], comment: null },
    reason: 'in table "publisher": in relationship "books": table "book" does not exist',
  },
]

const isTold =
  (found: unknown): Effect =>
  async ({ op }) =>
    assert.deepEqual(await op('get_inconsistent_metadata', {}), found)

export const metadata: Area = {
  title: 'the metadata as a whole',
  sql: `create function mine(minimum int, who json) returns setof book language sql stable as
    $$ select * from book where pages >= minimum and who ->> 'x-service-shelf' = 'open' $$`,
  operations: [
    {
      type: 'export_metadata',
      succeeds: [
        { title: 'answers with the whole document', args: {}, answers: library },
        {
          title: 'is empty when nothing is configured',
          given: [{ type: 'clear_metadata', args: {} }],
          args: {},
          answers: empty,
        },
        {
          title: 'looks at no arguments in the other dialect',
          settings: { dialect: 'hasura' },
          args: [null, 'x'],
          answers: library,
        },
        { title: 'shows what is inconsistent, too', given: [...gone, reload], args: {}, answers: library },
      ],
      refuses: [],
    },
    {
      type: 'export_metadata',
      version: 2,
      succeeds: [
        {
          title: 'answers with the document and its version',
          args: {},
          answers: ({ resource_version: version, metadata }: { resource_version: number; metadata: unknown }) => {
            assert.equal(version, 1)
            assert.deepEqual(metadata, library)
          },
        },
      ],
      refuses: [],
    },
    {
      type: 'replace_metadata',
      requires: ['tables'],
      notFound: {
        $: true,
        '$.tables[0]': true,
        '$.tables[0].table': true,
        '$.functions[0]': true,
        '$.functions[0].function': true,
      },
      ownWords: ['$.tables[0]', '$'],
      succeeds: [
        {
          title: 'puts a document in the place of everything',
          args: everything,
          then: [
            documentIs(everything),
            serves('{ leads { odd } mine(args: {minimum: 1}) { id } }', { leads: [{ odd: null }], mine: [] }),
            doesNotServe('{ cheap_book { id } }', noField('cheap_book')),
          ],
        },
        {
          title: 'reads format 1, where functions are names',
          args: { version: 1, tables: [{ table: 'book' }], functions: [{ name: 'search_book' }] },
          then: [
            documentIs({
              version: 2,
              tables: [{ table: named('book') }],
              functions: [{ function: named('search_book') }],
            }),
          ],
        },
        {
          title: 'reads format 1 when there is no version, and every other part of format 2 in it',
          args: {
            tables: [{ ...bookEntry, select_permissions: [] }, publisherEntry],
            functions: ['search_book'],
            query_collections: everything.query_collections,
            allowlist: everything.allowlist,
          },
          then: [
            documentIs({
              version: 2,
              tables: [
                {
                  table: bookEntry.table,
                  object_relationships: bookEntry.object_relationships,
                  computed_fields: bookEntry.computed_fields,
                },
                publisherEntry,
              ],
              functions: [{ function: named('search_book') }],
              query_collections: everything.query_collections,
              allowlist: everything.allowlist,
            }),
          ],
        },
        {
          title: 'passes over unknown parts of the document in the other dialect',
          settings: { dialect: 'hasura' },
          args: { ...empty, no_such_part: [] },
          answers: {
            message: 'success',
            passed_over: [{ reason: 'unknown key in metadata is ignored', key: 'no_such_part' }],
          },
          then: [documentIs(empty)],
        },
      ],
      refuses: refusedDocuments((document) => document, ''),
    },
    {
      type: 'replace_metadata',
      version: 2,
      requires: ['metadata'],
      notFound: {
        '$.metadata': true,
        '$.metadata.tables[0]': true,
        '$.metadata.tables[0].table': true,
        '$.metadata.functions[0]': true,
        '$.metadata.functions[0].function': true,
      },
      ownWords: ['$.metadata.tables[0]', '$.metadata'],
      succeeds: [
        {
          title: 'puts a document in the place of everything, and says how consistent that is',
          args: { allow_inconsistent_metadata: false, metadata: everything },
          answers: { is_consistent: true, inconsistent_objects: [] },
          then: [documentIs(everything)],
        },
        {
          title: 'keeps a document with inconsistent objects where that is allowed',
          args: { allow_inconsistent_metadata: true, metadata: inTables(publisherEntry, { table: named('nothing') }) },
          answers: {
            is_consistent: false,
            inconsistent_objects: [
              { type: 'table', definition: 'nothing', reason: 'no such table/view exists in postgres: "nothing"' },
              { ...bookIsGone[2] },
            ],
          },
          then: [tableIs('nothing', {}), serves('{ publisher { id } }', { publisher: [{ id: 1 }, { id: 2 }] })],
        },
      ],
      refuses: refusedDocuments((metadata) => ({ metadata }), '.metadata'),
    },
    {
      type: 'validate_metadata',
      requires: ['metadata'],
      notFound: {
        $: true,
        '$.metadata': true,
        '$.metadata.tables[0]': true,
        '$.metadata.tables[0].table': true,
        '$.metadata.functions[0]': true,
        '$.metadata.functions[0].function': true,
      },
      ownWords: ['$.metadata.tables[0]', '$.metadata'],
      succeeds: [
        {
          title: 'says how consistent a document is, and changes nothing',
          args: { metadata: everything },
          answers: { is_consistent: true, inconsistent_objects: [] },
          then: [documentIs(library)],
        },
        {
          title: 'lists the inconsistent objects of a document',
          args: { metadata: inTables(publisherEntry, { table: named('nothing') }) },
          answers: {
            is_consistent: false,
            inconsistent_objects: [
              { type: 'table', definition: 'nothing', reason: 'no such table/view exists in postgres: "nothing"' },
              { ...bookIsGone[2] },
            ],
          },
          then: [documentIs(library), inconsistencies()],
        },
      ],
      refuses: [],
    },
    {
      type: 'clear_metadata',
      succeeds: [
        {
          title: 'forgets everything',
          args: {},
          then: [documentIs(empty), doesNotServe('{ book { id } }', noField('book'))],
        },
        {
          title: 'forgets what is inconsistent, too',
          given: [...gone, reload],
          args: null,
          then: [documentIs(empty), inconsistencies()],
        },
      ],
      refuses: [],
    },
    {
      type: 'reload_metadata',
      succeeds: [
        {
          title: 'shows what was done to the database',
          given: ["alter table publisher add city text default 'Oslo'"],
          args: { reload_remote_schemas: false },
          then: [serves('{ publisher_by_pk(id: 1) { city } }', { publisher_by_pk: { city: 'Oslo' } })],
        },
        {
          title: 'reads the values of enums again',
          given: [
            { type: 'track_table', args: { table: 'genre', is_enum: true } },
            `insert into genre values ('play')`,
          ],
          args: null,
          then: [serves('{ book(where: {genre: {_eq: play}}) { id } }', { book: [] })],
        },
        {
          title: 'succeeds when objects become inconsistent, and serves the others',
          given: gone,
          args: { reload_remote_schemas: true },
          then: [
            inconsistencies(cheapBookIsGone),
            serves('{ publisher_by_pk(id: 1) { name } }', { publisher_by_pk: { name: 'Ark' } }),
          ],
        },
        {
          title: 'passes over what is no object in the other dialect',
          settings: { dialect: 'hasura' },
          args: 'all',
        },
      ],
      refuses: [
        {
          title: 'a list of remote schemas with one that is not there',
          args: { reload_remote_schemas: ['crm'] },
          code: 'not-exists',
          path: '$.args.reload_remote_schemas',
          error: 'there is no "crm" to reload',
        },
        ...[5, 'all', {}].map((asked) => ({
          title: `${JSON.stringify(asked)} for the remote schemas to reload`,
          args: { reload_remote_schemas: asked },
          code: 'parse-failed',
          path: '$.reload_remote_schemas',
          error: /^expected Boolean or Array, but encountered/,
        })),
      ],
    },
    {
      type: 'get_inconsistent_metadata',
      succeeds: [
        { title: 'is empty when all is well', args: {}, answers: [] },
        { title: 'lists what is broken, with the reasons', given: withoutBook, args: {}, answers: bookIsGone },
        {
          title: 'answers with an object in the other dialect, and definitions as objects',
          settings: { dialect: 'hasura' },
          given: [...gone, reload],
          args: {},
          answers: {
            is_consistent: false,
            inconsistent_objects: [
              {
                type: 'table',
                definition: named('cheap_book'),
                reason: 'no such table/view exists in postgres: "cheap_book"',
              },
            ],
          },
        },
        {
          title: 'lists the parties of a conflict together',
          given: [
            {
              type: 'replace_metadata',
              version: 2,
              args: {
                allow_inconsistent_metadata: true,
                metadata: inTables({
                  ...publisherEntry,
                  computed_fields: [{ name: 'books', definition: { function: 'book_label' } }],
                }),
              },
            },
          ],
          args: {},
          answers: (found: readonly object[]) => assert.ok(found.length > 0),
        },
      ],
      refuses: [],
    },
    {
      type: 'drop_inconsistent_metadata',
      succeeds: [
        { title: 'changes nothing when all is well', args: {}, then: [documentIs(library)] },
        {
          title: 'forgets what is broken, and what only stood on it',
          given: withoutBook,
          args: {},
          then: [isTold([]), isUntracked('book'), documentIs(inTables({ table: named('publisher') }))],
        },
      ],
      refuses: [],
    },
    {
      type: 'dump_internal_state',
      succeeds: [
        {
          title: 'shows what is served',
          args: {},
          answers: ({ tables }: { tables: Record<string, unknown> }) => assert.equal(Object.keys(tables).length, 4),
        },
      ],
      refuses: [],
    },
  ],
}
