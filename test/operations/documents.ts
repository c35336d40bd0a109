// Metadata documents: the library's, one with everything, and invalid ones.

import type { Refusal } from './entry.ts'
import { named } from './world.ts'

export const publisherEntry = {
  table: named('publisher'),
  array_relationships: [
    { name: 'books', using: { foreign_key_constraint_on: { table: named('book'), column: 'publisher_id' } } },
  ],
}

export const bookEntry = {
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

/** The export of the library. */
export const library = {
  version: 2,
  tables: [bookEntry, { table: named('book_count') }, { table: named('cheap_book') }, publisherEntry],
  functions: [{ function: named('search_book') }],
}

export const empty = { version: 2, tables: [] }

/** A document that uses every feature. */
export const everything = {
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

export const inTables = (...tables: readonly object[]) => ({ version: 2, tables })

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

/** Documents that declare a name twice. */
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

/** Refusals of both versions, for the arguments that contain the document. */
export const refusedDocuments = (args: (document: unknown) => unknown, member: string): Refusal[] => [
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
