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
      ],
      refuses: [
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
  ],
}
