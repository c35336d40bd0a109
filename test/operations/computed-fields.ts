// Adding and dropping computed fields.

import { doesNotServe, noField, serves, tableIs } from './effects.ts'
import type { Area, Refusal } from './entry.ts'
import { named } from './world.ts'

/** Functions that cannot be computed fields of `book`, each under its own name, with the reasons. */
const unfit: readonly (readonly [title: string, name: string, sql: string, ...reasons: string[]])[] = [
  [
    'a function that may write',
    'changing',
    `changing(book) returns text language sql volatile as 'select 1::text'`,
    'the function "changing" is of type VOLATILE; cannot be added as a computed field',
  ],
  [
    'a function that gives a value of an enum of the database',
    'mood_of',
    `mood_of(book) returns mood language sql stable as $$ select 'glad'::mood $$`,
    'the function "mood_of" returning type mood is not a BASE type',
  ],
  [
    'a function that gives rows of an untracked table',
    'genres_of',
    `genres_of(book) returns setof genre language sql stable as 'select * from genre'`,
    'the function "genres_of" returning set of table "genre" is not tracked or not found in database',
  ],
  [
    'a function without arguments',
    'of_nothing',
    `of_nothing() returns text language sql stable as 'select 1::text'`,
    'the function "of_nothing" has no input arguments',
  ],
  [
    'a function of a text',
    'of_text',
    `of_text(text) returns text language sql stable as 'select $1'`,
    'first argument of the function "of_text" is not COMPOSITE type',
    'first argument of the function "of_text" of type "pg_catalog.text" is not the table to which the computed field is being added',
  ],
  [
    'a function of the rows of another table',
    'of_publisher',
    `of_publisher(publisher) returns text language sql stable as 'select $1.name'`,
    'first argument of the function "of_publisher" of type "publisher" is not the table to which the computed field is being added',
  ],
]

const broken = (name: string, problem: string) => `in table "book": in computed field "${name}": ${problem}`

function cannotBeAdded(name: string, ...reasons: readonly string[]): string {
  const what = broken(name, `the computed field "${name}" cannot be added to table "book"`)
  if (reasons.length === 1) return `${what} because ${reasons[0]}`
  return `${what} for the following reasons:\n${reasons.map((reason) => `  • ${reason}\n`).join('')}`
}

const field = (name: string, definition: object = { function: name }, table = 'book') => ({ table, name, definition })

const shout = { function: 'shout', table_argument: 'b', session_argument: 'who' }

const definitions: readonly Refusal[] = [
  [
    'an argument for the row that there is not',
    { table_argument: 'z' },
    '"z" is not an input argument of the function "shout"',
  ],
  [
    'a session argument that there is not',
    { table_argument: 'b', session_argument: 'z' },
    '"z" is not an input argument of the function "shout"',
  ],
  [
    'a session argument that is no JSON',
    { table_argument: 'b', session_argument: 'mark' },
    '"mark" argument of the function "shout" is not of type JSON',
  ],
].map(([title, definition, reason]) => ({
  title: title as string,
  args: field('f', { function: 'shout', ...(definition as object) }),
  code: 'constraint-violation',
  error: cannotBeAdded('f', reason as string),
}))

export const computedFields: Area = {
  title: 'computed fields',
  sql: `
    create type mood as enum ('glad', 'sad');
    ${unfit.map(([, , sql]) => `create function ${sql};`).join('\n')}
    create function shout(mark text, who json, b book) returns text language sql stable as
      $$ select upper(b.title) || mark || (who ->> 'x-service-role') $$;
    create function same(book) returns text language sql stable as 'select 1::text';
    create function same(book, a int) returns text language sql stable as 'select 1::text'`,
  operations: [
    {
      type: 'add_computed_field',
      requires: ['table', 'name', 'definition'],
      succeeds: [
        {
          title: 'adds a field that a function of the row gives',
          args: { ...field('loud', shout), comment: 'In capitals' },
          then: [
            tableIs('book', {
              computed_fields: [
                { name: 'label', definition: { function: named('book_label') } },
                { name: 'loud', definition: { ...shout, function: named('shout') }, comment: 'In capitals' },
              ],
            }),
            serves('{ book_by_pk(id: 1) { loud(args: {mark: "!"}) } }', { book_by_pk: { loud: 'DAWN!admin' } }),
          ],
        },
        {
          title: 'adds a list of rows of a tracked table',
          args: field('others', { function: named('book_others') }),
          then: [
            serves('{ book_by_pk(id: 1) { others { title } } }', { book_by_pk: { others: [{ title: 'Ebb' }] } }),
            serves(
              '{ book(order_by: {id: asc}, limit: 1) { others { title } } }',
              { book: [{ others: [{ title: 'Ebb' }] }] },
              {
                role: 'reader',
              },
            ),
          ],
        },
      ],
      refuses: [
        {
          title: 'a table that is not tracked',
          args: field('label', { function: 'book_label' }, 'genre'),
          code: 'not-exists',
          path: '$.args.table',
          error: 'table "genre" does not exist',
        },
        {
          title: 'the name of a computed field that is there',
          args: field('label', { function: 'book_label' }),
          code: 'already-exists',
          error: 'field with name "label" already exists in table "book"',
        },
        {
          title: 'the name of a relationship',
          args: field('publisher', { function: 'book_label' }),
          code: 'already-exists',
          error: 'field with name "publisher" already exists in table "book"',
        },
        {
          title: 'the name of a column',
          args: field('title', { function: 'book_label' }),
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
          args: field('heading', { function: 'book_label' }),
          code: 'constraint-violation',
          error: 'field definition conflicts with custom field name for postgres column "title"',
          hint: 'give the field "heading" of table "book" a name that no column has',
        },
        {
          title: 'a name that is none of GraphQL',
          args: field('a b', { function: 'book_label' }),
          code: 'constraint-violation',
          error: cannotBeAdded('a b', '"a b" is not valid GraphQL name'),
        },
        {
          title: 'a definition without a function',
          args: field('f', { table_argument: 'b' }),
          code: 'parse-failed',
          path: '$.definition',
          error: "the key 'function' was not present",
        },
        {
          title: 'an empty name',
          args: field('', { function: 'book_label' }),
          code: 'parse-failed',
          path: '$.name',
          error: 'empty string not allowed',
        },
        {
          title: 'a function that is not there',
          args: field('f', { function: 'nothing' }),
          code: 'constraint-violation',
          error: broken('f', 'no such function exists in postgres : "nothing"'),
          internal: [
            {
              type: 'computed_field',
              definition: {
                table: named('book'),
                name: 'f',
                definition: { function: named('nothing') },
                comment: null,
              },
              reason: broken('f', 'no such function exists in postgres : "nothing"'),
            },
          ],
        },
        {
          title: 'a name that several functions have',
          args: field('same'),
          code: 'constraint-violation',
          error: broken('same', 'function "same" is overloaded. Overloaded functions are not supported'),
        },
        ...unfit.map(
          ([title, name, , ...reasons]): Refusal => ({
            title,
            args: field(name),
            code: 'constraint-violation',
            error: cannotBeAdded(name, ...reasons),
          }),
        ),
        ...definitions,
        {
          title: 'an argument for the row that is no row',
          args: field('f', { function: 'shout', table_argument: 'mark' }),
          code: 'constraint-violation',
          error: cannotBeAdded(
            'f',
            '"mark" argument of the function "shout" is not COMPOSITE type',
            '"mark" argument of the function "shout" of type "pg_catalog.text" is not the table to which the computed field is being added',
          ),
        },
      ],
    },
    {
      type: 'drop_computed_field',
      requires: ['table', 'name'],
      notFound: { $: true },
      succeeds: [
        {
          title: 'takes the field away',
          given: [{ type: 'add_computed_field', args: field('loud', shout) }],
          args: { table: 'book', name: 'loud', cascade: null },
          then: [
            tableIs('book', { computed_fields: [{ name: 'label', definition: { function: named('book_label') } }] }),
            doesNotServe('{ book { loud(args: {mark: "!"}) } }', noField('loud', 'book')),
          ],
        },
        {
          title: 'takes along the permissions that list it, with cascade',
          args: { table: 'book', name: 'label', cascade: true },
          then: [tableIs('book', { computed_fields: undefined, select_permissions: undefined })],
        },
      ],
      refuses: [
        {
          title: 'a table that is not tracked',
          args: { table: 'genre', name: 'label' },
          code: 'not-exists',
          path: '$.args.table',
          error: 'table "genre" does not exist',
        },
        {
          title: 'a computed field that is not there',
          args: { table: 'book', name: 'nothing' },
          code: 'not-exists',
          path: '$.args.name',
          error: 'computed field "nothing" does not exist',
        },
        {
          title: 'the name of a column',
          args: { table: 'book', name: 'title' },
          code: 'unexpected-payload',
          path: '$.args.name',
          error: 'expecting a computed field; but, "title" is a column; ',
        },
        {
          title: 'the name of a relationship',
          args: { table: 'book', name: 'publisher' },
          code: 'unexpected-payload',
          path: '$.args.name',
          error: 'expecting a computed field; but, "publisher" is a relationship; ',
        },
        {
          title: 'a computed field that a permission lists',
          args: { table: 'book', name: 'label', cascade: false },
          code: 'dependency-error',
          error: 'cannot drop due to the following dependent objects : permission book.reader.select',
        },
      ],
    },
  ],
}
