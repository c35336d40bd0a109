// Random metadata operations: names come from small lists, so that operations concern the same objects and many are
// refused.

import fc from '../support/fast-check.ts'
import { noted, texts } from './world.ts'

export interface Command {
  readonly type: string
  readonly args: unknown
  readonly version?: number
}

/** One of some values, each as often as its number says. */
const weighted = <T>(...values: readonly (readonly [number, T])[]): fc.Arbitrary<T> =>
  fc.oneof(...values.map(([weight, value]) => ({ weight, arbitrary: fc.constant(value) })))

const table = weighted([5, 'book'], [4, 'author'], [3, 'tag'], [2, 'cheap_book'], [1, 'tome'], [1, 'nowhere'])
const role = fc.constantFrom('reader', 'writer')
const relationship = fc.constantFrom('author', 'books', 'writer')
const collection = weighted([3, 'safe'], [1, 'other'])
const cascade = fc.boolean()
const comment = fc.constantFrom('a note', null)

const command = (type: string, args: fc.Arbitrary<unknown>, version?: number): fc.Arbitrary<Command> =>
  args.map((each) => (version === undefined ? { type, args: each } : { type, args: each, version }))

const record = fc.record<Record<string, unknown>>

const filter = weighted<unknown>(
  [4, {}],
  [3, { id: { _gt: 1 } }],
  [2, { title: { _eq: 'X-Service-User-Id' } }],
  [2, { author: { name: { _eq: 'Ann' } } }],
  [1, { books: { price: { _lt: 10 } } }],
  [2, { _exists: { _table: 'tag', _where: { name: { _eq: 'old' } } } }],
  [1, { missing: { _eq: 1 } }],
)

const columns = weighted<unknown>([4, '*'], [3, ['id']], [2, ['id', 'title']], [2, ['name']], [1, ['missing']])

const configuration = fc.constantFrom<Record<string, unknown>>(
  {},
  { custom_root_fields: { select: 'works' } },
  { custom_root_fields: { insert: 'add', select_by_pk: 'author' } },
  { custom_column_names: { title: 'heading', name: 'called' } },
  { custom_column_names: { missing: 'there' } },
)

const toAuthor = { manual_configuration: { remote_table: 'author', column_mapping: { author_id: 'id' } } }
const toBooks = { manual_configuration: { remote_table: 'book', column_mapping: { id: 'author_id' } } }

const objectRelationship = record({
  name: relationship,
  table: weighted([5, 'book'], [1, 'cheap_book'], [1, 'author'], [1, 'tome']),
  using: weighted<unknown>(
    [3, { foreign_key_constraint_on: 'author_id' }],
    [3, toAuthor],
    [1, { foreign_key_constraint_on: 'missing' }],
  ),
})

const arrayRelationship = record({
  name: relationship,
  table: weighted([5, 'author'], [1, 'tag'], [1, 'nowhere']),
  using: weighted<unknown>([3, { foreign_key_constraint_on: { table: 'book', column: 'author_id' } }], [3, toBooks]),
})

const tables = [
  command('track_table', table),
  command('track_table', record({ table, is_enum: cascade })),
  command('track_table', record({ table, configuration }), 2),
  command('untrack_table', record({ table, cascade })),
  command('set_table_is_enum', record({ table: fc.constantFrom('tag', 'book'), is_enum: cascade })),
  command(
    'set_table_custom_fields',
    fc.tuple(table, configuration).map(([name, rest]) => ({ table: name, ...rest })),
    2,
  ),
]

const relationships = [
  command('create_object_relationship', objectRelationship),
  command('create_array_relationship', arrayRelationship),
  command('drop_relationship', record({ table, relationship, cascade })),
  command('rename_relationship', record({ table, name: relationship, new_name: relationship })),
  command('set_relationship_comment', record({ table, relationship, comment })),
]

const permissions = [
  command(
    'create_select_permission',
    record({ table, role, permission: record({ columns, filter, allow_aggregations: cascade }) }),
  ),
  command(
    'create_insert_permission',
    record({ table, role, permission: record({ columns, check: filter, set: fc.constantFrom({}, { price: 1 }) }) }),
  ),
  command('create_update_permission', record({ table, role, permission: record({ columns, filter, check: filter }) })),
  command('create_delete_permission', record({ table, role, permission: record({ filter }) })),
  ...['select', 'insert', 'update', 'delete'].map((kind) =>
    command(`drop_${kind}_permission`, record({ table, role })),
  ),
  command('set_permission_comment', record({ table, role, permission: fc.constantFrom('select', 'insert'), comment })),
]

const name = weighted([3, 'search_books'], [3, 'book_label'], [1, 'nowhere'])
const computed = record({
  table: weighted([4, 'book'], [1, 'author']),
  name: weighted([3, 'label'], [2, 'caption'], [1, 'title']),
})

const functions = [
  command('track_function', name),
  command('track_function', record({ function: name, configuration: fc.constant({}) }), 2),
  command('untrack_function', name),
  command(
    'add_computed_field',
    fc.tuple(computed, name).map(([field, given]) => ({ ...field, definition: { function: given } })),
  ),
  command(
    'drop_computed_field',
    fc.tuple(computed, cascade).map(([field, all]) => ({ ...field, cascade: all })),
  ),
]

const query = fc.constantFrom('{ book { id } }', 'query two { author { name } }')

const collections = [
  command(
    'create_query_collection',
    record({ name: collection, definition: record({ queries: fc.tuple(record({ name: fc.constant('q'), query })) }) }),
  ),
  command('drop_query_collection', record({ collection, cascade })),
  command(
    'add_query_to_collection',
    record({ collection_name: collection, query_name: fc.constantFrom('q', 'r'), query }),
  ),
  command('drop_query_from_collection', record({ collection_name: collection, query_name: fc.constantFrom('q', 'r') })),
  command('add_collection_to_allowlist', record({ collection })),
  command('drop_collection_from_allowlist', record({ collection })),
]

const runSql = command(
  'run_sql',
  record({
    sql: fc.constantFrom(...texts).map(noted),
    cascade,
    check_metadata_consistency: fc.constant(true),
  }),
)

const fullBook = {
  table: 'book',
  object_relationships: [{ name: 'author', using: { foreign_key_constraint_on: 'author_id' } }],
  select_permissions: [
    { role: 'reader', permission: { columns: ['id', 'title'], filter: { author: { country: { _eq: 'NO' } } } } },
  ],
  insert_permissions: [{ role: 'writer', permission: { columns: '*', check: { id: { _gt: 0 } }, set: { price: 1 } } }],
}
const fullAuthor = {
  table: 'author',
  array_relationships: [
    { name: 'books', using: { foreign_key_constraint_on: { table: 'book', column: 'author_id' } } },
  ],
  select_permissions: [{ role: 'reader', permission: { columns: ['name'], filter: {} } }],
}

const documents = fc.constantFrom<Record<string, unknown>>(
  { tables: [fullBook, fullAuthor] },
  { tables: [fullAuthor, fullBook, { table: 'tag', is_enum: true }], functions: ['search_books'] },
  { tables: [{ table: 'cheap_book' }], query_collections: [{ name: 'safe', definition: { queries: [] } }] },
  { tables: [{ table: 'nowhere' }, fullBook] },
  { tables: [{ table: 'book' }, { table: 'book' }] },
  { tables: 'all' },
)

const whole = [
  command('replace_metadata', documents),
  command('replace_metadata', record({ allow_inconsistent_metadata: cascade, metadata: documents }), 2),
  command('clear_metadata', fc.constant({})),
  command('reload_metadata', fc.constant({})),
  command('drop_inconsistent_metadata', fc.constant({})),
]

const reads = [
  command('export_metadata', fc.constant({})),
  command('get_inconsistent_metadata', fc.constant({})),
  command('count', record({ table, where: fc.constant({}) })),
]

const single: fc.Arbitrary<Command> = fc.oneof(
  { weight: 6, arbitrary: fc.oneof(...tables) },
  { weight: 5, arbitrary: fc.oneof(...relationships) },
  { weight: 5, arbitrary: fc.oneof(...permissions) },
  { weight: 4, arbitrary: fc.oneof(...functions) },
  { weight: 3, arbitrary: fc.oneof(...collections) },
  { weight: 6, arbitrary: runSql },
  { weight: 2, arbitrary: fc.oneof(...whole) },
  { weight: 1, arbitrary: fc.oneof(...reads) },
)

/** An operation, or a bulk of some. */
export const anyCommand: fc.Arbitrary<Command> = fc.oneof(
  { weight: 8, arbitrary: single },
  { weight: 1, arbitrary: command('bulk', fc.array(single, { minLength: 1, maxLength: 4 })) },
)

/** The first commands of a history, so that most operations have something to work on. */
export const firstCommands: readonly Command[] = [
  {
    type: 'replace_metadata',
    args: {
      tables: [fullBook, fullAuthor, { table: 'tag' }],
      functions: ['search_books'],
      query_collections: [{ name: 'safe', definition: { queries: [{ name: 'q', query: '{ book { id } }' }] } }],
    },
  },
  {
    type: 'add_computed_field',
    args: { table: 'book', name: 'label', definition: { function: 'book_label' } },
  },
]
