// Creating, renaming and dropping relationships.

import { doesNotServe, noField, serves, tableIs } from './effects.ts'
import type { Area, Refusal } from './entry.ts'
import { suggestedRelationships } from './suggested-relationships.ts'
import { named } from './world.ts'

const lead = { schema: 'crm', name: 'lead' }
const onBook = { foreign_key_constraint_on: 'book_id' }
const ofLead = { foreign_key_constraint_on: { table: lead, column: 'book_id' } }
const manual = (remote_table: unknown, column_mapping: object) => ({
  manual_configuration: { remote_table, column_mapping },
})

const both = 'foreign_key_constraint_on/manual_configuration'

/** Invalid values of `using`, given a valid foreign key and the arguments around it. */
const refusedUsing = (key: object, args: (using: unknown) => object): Refusal[] => {
  const refused = (title: string, using: unknown, error: string): Refusal => ({
    title,
    args: args(using),
    code: 'parse-failed',
    path: '$.using',
    error,
  })
  return [
    refused('a using that is no object', 'book_id', 'using should be an object'),
    refused('a using that says nothing', {}, `atleast one of ${both} should be present`),
    refused('a using that is null', { manual_configuration: null }, `atleast one of ${both} should be present`),
    refused('a using that says both', { ...key, ...manual('book', {}) }, `only one of ${both} should be present`),
    refused(
      'a manual configuration that is no object',
      { manual_configuration: [] },
      'manual_configuration should be an object',
    ),
  ]
}

/** Names and targets that both kinds refuse; `using` is valid for `table`. */
const refusedNames = (table: unknown, using: object): Refusal[] => [
  {
    title: 'a table that is not tracked',
    args: { table: 'genre', name: 'r', using },
    code: 'not-exists',
    error: 'table "genre" does not exist',
  },
  {
    title: 'an empty name',
    args: { table, name: '', using },
    code: 'parse-failed',
    path: '$.name',
    error: 'empty string not allowed',
  },
  {
    title: 'the name of a column',
    args: { table: 'book', name: 'title', using: manual('publisher', { publisher_id: 'id' }) },
    code: 'constraint-violation',
    error: 'field definition conflicts with postgres column',
    hint: 'give the field "title" of table "book" a name that no column has',
  },
  {
    title: 'the name that a column was given',
    given: [
      {
        type: 'set_table_custom_fields',
        version: 2,
        args: { table: 'book', custom_column_names: { title: 'heading' } },
      },
    ],
    args: { table: 'book', name: 'heading', using: manual('publisher', { publisher_id: 'id' }) },
    code: 'constraint-violation',
    error: 'field definition conflicts with custom field name for postgres column "title"',
    hint: 'give the field "heading" of table "book" a name that no column has',
  },
  {
    title: 'the name of a relationship that is there',
    args: { table: 'book', name: 'publisher', using: manual('publisher', { publisher_id: 'id' }) },
    code: 'already-exists',
    error: 'field with name "publisher" already exists in table "book"',
  },
  {
    title: 'the name of a computed field',
    args: { table: 'book', name: 'label', using: manual('publisher', { publisher_id: 'id' }) },
    code: 'already-exists',
    error: 'field with name "label" already exists in table "book"',
  },
  {
    title: 'a manual relationship to a table that is not tracked',
    args: { table: 'book', name: 'r', using: manual('genre', { genre: 'value' }) },
    code: 'constraint-violation',
    error: 'table "genre" is not tracked',
  },
  {
    title: 'a manual relationship from a column that is not there',
    args: { table: 'book', name: 'r', using: manual('publisher', { nothing: 'id' }) },
    code: 'constraint-violation',
    error: 'table "book" has no field named "nothing"',
  },
  {
    title: 'a manual relationship to a column that is not there',
    args: { table: 'book', name: 'r', using: manual('publisher', { publisher_id: 'nothing' }) },
    code: 'constraint-violation',
    error: 'table "publisher" has no field named "nothing"',
  },
  {
    title: 'a manual relationship from a relationship',
    args: { table: 'book', name: 'r', using: manual('publisher', { publisher: 'id' }) },
    code: 'constraint-violation',
    error: 'field "publisher"of table "book" is not a column',
  },
  {
    title: 'a manual relationship to a computed field',
    args: { table: 'publisher', name: 'r', using: manual('book', { name: 'label' }) },
    code: 'constraint-violation',
    error: 'field "label"of table "book" is not a column',
  },
]

/** Refusals of operations on one relationship; `args` contains their other arguments. */
const refusedLookups = (key: 'name' | 'relationship', args: object): Refusal[] => [
  {
    title: 'a table that is not tracked',
    args: { table: 'genre', [key]: 'books', ...args },
    code: 'not-exists',
    error: 'table "genre" does not exist',
  },
  {
    title: 'a relationship that is not there',
    args: { table: 'publisher', [key]: 'nothing', ...args },
    code: 'not-exists',
    error: 'relationship "nothing" does not exist',
  },
  {
    title: 'the name of a column',
    args: { table: 'publisher', [key]: 'info', ...args },
    code: 'unexpected-payload',
    error: 'expecting a relationship; but, "info" is a postgres column; ',
  },
  {
    title: 'the name of a computed field',
    args: { table: 'book', [key]: 'label', ...args },
    code: 'unexpected-payload',
    error: 'expecting a relationship; but, "label" is a computed field; ',
  },
]

const reprints = {
  type: 'create_object_relationship',
  args: { table: 'book', name: 'reprint', using: manual('book', { id: 'id' }) },
}

export const relationships: Area = {
  title: 'relationships',
  sql: `
    create table copy (
      id int primary key, book_id int references book (id), other_id int references book (id) references publisher (id),
      title text, publisher_id int, foreign key (title, publisher_id) references book (title, publisher_id)
    );
    alter table copy add constraint again foreign key (book_id) references book (id)`,
  given: [
    { type: 'track_table', args: lead },
    { type: 'track_table', args: 'copy' },
  ],
  operations: [
    {
      type: 'create_object_relationship',
      requires: ['table', 'name', 'using'],
      notFound: { $: ['table'], '$.table': true },
      ownWords: ['$.using'],
      succeeds: [
        {
          title: 'follows a foreign key to one row',
          args: { table: lead, name: 'book', using: onBook, comment: 'What was asked for' },
          then: [
            tableIs(lead, { object_relationships: [{ name: 'book', using: onBook, comment: 'What was asked for' }] }),
            serves('{ crm_lead { name book { title } } }', { crm_lead: [{ name: 'Ann', book: { title: 'Dawn' } }] }),
          ],
        },
        {
          title: 'compares columns where no foreign key is',
          args: { table: 'cheap_book', name: 'whole', using: manual('book', { id: 'id', title: 'title' }) },
          then: [
            tableIs('cheap_book', {
              object_relationships: [{ name: 'whole', using: manual(named('book'), { id: 'id', title: 'title' }) }],
            }),
            serves('{ cheap_book { whole { pages } } }', { cheap_book: [{ whole: { pages: 120 } }] }),
          ],
        },
      ],
      refuses: [
        ...refusedUsing(onBook, (using) => ({ table: lead, name: 'book', using })),
        ...refusedNames(lead, onBook),
        {
          title: 'a column without a foreign key',
          args: { table: lead, name: 'r', using: { foreign_key_constraint_on: 'name' } },
          code: 'constraint-violation',
          error: 'in table "crm.lead": in relationship "r": no foreign constraint exists on the given column',
          internal: [
            {
              type: 'object_relation',
              definition: { table: lead, name: 'r', using: { foreign_key_constraint_on: 'name' }, comment: null },
              reason: 'in table "crm.lead": in relationship "r": no foreign constraint exists on the given column',
            },
          ],
        },
        {
          title: 'a column that is one of several of a foreign key',
          args: { table: 'copy', name: 'r', using: { foreign_key_constraint_on: 'title' } },
          code: 'constraint-violation',
          error: 'in table "copy": in relationship "r": no foreign constraint exists on the given column',
        },
        {
          title: 'a column with two foreign keys',
          args: { table: 'copy', name: 'r', using: { foreign_key_constraint_on: 'other_id' } },
          code: 'constraint-violation',
          error:
            'in table "copy": in relationship "r": more than one foreign key constraint exists on the given column',
        },
        {
          title: 'a foreign key to a table that is not tracked',
          args: { table: 'book', name: 'kind', using: { foreign_key_constraint_on: 'genre' } },
          code: 'constraint-violation',
          error: 'table "genre" is not tracked',
        },
      ],
    },
    {
      type: 'create_array_relationship',
      requires: ['table', 'name', 'using'],
      notFound: { $: ['table'] },
      ownWords: ['$.using'],
      succeeds: [
        {
          title: 'follows a foreign key to the rows that refer to this one',
          args: { table: 'book', name: 'leads', using: ofLead },
          then: [
            tableIs('book', { array_relationships: [{ name: 'leads', using: ofLead }] }),
            serves('{ book(where: {leads: {}}) { leads { name } leads_aggregate { aggregate { count } } } }', {
              book: [{ leads: [{ name: 'Ann' }], leads_aggregate: { aggregate: { count: 1 } } }],
            }),
          ],
        },
        {
          title: 'compares columns where no foreign key is',
          args: { table: 'publisher', name: 'offers', using: manual('cheap_book', { id: 'id' }), comment: null },
          then: [
            tableIs('publisher', {
              array_relationships: [
                {
                  name: 'books',
                  using: { foreign_key_constraint_on: { table: named('book'), column: 'publisher_id' } },
                },
                { name: 'offers', using: manual(named('cheap_book'), { id: 'id' }) },
              ],
            }),
            serves('{ publisher_by_pk(id: 2) { offers { title } } }', {
              publisher_by_pk: { offers: [{ title: 'Ebb' }] },
            }),
          ],
        },
      ],
      refuses: [
        ...refusedUsing(ofLead, (using) => ({ table: 'book', name: 'leads', using })),
        ...refusedNames('book', ofLead),
        {
          title: 'a column of the other table without a foreign key',
          args: {
            table: 'publisher',
            name: 'r',
            using: { foreign_key_constraint_on: { table: lead, column: 'book_id' } },
          },
          code: 'constraint-violation',
          error: 'in table "publisher": in relationship "r": no foreign constraint exists on the given column',
        },
        {
          title: 'a column of the other table with two foreign keys to this one',
          args: {
            table: 'book',
            name: 'r',
            using: { foreign_key_constraint_on: { table: 'copy', column: 'book_id' } },
          },
          code: 'constraint-violation',
          error:
            'in table "book": in relationship "r": more than one foreign key constraint exists on the given column',
        },
        {
          title: 'a foreign key of a table that is not tracked',
          args: {
            table: 'book',
            name: 'r',
            using: { foreign_key_constraint_on: { table: 'nothing', column: 'book_id' } },
          },
          code: 'constraint-violation',
          error: 'in table "book": in relationship "r": table "nothing" does not exist',
        },
        {
          title: 'a name whose aggregate is what a column is called',
          given: [
            {
              type: 'set_table_custom_fields',
              version: 2,
              args: { table: 'book', custom_column_names: { title: 'leads_aggregate' } },
            },
          ],
          args: { table: 'book', name: 'leads', using: ofLead },
          code: 'constraint-violation',
          error: 'field definition conflicts with custom field name for postgres column "title"',
          hint: 'give the field "leads" of table "book", whose aggregate is "leads_aggregate", a name that no column has',
        },
      ],
    },
    {
      type: 'drop_relationship',
      requires: ['table', 'relationship'],
      notFound: { $: ['table'] },
      succeeds: [
        {
          title: 'takes the field away',
          args: { table: 'publisher', relationship: 'books', cascade: null },
          then: [
            tableIs('publisher', { array_relationships: undefined }),
            doesNotServe('{ publisher { books { id } } }', noField('books', 'publisher')),
          ],
        },
        {
          title: 'takes along the permissions that follow it, with cascade',
          args: { table: 'book', relationship: 'publisher', cascade: true },
          then: [tableIs('book', { object_relationships: undefined, select_permissions: undefined })],
        },
      ],
      refuses: [
        ...refusedLookups('relationship', {}),
        {
          title: 'a relationship that a permission follows',
          args: { table: 'book', relationship: 'publisher' },
          code: 'dependency-error',
          error: 'cannot drop due to the following dependent objects : permission book.reader.select',
        },
      ],
    },
    {
      type: 'rename_relationship',
      requires: ['table', 'name', 'new_name'],
      notFound: { $: ['table'] },
      succeeds: [
        {
          title: 'renames the field, and what follows it',
          args: { table: 'book', name: 'publisher', new_name: 'house' },
          then: [
            tableIs('book', {
              object_relationships: [{ name: 'house', using: { foreign_key_constraint_on: 'publisher_id' } }],
              select_permissions: [
                {
                  role: 'reader',
                  permission: {
                    columns: ['id', 'title'],
                    computed_fields: ['label'],
                    filter: { house: { name: 'Ark' } },
                  },
                },
              ],
            }),
            serves('{ book_by_pk(id: 3) { house { name } } }', { book_by_pk: { house: { name: 'Bell' } } }),
            serves(
              '{ book(order_by: {id: asc}) { title } }',
              { book: [{ title: 'Dawn' }, { title: 'Ebb' }] },
              { role: 'reader' },
            ),
          ],
        },
      ],
      refuses: [
        ...refusedLookups('name', { new_name: 'house' }),
        ...[
          ['a column', 'title'],
          ['a computed field', 'label'],
          ['another relationship', 'reprint'],
          ['the relationship itself', 'publisher'],
        ].map(
          ([what, name]): Refusal => ({
            title: `the name of ${what}`,
            given: [reprints],
            args: { table: 'book', name: 'publisher', new_name: name },
            code: 'already-exists',
            error: `cannot rename relationship "publisher" to "${name}" in table "book" as a column/relationship with the name already exists`,
          }),
        ),
      ],
    },
    {
      type: 'set_relationship_comment',
      requires: ['table', 'relationship'],
      notFound: { $: ['table'] },
      succeeds: [
        {
          title: 'sets the comment',
          args: { table: 'book', relationship: 'publisher', comment: 'Who prints it' },
          then: [
            tableIs('book', {
              object_relationships: [
                { name: 'publisher', using: { foreign_key_constraint_on: 'publisher_id' }, comment: 'Who prints it' },
              ],
            }),
          ],
        },
        {
          title: 'clears the comment',
          given: [
            { type: 'set_relationship_comment', args: { table: 'book', relationship: 'publisher', comment: 'Old' } },
          ],
          args: { table: 'book', relationship: 'publisher' },
          then: [
            tableIs('book', {
              object_relationships: [{ name: 'publisher', using: { foreign_key_constraint_on: 'publisher_id' } }],
            }),
          ],
        },
      ],
      refuses: refusedLookups('relationship', { comment: 'x' }),
    },
    ...suggestedRelationships,
  ],
}
