// Refusals of operations on tables: tables that cannot be enums, and names.

import type { Refusal } from './entry.ts'

export const lead = { schema: 'crm', name: 'lead' }

/** Tables that cannot be enums, with the reasons. */
export const badEnums: readonly (readonly [title: string, name: string, sql: string, ...reasons: string[]])[] = [
  ['without a primary key', 'keyless', '(value text)', 'the table must have a primary key'],
  [
    'with a key of two columns',
    'wide_key',
    '(b text, a text, primary key (b, a))',
    'the table’s primary key must not span multiple columns (a, b)',
  ],
  [
    'whose key is a number',
    'numbered',
    '(id integer primary key)',
    'the table’s primary key ("id") must have type "text", not type "integer"',
  ],
  ['without rows', 'barren', '(value text primary key)', 'the table must have at least one row'],
  [
    'with a value that is no GraphQL name',
    'one_bad',
    "(value text primary key); insert into one_bad values ('x y'), ('fine')",
    'the value "x y" is not a valid GraphQL enum value name',
  ],
  [
    'with two such values, one of them reserved',
    'two_bad',
    "(value text primary key); insert into two_bad values ('true'), ('a-1')",
    'the values "a-1" and "true" are not valid GraphQL enum value names',
  ],
  [
    'with three such values',
    'three_bad',
    "(value text primary key); insert into three_bad values ('c-3'), ('a-1'), ('b-2')",
    'the values a-1, b-2, and "c-3" are not valid GraphQL enum value names',
  ],
  [
    'whose comments are numbers',
    'counted',
    "(value text primary key, n integer); insert into counted values ('a', 1)",
    'the table’s comment column ("n") must have type "text", not type "integer"',
  ],
  [
    'with more columns than a key and a comment',
    'broad',
    "(d text, c text, b text, a text primary key); insert into broad values ('d', 'c', 'b', 'a')",
    'the table must have exactly one primary key and optionally one comment column, not 4 columns (a, b, c, d)',
  ],
  [
    'with several faults',
    'hopeless',
    '(id integer primary key, a text, b text)',
    'the table’s primary key ("id") must have type "text", not type "integer"',
    'the table must have exactly one primary key and optionally one comment column, not 3 columns (a, b, id)',
  ],
]

export function cannotBeEnum(name: string, reasons: readonly string[]): string {
  const what = `the table "${name}" cannot be used as an enum`
  if (reasons.length === 1) return `${what} because ${reasons[0]}`
  return `${what} for the following reasons:\n${reasons.map((reason) => `  • ${reason}\n`).join('')}`
}

/** The refusal of each table that cannot be an enum. */
export const refusedEnums = (args: (table: string) => unknown): Refusal[] =>
  badEnums.map(([title, name, , ...reasons]) => ({
    title: `an enum table ${title}`,
    args: args(name),
    code: 'constraint-violation',
    error: cannotBeEnum(name, reasons),
  }))

/** Refusals of custom names, in arguments that contain a configuration. */
export const refusedNames = (
  table: string,
  { args, path }: { readonly args: (configuration: object) => object; readonly path: string },
): Refusal[] => [
  {
    title: 'two root fields of one name',
    args: args({ custom_root_fields: { select: 'a', insert: 'b', update: 'a', delete: 'b', delete_by_pk: null } }),
    code: 'parse-failed',
    path: `${path}.custom_root_fields`,
    error: 'the following custom root field names are duplicated: "a" and "b"',
    fits: true,
  },
  {
    title: 'a root field whose name is none of GraphQL',
    args: args({ custom_root_fields: { select: 'a-b' } }),
    code: 'parse-failed',
    path: `${path}.custom_root_fields.select`,
    error: '"a-b" is not a valid GraphQL name',
  },
  {
    title: 'a column whose new name is none of GraphQL',
    args: args({ custom_column_names: { name: '1st' } }),
    code: 'parse-failed',
    path: `${path}.custom_column_names.name`,
    error: '"1st" is not a valid GraphQL name',
  },
  {
    title: 'a name for a column that is not there',
    args: args({ custom_column_names: { sum: 'Total' } }),
    code: 'constraint-violation',
    error: 'the custom field name "Total" was given for the column "sum", but no such column exists',
  },
  {
    title: 'two columns of one name',
    args: args({ custom_column_names: { id: 'Total', name: 'Total' } }),
    code: 'constraint-violation',
    error:
      'the definitions of columns "id" and "name" are in conflict: they are mapped to the same field name, "Total"',
  },
  {
    title: 'query fields of another table',
    args: args({ custom_root_fields: { select: 'book', select_by_pk: 'book_by_pk' } }),
    code: 'unexpected',
    error: 'following query root fields are duplicated: book, book_by_pk',
  },
  {
    title: 'mutation fields of another table',
    args: args({ custom_root_fields: { insert: 'insert_book', delete: 'delete_book' } }),
    code: 'unexpected',
    error: 'following mutation root fields are duplicated: delete_book, insert_book',
  },
  {
    title: `a configuration of "${table}" that is no object`,
    args: args({ custom_column_names: ['a'] }),
    code: 'parse-failed',
    path: `${path}.custom_column_names`,
    error: 'parsing Object failed, expected Object, but encountered Array',
  },
]

export const noSuchTable: Refusal = {
  title: 'a table that is not tracked',
  args: {},
  code: 'not-exists',
  error: 'table "colour" does not exist',
}
