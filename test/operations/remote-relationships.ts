// Remote relationships.

import { serves, tableIs } from './effects.ts'
import type { Area, Call, Refusal } from './entry.ts'
import { remoteUrl } from './remote-server.ts'
import { named } from './world.ts'

const remote_field = { user: { arguments: { id: '$id', tags: ['a'] } } }
const author = { name: 'author', table: 'book', service_fields: ['id'], remote_schema: 'crm', remote_field }
const created: Call = { type: 'create_remote_relationship', args: author }
const other = { user: { arguments: { id: '$pages' } } }

const missing = (args: object): readonly Refusal[] => [
  {
    title: 'a table that is not there',
    args: { ...args, table: 'shelf' },
    code: 'not-exists',
    error: 'table "shelf" does not exist',
  },
  {
    title: 'a relationship that is not there',
    args: { ...args, name: 'nobody' },
    code: 'not-exists',
    error: '"nobody" does not exist',
  },
  {
    title: 'a relationship to a table',
    args: { ...args, name: 'publisher' },
    code: 'unexpected-payload',
    error: 'expecting a remote relationship',
  },
]

const toBook = { to_source: { relationship_type: 'object', table: 'book', field_mapping: { id: 'id' } } }
const toUser = {
  to_remote_schema: { remote_schema: 'crm', lhs_fields: ['id'], remote_field: { user: { arguments: { id: '$id' } } } },
}
const byName = { user: { arguments: { id: '$name' } } }
const tome = { remote_schema: 'crm', type_name: 'User', name: 'tome', definition: toBook }
const createdTome: Call = { type: 'create_remote_schema_remote_relationship', args: tome }
const showsTome = serves('{ user(id: 1) { tome { title } } }', { user: { tome: { title: 'Dawn' } } })
const showsUser = serves('{ user(id: 1) { tome { name } } }', { user: { tome: { name: 'user 1' } } })

/** A definition that fits nothing: it is refused with the reason, and listed with the stored definition. */
function misfit(title: string, given: object, stored: object, reason: string): Refusal {
  const { name, type_name } = { ...tome, ...given }
  const error = `in remote schema "crm": in type "${type_name}": in remote relationship "${name}": ${reason}`
  return {
    ...{ title, args: { ...tome, ...given }, code: 'constraint-violation', error },
    internal: [
      {
        type: 'remote_schema_remote_relationship',
        definition: { ...tome, ...given, definition: stored },
        reason: error,
      },
    ],
  }
}

const toTable = (more: object) => ({ definition: { to_source: { ...toBook.to_source, ...more } } })
const inTable = (more: object) => ({ to_source: { ...toBook.to_source, table: named('book'), ...more } })

/** Definitions that are refused at their place. */
const malformed: readonly Refusal[] = [
  {
    title: 'a remote schema that is not there',
    args: { ...tome, remote_schema: 'erp' },
    code: 'not-exists',
    error: 'remote schema with name "erp" does not exist',
  },
  {
    title: 'a definition of no known kind',
    args: { ...tome, definition: {} },
    path: '$.definition',
    code: 'parse-failed',
    error: 'expecting "to_source" or "to_remote_schema" in the definition',
  },
  {
    title: 'a definition of both kinds',
    args: { ...tome, definition: { ...toBook, ...toUser } },
    path: '$.definition',
    code: 'parse-failed',
    error: 'expecting one of "to_source" and "to_remote_schema", but both are given',
  },
  {
    title: 'another source',
    args: { ...tome, ...toTable({ source: 'other' }) },
    path: '$.args.definition.to_source.source',
    code: 'not-exists',
    error: 'source with name "other" does not exist',
  },
]

const noTome: Refusal = {
  title: 'a relationship that is not there',
  args: { ...tome, name: 'nobody' },
  code: 'not-exists',
  error: 'remote relationship "nobody" of type "User" in remote schema "crm" does not exist',
}

const toRows = (more: object = {}) => ({
  ...{ name: 'same_length', table: 'book' },
  definition: {
    to_source: {
      ...{ relationship_type: 'array', source: 'default', table: 'book', field_mapping: { pages: 'pages' } },
      ...more,
    },
  },
})
const stored = (more: object) => ({
  to_source: { relationship_type: 'array', table: named('book'), field_mapping: { pages: 'pages' }, ...more },
})

/** Rows that are not there: they are refused with the reason, and listed with the stored definition. */
function noRows(title: string, given: object, kept: object, reason: string): Refusal {
  const error = `in table "book": in remote relationship"same_length": ${reason}`
  const definition = { name: 'same_length', table: named('book'), definition: stored(kept) }
  return {
    ...{ title, args: toRows(given), code: 'constraint-violation', error },
    internal: [{ type: 'remote_relationship', definition, reason: error }],
  }
}

const toRowsRefusals: readonly Refusal[] = [
  {
    title: 'rows of another source',
    args: toRows({ source: 'other' }),
    path: '$.args.definition.to_source.source',
    code: 'not-exists',
    error: 'source with name "other" does not exist',
  },
  noRows(
    'rows of a table that is not there',
    { table: 'shelf' },
    { table: named('shelf') },
    'table "shelf" does not exist',
  ),
  noRows(
    'a column of rows that is not there',
    { field_mapping: { age: 'pages' } },
    { field_mapping: { age: 'pages' } },
    'field with name "age" not found in table "book"',
  ),
  noRows(
    'a column of the other rows that is not there',
    { field_mapping: { pages: 'age' } },
    { field_mapping: { pages: 'age' } },
    'column "age" does not exist in table "book"',
  ),
  {
    title: 'rows by no column',
    args: toRows({ field_mapping: {} }),
    path: '$.definition.to_source.field_mapping',
    code: 'parse-failed',
    error: 'expecting at least one field in the mapping',
  },
]

export const remoteRelationships: Area = {
  title: 'remote relationships',
  given: [{ type: 'add_remote_schema', args: { name: 'crm', definition: { url: remoteUrl } } }],
  operations: [
    {
      type: 'create_remote_relationship',
      requires: ['name', 'table', 'remote_schema', 'remote_field'],
      succeeds: [
        {
          title: 'joins rows to a field of a remote schema',
          args: author,
          then: [
            tableIs('book', {
              remote_relationships: [
                { name: 'author', definition: { remote_schema: 'crm', service_fields: ['id'], remote_field } },
              ],
            }),
            serves('{ book_by_pk(id: 1) { author { name } } }', { book_by_pk: { author: { name: 'user 1' } } }),
          ],
        },
        {
          title: 'takes a definition in the form of later documents',
          args: {
            ...{ name: 'author', table: 'book', source: 'default' },
            definition: { to_remote_schema: { remote_schema: 'crm', lhs_fields: ['id'], remote_field } },
          },
          then: [serves('{ book_by_pk(id: 1) { author { name } } }', { book_by_pk: { author: { name: 'user 1' } } })],
        },
        {
          title: 'joins rows to rows of a table',
          args: toRows(),
          then: [
            tableIs('book', { remote_relationships: [{ name: 'same_length', definition: stored({}) }] }),
            serves('{ book_by_pk(id: 1) { same_length { id } same_length_aggregate { aggregate { count } } } }', {
              book_by_pk: { same_length: [{ id: 1 }], same_length_aggregate: { aggregate: { count: 1 } } },
            }),
          ],
        },
      ],
      refuses: [
        ...toRowsRefusals,
        missing(author)[0]!,
        {
          title: 'a definition without a remote schema',
          args: { name: 'author', table: 'book', definition: { to_remote_schema: { lhs_fields: [], remote_field } } },
          path: '$.definition.to_remote_schema',
          code: 'parse-failed',
          error: "the key 'remote_schema' was not present",
        },
        {
          title: 'a name that is taken',
          args: { ...author, name: 'publisher' },
          code: 'already-exists',
          error: 'field with name "publisher" already exists in table "book"',
        },
        {
          title: 'a field that is not there',
          args: { ...author, remote_field: { nobody: { arguments: {} } } },
          code: 'constraint-violation',
          error:
            'in table "book": in remote relationship"author": remote field with name "nobody" and type "Query" not found',
          internal: [
            {
              type: 'remote_relationship',
              definition: { ...author, table: named('book'), remote_field: { nobody: { arguments: {} } } },
              reason:
                'in table "book": in remote relationship"author": remote field with name "nobody" and type "Query" not found',
            },
          ],
        },
      ],
    },
    {
      type: 'update_remote_relationship',
      requires: ['name', 'table', 'remote_schema', 'remote_field'],
      succeeds: [
        {
          title: 'leads somewhere else',
          given: [created],
          args: { ...author, service_fields: ['pages'], remote_field: other },
          then: [serves('{ book_by_pk(id: 1) { author { name } } }', { book_by_pk: { author: { name: 'user 300' } } })],
        },
        {
          title: 'takes a definition in the form of later documents',
          given: [created],
          args: {
            ...{ name: 'author', table: 'book' },
            definition: { to_remote_schema: { remote_schema: 'crm', lhs_fields: ['pages'], remote_field: other } },
          },
          then: [serves('{ book_by_pk(id: 1) { author { name } } }', { book_by_pk: { author: { name: 'user 300' } } })],
        },
      ],
      refuses: missing(author),
    },
    {
      type: 'delete_remote_relationship',
      requires: ['table', 'name'],
      succeeds: [
        {
          title: 'takes it away',
          given: [created],
          args: { table: 'book', name: 'author' },
          then: [tableIs('book', { remote_relationships: undefined })],
        },
      ],
      refuses: missing({ table: 'book', name: 'author' }),
    },
    {
      type: 'create_remote_schema_remote_relationship',
      requires: ['remote_schema', 'type_name', 'name', 'definition'],
      ownWords: ['$.definition'],
      succeeds: [
        { title: 'joins objects to rows of a table', args: tome, then: [showsTome] },
        {
          title: 'joins objects to a field of a remote schema',
          args: { ...tome, definition: toUser },
          then: [showsUser],
        },
      ],
      refuses: [
        ...malformed,
        {
          title: 'a name that is taken',
          given: [createdTome],
          args: tome,
          code: 'already-exists',
          error: 'remote relationship "tome" of type "User" in remote schema "crm" already exists',
        },
        misfit(
          'a type that is not there',
          { type_name: 'Ghost' },
          inTable({}),
          'type "Ghost" not found in remote schema',
        ),
        misfit('a type that is no object', { type_name: 'Unused' }, inTable({}), 'type "Unused" is no object type'),
        misfit(
          'the name of a field',
          { name: 'name' },
          inTable({}),
          'field with name "name" already exists in type "User"',
        ),
        misfit(
          'a field that is not there',
          toTable({ field_mapping: { age: 'id' } }),
          inTable({ field_mapping: { age: 'id' } }),
          'field with name "age" not found in type "User"',
        ),
        misfit(
          'a table that is not there',
          toTable({ table: 'shelf' }),
          inTable({ table: named('shelf') }),
          'table "shelf" does not exist',
        ),
        misfit(
          'a column that is not there',
          toTable({ field_mapping: { id: 'age' } }),
          inTable({ field_mapping: { id: 'age' } }),
          'column "age" does not exist in table "book"',
        ),
        misfit(
          'a column of another type',
          toTable({ field_mapping: { id: 'info' } }),
          inTable({ field_mapping: { id: 'info' } }),
          'field "id" is of type "Int", and column "info" of type "json"',
        ),
        misfit(
          'an argument of another type',
          {
            definition: {
              to_remote_schema: { ...toUser.to_remote_schema, lhs_fields: ['name'], remote_field: byName },
            },
          },
          {
            to_remote_schema: { remote_schema: 'crm', lhs_fields: ['name'], remote_field: byName },
          },
          'expected type "Int" but got "String"',
        ),
      ],
    },
    {
      type: 'update_remote_schema_remote_relationship',
      requires: ['remote_schema', 'type_name', 'name', 'definition'],
      ownWords: ['$.definition'],
      succeeds: [
        {
          title: 'leads somewhere else',
          given: [createdTome],
          args: { ...tome, definition: toUser },
          then: [showsUser],
        },
      ],
      refuses: [...malformed.slice(0, 3), noTome],
    },
    {
      type: 'delete_remote_schema_remote_relationship',
      requires: ['remote_schema', 'type_name', 'name'],
      succeeds: [
        {
          title: 'takes it away',
          given: [createdTome],
          args: { remote_schema: 'crm', type_name: 'User', name: 'tome' },
          then: [
            serves('{ __type(name: "User") { fields { name } } }', {
              __type: { fields: [{ name: 'id' }, { name: 'name' }] },
            }),
          ],
        },
      ],
      refuses: [
        { ...malformed[0]!, args: { remote_schema: 'erp', type_name: 'User', name: 'tome' } },
        { ...noTome, args: { remote_schema: 'crm', type_name: 'User', name: 'nobody' } },
      ],
    },
  ],
}
