// The metadata as a whole: exporting, replacing, clearing, reloading, and what is inconsistent in it.

import assert from 'node:assert/strict'
import { documentIs, doesNotServe, inconsistencies, isUntracked, noField, serves, tableIs } from './effects.ts'
import type { Area, Effect, Refusal } from './entry.ts'
import { named } from './world.ts'

const publisherEntry = {
  table: named('publisher'),
  array_relationships: [
    { name: 'books', using: { foreign_key_constraint_on: { table: named('book'), column: 'publisher_id' } } },
  ],
}

const bookEntry = {
  table: named('book'),
  object_relationships: [{ name: 'publisher', using: { foreign_key_constraint_on: 'publisher_id' } }],
  computed_fields: [{ name: 'label', definition: { function: named('book_label') } }],
  select_permissions: [
    {
      role: 'reader',
      permission: { columns: ['id', 'title'], computed_fields: ['label'], filter: { publisher: { name: 'Ark' } } },
    },
  ],
}

/** What the library is exported as. */
const library = {
  version: 2,
  tables: [bookEntry, { table: named('book_count') }, { table: named('cheap_book') }, publisherEntry],
  functions: [{ function: named('search_book') }],
}

const empty = { version: 2, tables: [] }

/** A document that uses everything that there is. */
const everything = {
  version: 2,
  tables: [
    {
      table: { schema: 'crm', name: 'lead' },
      configuration: { custom_root_fields: { select: 'leads' }, custom_column_names: { 'odd name': 'odd' } },
    },
    {
      ...bookEntry,
      insert_permissions: [
        {
          role: 'editor',
          permission: { check: { pages: { _lt: 100 } }, set: { price: 5 }, columns: ['title'], backend_only: true },
          comment: 'Short ones',
        },
      ],
      select_permissions: [
        ...bookEntry.select_permissions,
        { role: 'visitor', permission: { columns: '*', filter: {}, limit: 1, allow_aggregations: true } },
      ],
      update_permissions: [{ role: 'editor', permission: { columns: ['title'], filter: {}, check: null } }],
      delete_permissions: [{ role: 'editor', permission: { filter: { id: { _in: [1] } } } }],
    },
    { table: named('genre'), is_enum: true },
    publisherEntry,
  ],
  functions: [{ function: named('mine'), configuration: { session_argument: 'who' } }],
  query_collections: [
    { name: 'shop', definition: { queries: [{ name: 'q', query: '{ book { id } }' }] }, comment: 'Sold' },
  ],
  allowlist: [{ collection: 'shop' }],
}

const inTables = (...tables: readonly object[]) => ({ version: 2, tables })

/** Documents that do not parse. */
const malformed: readonly (readonly [title: string, document: unknown, path: string, error: string, fits?: true])[] = [
  ['a document that is none', [], '$', 'parsing Object failed, expected Object, but encountered Array'],
  ['a document without tables', { version: 2 }, '$', 'key "tables" not found'],
  ['a version to come', { version: 3, tables: [] }, '$.version', 'expected 1 or 2, encountered 3'],
  [
    'a version that is no number',
    { version: '2', tables: [] },
    '$.version',
    'parsing Int failed, expected Number, but encountered String',
  ],
  [
    'a part of the document that is not known',
    { ...empty, no_such_part: [] },
    '$.no_such_part',
    'unexpected key "no_such_part"',
  ],
  [
    'an entry that is no object',
    { version: 2, tables: [{ table: 'book' }, 'book'] },
    '$.tables[1]',
    'expecting an Object for TableMetadata',
  ],
  ['an entry without a table', inTables({ is_enum: true }), '$.tables[0]', 'key "table" not found'],
  [
    'parts of an entry that are not known',
    inTables({ table: 'book', foo: [], bar: {} }),
    '$.tables[0]',
    'unexpected keys when parsing TableMetadata : ["foo","bar"]',
  ],
  [
    'a key of a permission that is not known',
    inTables({ table: 'book', delete_permissions: [{ role: 'r', permission: { filter: {}, columns: [] } }] }),
    '$.tables[0].delete_permissions[0].permission.columns',
    'unexpected key "columns"',
  ],
  [
    'a relationship without using',
    inTables({ table: 'book', object_relationships: [{ name: 'publisher' }] }),
    '$.tables[0].object_relationships[0]',
    "the key 'using' was not present",
  ],
  [
    'a query that is no GraphQL',
    { ...empty, query_collections: [{ name: 'c', definition: { queries: [{ name: 'q', query: '{' }] } }] },
    '$.query_collections[0].definition.queries[0].query',
    'parsing the graphql query failed',
    true,
  ],
  [
    'functions as their names, in format 2',
    { ...empty, functions: ['search_book'] },
    '$.functions[0]',
    'parsing Object failed, expected Object, but encountered String',
    true,
  ],
]

const select = { role: 'r', permission: { columns: '*', filter: {} } }
const change = { role: 'r', permission: { columns: '*', filter: {}, check: null } }
const relationship = { name: 'a', using: { foreign_key_constraint_on: 'publisher_id' } }
const label = { name: 'a', definition: { function: 'book_label' } }

/** Documents that name something twice. */
const repeated: readonly (readonly [kind: string, document: object, path: string, names: string])[] = [
  ['tables', inTables({ table: 'book' }, { table: named('book') }), '$.args.tables', '"book"'],
  [
    'relationships',
    inTables({
      table: 'publisher',
      object_relationships: [
        { name: 'books', using: { manual_configuration: { remote_table: 'book', column_mapping: {} } } },
      ],
      array_relationships: publisherEntry.array_relationships,
    }),
    '$.args.tables[0].publisher',
    '"books"',
  ],
  [
    'relationships',
    inTables({ table: 'publisher' }, { table: 'book', object_relationships: [relationship, relationship] }),
    '$.args.tables[1].book',
    '"a"',
  ],
  [
    'insert permissions',
    inTables({ table: 'book', insert_permissions: [1, 2].map(() => ({ role: 'r', permission: { check: {} } })) }),
    '$.args.tables[0].book',
    '"r"',
  ],
  [
    'select permissions',
    inTables({ table: 'book', select_permissions: [select, select] }),
    '$.args.tables[0].book',
    '"r"',
  ],
  [
    'update permissions',
    inTables({ table: 'book', update_permissions: [change, change] }),
    '$.args.tables[0].book',
    '"r"',
  ],
  [
    'delete permissions',
    inTables({ table: 'book', delete_permissions: [1, 2].map(() => ({ role: 'r', permission: { filter: {} } })) }),
    '$.args.tables[0].book',
    '"r"',
  ],
  [
    'computed fields',
    inTables({ table: { schema: 'crm', name: 'lead' }, computed_fields: [label, label] }),
    "$.args.tables[0]['crm.lead']",
    '"a"',
  ],
  ['functions', { tables: [], functions: ['search_book', named('search_book')] }, '$.args.functions', '"search_book"'],
  [
    'query collections',
    { ...empty, query_collections: [1, 2].map(() => ({ name: 'c', definition: { queries: [] } })) },
    '$.args.query_collections',
    '"c"',
  ],
  [
    'allow list',
    {
      ...empty,
      query_collections: [{ name: 'c', definition: { queries: [] } }],
      allowlist: [{ collection: 'c' }, { collection: 'c' }],
    },
    '$.args.allowlist',
    '"c"',
  ],
]

/** `$.args` with `metadata` in between. */
const below = (path: string, member: string) => path.replace(/^\$(\.args)?/, (root) => `${root}${member}`)

/** What both versions refuse, given how each has the document. */
const refusedDocuments = (args: (document: unknown) => unknown, member: string): Refusal[] => [
  ...malformed.map(
    ([title, document, path, error, fits]): Refusal => ({
      title,
      args: args(document),
      code: 'parse-failed',
      path: below(path, member),
      error,
      ...(fits && { fits }),
    }),
  ),
  ...repeated.map(
    ([kind, document, path, names]): Refusal => ({
      title: `${kind} that are declared twice, at ${path}`,
      args: args(document),
      code: 'already-exists',
      path: below(path, member),
      error: new RegExp(`^multiple declarations exist for the following ${kind} : ${names}$`),
    }),
  ),
  {
    title: 'an allow-list entry without its collection',
    args: args({ ...empty, query_collections: [], allowlist: [{ collection: 'c' }] }),
    code: 'not-exists',
    path: below('$.args.allowlist[0]', member),
    error: 'query collection with name "c" does not exists',
  },
  {
    title: 'a document with anything inconsistent',
    args: args({ ...library, tables: [...library.tables, { table: 'nothing' }] }),
    code: 'unexpected',
    error: 'cannot continue due to inconsistent metadata',
    internal: [{ type: 'table', definition: 'nothing', reason: 'no such table/view exists in postgres: "nothing"' }],
  },
]

const gone = ['drop view cheap_book']
const reload = { type: 'reload_metadata', args: {} }
const cheapBookIsGone = ['table', 'no such table/view exists in postgres: "cheap_book"'] as const

/** Only the two tables and their relationships, of which one is dropped behind the engine's back. */
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
        { title: 'looks at no arguments', args: [null, 'x'], answers: library },
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
          then: [documentIs(empty)],
        },
      ],
      refuses: refusedDocuments((document) => document, ''),
    },
    {
      type: 'replace_metadata',
      version: 2,
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
          args: [],
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
      ],
      refuses: [],
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
