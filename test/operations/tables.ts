// Tracking tables and views, and configuring them.

import { documentHas, doesNotServe, isUntracked, noField, serves, tableIs } from './effects.ts'
import type { Area, Refusal } from './entry.ts'
import { manyTablesOperations } from './many-tables.ts'
import { badEnums, cannotBeEnum, lead, noSuchTable, refusedEnums, refusedNames } from './tables-refusals.ts'
import { named } from './world.ts'

const renamed = {
  custom_root_fields: { select: 'genres', select_by_pk: 'genre', insert_one: 'add_genre' },
  custom_column_names: { comment: 'about' },
}

/** Tables that cannot be tracked, in any form of the name. */
const refusedTables: readonly Refusal[] = [
  {
    title: 'a table that is tracked',
    args: 'book',
    code: 'already-tracked',
    error: 'view/table already tracked : "book"',
  },
  {
    title: 'a table that is tracked and gone',
    given: [{ type: 'track_table', args: 'numbered' }, 'drop table numbered', { type: 'reload_metadata', args: {} }],
    args: 'numbered',
    code: 'already-tracked',
    error: 'view/table already tracked : "numbered"',
  },
  {
    title: 'the name of a tracked function',
    args: { name: 'search_book' },
    code: 'not-supported',
    error: 'function with name "search_book" already exists',
  },
  {
    title: 'a relation that is not there',
    args: { schema: 'crm', name: 'nobody' },
    code: 'constraint-violation',
    error: 'no such table/view exists in postgres: "crm.nobody"',
    internal: [
      {
        type: 'table',
        definition: { schema: 'crm', name: 'nobody' },
        reason: 'no such table/view exists in postgres: "crm.nobody"',
      },
    ],
  },
  {
    title: 'a name in capitals, which PostgreSQL tells from the one in small letters',
    args: 'GENRE',
    code: 'constraint-violation',
    error: 'no such table/view exists in postgres: "GENRE"',
    hint: 'did you mean "genre"?',
  },
  ...refusedEnums((table) => ({ table, is_enum: true })),
  {
    title: 'a column that refers to two enum tables',
    given: [
      { type: 'track_table', args: { table: 'genre', is_enum: true } },
      { type: 'track_table', args: { table: 'mood', is_enum: true } },
    ],
    args: 'song',
    code: 'constraint-violation',
    error: 'column "kind" in table "song" references multiple enum tables ("genre", "mood")',
  },
  {
    title: 'an object that is neither form of a name',
    args: { table: { schema: 'crm' }, is_enum: true },
    code: 'parse-failed',
    error: 'key "name" not found',
  },
  {
    title: 'an object whose is_enum is no boolean',
    args: { table: 'genre', is_enum: 'yes' },
    code: 'parse-failed',
    error: 'key "name" not found',
  },
]

export const tables: Area = {
  title: 'tables and views',
  sql: `
    ${badEnums.map(([, name, sql]) => `create table ${name} ${sql};`).join('\n')}
    create table "odd-table" ("odd column" int);
    create table mood (value text primary key);
    insert into mood values ('glad'), ('sad');
    create table song (id integer primary key, kind text references genre references mood);
    create function publisher_catalogue(publisher) returns setof book language sql stable as
      $$ select * from book where publisher_id = $1.id $$`,
  operations: [
    {
      type: 'track_table',
      requires: ['name'],
      notFound: { $: true },
      succeeds: [
        {
          title: 'puts a table into the GraphQL schema under its own name',
          args: { schema: 'crm', name: 'lead' },
          then: [tableIs(lead, {}), serves('{ crm_lead { id name } }', { crm_lead: [{ id: 1, name: 'Ann' }] })],
        },
        {
          title: 'takes a bare name, which is one of schema public',
          args: 'genre',
          then: [
            tableIs('genre', { is_enum: undefined, configuration: undefined }),
            serves('{ genre(order_by: {value: asc}) { value } }', { genre: [{ value: 'novel' }, { value: 'poem' }] }),
          ],
        },
        {
          title: 'makes an enum of a table',
          args: { table: 'genre', is_enum: true },
          then: [
            tableIs('genre', { is_enum: true }),
            serves('{ book(where: {genre: {_eq: poem}}) { title genre } }', {
              book: [{ title: 'Ebb', genre: 'poem' }],
            }),
          ],
        },
        {
          title: 'leaves names out of GraphQL that are none of its own',
          args: 'odd-table',
          then: [
            tableIs('odd-table', {}),
            serves('{ __type(name: "query_root") { name } }', { __type: { name: 'query_root' } }),
            ({ op }) => op('count', { table: 'odd-table', where: { 'odd column': 1 } }).then(() => {}),
          ],
        },
        {
          title: 'takes the longer form without is_enum',
          args: { table: lead, is_enum: null },
          then: [tableIs(lead, { is_enum: undefined })],
        },
      ],
      refuses: refusedTables,
    },
    {
      type: 'add_existing_table_or_view',
      requires: ['name'],
      notFound: { $: true },
      succeeds: [
        {
          title: 'is another name of track_table',
          args: { name: 'genre' },
          then: [
            tableIs('genre', {}),
            serves('{ genre_by_pk(value: "poem") { value } }', { genre_by_pk: { value: 'poem' } }),
          ],
        },
        {
          title: 'makes an enum of a table',
          args: { table: 'genre', is_enum: true },
          then: [tableIs('genre', { is_enum: true })],
        },
      ],
      refuses: refusedTables,
    },
    {
      type: 'track_table',
      version: 2,
      requires: ['table'],
      succeeds: [
        {
          title: 'puts a table into the GraphQL schema under other names',
          args: { table: 'genre', configuration: renamed },
          then: [
            tableIs('genre', { configuration: renamed }),
            serves('{ genres(limit: 1, order_by: {value: asc}) { value about } genre(value: "poem") { about } }', {
              genres: [{ value: 'novel', about: 'A long tale' }],
              genre: { about: null },
            }),
            serves('mutation { add_genre(object: {value: "play"}) { value } }', { add_genre: { value: 'play' } }),
            doesNotServe('{ genre_by_pk(value: "poem") { value } }', noField('genre_by_pk')),
          ],
        },
        {
          title: 'does without a configuration',
          args: { table: 'genre' },
          then: [tableIs('genre', { configuration: undefined })],
        },
        {
          title: 'takes the table and is_enum as version 1 does',
          args: {
            table: { table: 'genre', is_enum: true },
            configuration: { custom_root_fields: { select: 'genres' } },
          },
          then: [
            tableIs('genre', {
              is_enum: true,
              configuration: { custom_root_fields: { select: 'genres' }, custom_column_names: {} },
            }),
            serves('{ genres(limit: 1, order_by: {value: asc}) { value } }', { genres: [{ value: 'novel' }] }),
          ],
        },
        {
          title: 'lets two columns swap their names',
          args: { table: lead, configuration: { custom_column_names: { id: 'name', name: 'id' } } },
          then: [serves('{ crm_lead { id name } }', { crm_lead: [{ id: 'Ann', name: 1 }] })],
        },
      ],
      refuses: [
        {
          title: 'a table that is tracked',
          args: { table: 'book' },
          code: 'already-tracked',
          error: 'view/table already tracked : "book"',
        },
        {
          title: 'the name of a tracked function',
          args: { table: 'search_book' },
          code: 'not-supported',
          error: 'function with name "search_book" already exists',
        },
        {
          title: 'a relation that is not there',
          args: { table: 'nothing' },
          code: 'constraint-violation',
          error: 'no such table/view exists in postgres: "nothing"',
        },
        ...refusedEnums((table) => ({ table: { table, is_enum: true } })),
        ...refusedNames('lead', { args: (configuration) => ({ table: lead, configuration }), path: '$.configuration' }),
        {
          title: 'three root fields of one name each',
          args: {
            table: lead,
            configuration: {
              custom_root_fields: {
                ...{ select: 'a', select_by_pk: 'a', insert: 'b', insert_one: 'b', update: 'c', update_by_pk: 'c' },
              },
            },
          },
          code: 'parse-failed',
          path: '$.configuration.custom_root_fields',
          error: 'the following custom root field names are duplicated: "a", "b", and "c"',
          fits: true,
        },
      ],
    },
    {
      type: 'untrack_table',
      requires: ['table'],
      succeeds: [
        {
          title: 'takes a table out of the GraphQL schema',
          args: { table: 'cheap_book', cascade: false },
          then: [isUntracked('cheap_book'), doesNotServe('{ cheap_book { id } }', noField('cheap_book'))],
        },
        {
          title: 'takes along what belongs to the table, without cascade',
          given: [
            {
              type: 'create_object_relationship',
              args: {
                table: 'cheap_book',
                name: 'whole',
                using: { manual_configuration: { remote_table: 'book', column_mapping: { id: 'id' } } },
              },
            },
            {
              type: 'create_select_permission',
              args: { table: 'cheap_book', role: 'reader', permission: { columns: '*', filter: { whole: {} } } },
            },
          ],
          args: { table: 'cheap_book' },
          then: [isUntracked('cheap_book'), tableIs('book', { array_relationships: undefined })],
        },
        {
          title: 'takes along what depends on it elsewhere, with cascade',
          args: { table: 'book', cascade: true },
          then: [
            isUntracked('book'),
            tableIs('publisher', { array_relationships: undefined }),
            documentHas('functions', undefined),
            serves('{ publisher(where: {name: {_eq: "Ark"}}) { name } }', { publisher: [{ name: 'Ark' }] }),
          ],
        },
        {
          title: 'takes a table away that is tracked and gone',
          given: ['drop view cheap_book', { type: 'reload_metadata', args: {} }],
          args: { table: 'cheap_book' },
          then: [isUntracked('cheap_book')],
        },
      ],
      refuses: [
        {
          title: 'a table that is not tracked',
          args: { table: lead },
          code: 'already-untracked',
          error: 'view/table already untracked : "crm.lead"',
        },
        {
          title: 'a table that other objects need',
          args: { table: 'book' },
          code: 'dependency-error',
          error:
            'cannot drop due to the following dependent objects : function search_book, relationship publisher.books',
        },
        {
          title: 'a table whose relationship a permission elsewhere follows',
          args: { table: 'publisher', cascade: false },
          code: 'dependency-error',
          error:
            'cannot drop due to the following dependent objects : permission book.reader.select, relationship book.publisher',
        },
        {
          title: 'a table of the engine',
          args: { table: { schema: 'trellis', name: 'metadata' } },
          code: 'not-supported',
          error: '"trellis.metadata" is system defined, cannot untrack',
        },
        {
          title: 'a table that a computed field elsewhere returns',
          given: [
            {
              type: 'add_computed_field',
              args: { table: 'publisher', name: 'catalogue', definition: { function: 'publisher_catalogue' } },
            },
          ],
          args: { table: 'book' },
          code: 'dependency-error',
          error:
            'cannot drop due to the following dependent objects : computed field publisher.catalogue, function search_book, relationship publisher.books',
        },
      ],
    },
    {
      type: 'set_table_is_enum',
      requires: ['table', 'is_enum'],
      succeeds: [
        {
          title: 'makes an enum of a tracked table, and of the columns that refer to it',
          given: [{ type: 'track_table', args: 'genre' }],
          args: { table: 'genre', is_enum: true },
          then: [
            tableIs('genre', { is_enum: true }),
            serves('{ book(where: {genre: {_in: [novel]}}) { title } }', { book: [{ title: 'Dawn' }] }),
          ],
        },
        {
          title: 'makes an ordinary table of an enum again',
          given: [{ type: 'track_table', args: { table: 'genre', is_enum: true } }],
          args: { table: named('genre'), is_enum: false },
          then: [
            tableIs('genre', { is_enum: undefined }),
            serves('{ book(where: {genre: {_like: "nov%"}}) { title } }', { book: [{ title: 'Dawn' }] }),
          ],
        },
      ],
      refuses: [
        { ...noSuchTable, args: { table: 'colour', is_enum: true } },
        ...badEnums.map(
          ([title, table, , ...reasons]): Refusal => ({
            title: `an enum table ${title}`,
            given: [{ type: 'track_table', args: table }],
            args: { table, is_enum: true },
            code: 'constraint-violation',
            error: cannotBeEnum(table, reasons),
          }),
        ),
      ],
    },
    {
      type: 'pg_set_apollo_federation_config',
      requires: ['table'],
      succeeds: [
        {
          title: 'keeps the settings of a tracked table',
          args: { table: 'book', apollo_federation_config: { enable: 'v1' } },
          then: [tableIs('book', { apollo_federation_config: { enable: 'v1' } })],
        },
        {
          title: 'removes them',
          given: [
            {
              type: 'pg_set_apollo_federation_config',
              args: { table: 'book', apollo_federation_config: { enable: 'v1' } },
            },
          ],
          args: { table: 'book', apollo_federation_config: null },
          then: [tableIs('book', { apollo_federation_config: undefined })],
        },
      ],
      refuses: [{ ...noSuchTable, args: { table: 'colour' } }],
    },
    {
      type: 'set_table_custom_fields',
      version: 2,
      requires: ['table'],
      succeeds: [
        {
          title: 'renames root fields and columns',
          args: {
            table: 'publisher',
            custom_root_fields: { select: 'houses' },
            custom_column_names: { name: 'title' },
          },
          then: [
            tableIs('publisher', {
              configuration: { custom_root_fields: { select: 'houses' }, custom_column_names: { name: 'title' } },
            }),
            serves('{ houses(order_by: {title: asc}) { title } publisher_by_pk(id: 1) { title } }', {
              houses: [{ title: 'Ark' }, { title: 'Bell' }],
              publisher_by_pk: { title: 'Ark' },
            }),
          ],
        },
        {
          title: 'replaces the whole configuration: what is left out returns to its own name',
          given: [
            {
              type: 'set_table_custom_fields',
              version: 2,
              args: {
                table: 'publisher',
                custom_root_fields: { select: 'houses' },
                custom_column_names: { name: 'title' },
              },
            },
          ],
          args: { table: 'publisher', custom_root_fields: { select: 'firms' } },
          then: [
            tableIs('publisher', {
              configuration: { custom_root_fields: { select: 'firms' }, custom_column_names: {} },
            }),
            serves('{ firms(where: {id: {_eq: 1}}) { name } }', { firms: [{ name: 'Ark' }] }),
          ],
        },
        {
          title: 'resets everything',
          given: [
            {
              type: 'set_table_custom_fields',
              version: 2,
              args: { table: 'publisher', custom_root_fields: { select: 'houses' } },
            },
          ],
          args: { table: 'publisher', custom_root_fields: null },
          then: [tableIs('publisher', { configuration: undefined })],
        },
      ],
      refuses: [
        { ...noSuchTable, args: { table: 'colour' } },
        ...refusedNames('publisher', {
          args: (configuration) => ({ table: 'publisher', ...configuration }),
          path: '$',
        }),
        {
          title: 'a column with the name of a relationship',
          args: { table: 'publisher', custom_column_names: { name: 'books' } },
          code: 'unexpected',
          error: 'cannot continue due to new inconsistent metadata',
          internal: [
            {
              type: 'array_relation',
              definition: {
                table: named('publisher'),
                name: 'books',
                using: { foreign_key_constraint_on: { table: named('book'), column: 'publisher_id' } },
                comment: null,
              },
              reason: 'field definition conflicts with custom field name for postgres column "name"',
            },
          ],
        },
        {
          title: 'a column with the name of the aggregate of a relationship',
          args: { table: 'publisher', custom_column_names: { name: 'books_aggregate' } },
          code: 'unexpected',
          error: 'cannot continue due to new inconsistent metadata',
        },
        {
          title: 'a column with the name of a computed field',
          args: { table: 'book', custom_column_names: { title: 'label' } },
          code: 'unexpected',
          error: 'cannot continue due to new inconsistent metadata',
        },
      ],
    },
    {
      type: 'set_table_customization',
      requires: ['table', 'configuration'],
      succeeds: [
        {
          title: 'replaces names and descriptions',
          args: {
            table: 'publisher',
            configuration: {
              custom_name: 'house',
              custom_root_fields: { select: 'houses' },
              column_config: { name: { custom_name: 'title' } },
            },
          },
          then: [serves('{ houses(where: {id: {_eq: 1}}) { title } }', { houses: [{ title: 'Ark' }] })],
        },
        {
          title: 'swaps the names of two columns',
          args: { table: 'publisher', configuration: { custom_column_names: { id: 'name', name: 'id' } } },
          then: [serves('{ publisher(where: {name: {_eq: 1}}) { id } }', { publisher: [{ id: 'Ark' }] })],
        },
        {
          title: 'resets everything',
          given: [
            {
              type: 'set_table_customization',
              args: { table: 'publisher', configuration: { custom_name: 'house' } },
            },
          ],
          args: { table: 'publisher', configuration: {} },
          then: [tableIs('publisher', { configuration: undefined })],
        },
      ],
      refuses: [{ ...noSuchTable, args: { table: 'colour', configuration: {} } }],
    },
    ...manyTablesOperations,
  ],
}
