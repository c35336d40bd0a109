// Relationships that follow from foreign keys, under both names.

import { serves, tableIs } from './effects.ts'
import type { OperationEntry } from './entry.ts'
import { named } from './world.ts'

const lead = { schema: 'crm', name: 'lead' }

const bookOfLead = {
  type: 'object',
  name: 'book',
  from: { table: lead, columns: ['book_id'], constraint_name: 'lead_book_id_fkey' },
  to: { table: named('book'), columns: ['id'] },
}

const leadsOfBook = {
  type: 'array',
  name: 'leads',
  from: { table: named('book'), columns: ['id'], constraint_name: 'lead_book_id_fkey' },
  to: { table: lead, columns: ['book_id'] },
}

const createBook = {
  type: 'create_object_relationship',
  args: { table: lead, name: 'book', using: { foreign_key_constraint_on: 'book_id' } },
}

const createLeads = {
  type: 'create_array_relationship',
  args: {
    table: named('book'),
    name: 'leads',
    using: { foreign_key_constraint_on: { table: lead, column: 'book_id' } },
  },
}

const publisherOfBook = {
  type: 'object',
  name: 'publisher',
  from: { table: named('book'), columns: ['publisher_id'], constraint_name: 'book_publisher_id_fkey' },
  to: { table: named('publisher'), columns: ['id'] },
}

/** Its many keys to `book` would be suggested as well. */
const withoutCopies = [{ type: 'untrack_table', args: { table: 'copy' } }]

const oddKeys = `
  create table house (street text, number int, primary key (street, number));
  create table tenant (
    id int primary key, street text, number int, house text, boss_id int references tenant, deputy_id int references tenant,
    foreign key (street, number) references house, unique (street, number)
  )`

const suggested = (type: string, isLater: boolean): OperationEntry => ({
  type,
  notFound: { '$.tables[0]': true },
  succeeds: [
    {
      title: 'suggests relationships of tables, with the operations that create them',
      given: withoutCopies,
      args: { tables: [lead, 'book'], omit_tracked: true, apply: false, source: 'default' },
      answers: { relationships: [bookOfLead, leadsOfBook], operations: [createBook, createLeads] },
      then: [
        tableIs(lead, { object_relationships: undefined }),
        async ({ op }) => {
          await op('bulk', [createBook, createLeads])
        },
        serves('{ book_by_pk(id: 1) { leads { name book { title } } } }', {
          book_by_pk: { leads: [{ name: 'Ann', book: { title: 'Dawn' } }] },
        }),
      ],
    },
    {
      title: isLater ? 'lists existing relationships too' : 'leaves existing relationships out',
      given: withoutCopies,
      args: { tables: ['book'] },
      answers: {
        relationships: isLater ? [leadsOfBook, publisherOfBook] : [leadsOfBook],
        operations: [createLeads],
      },
    },
    {
      title: 'creates them',
      args: { apply: true },
      then: [
        tableIs(lead, { object_relationships: [{ name: 'book', using: { foreign_key_constraint_on: 'book_id' } }] }),
        serves('{ crm_lead { book { title } } }', { crm_lead: [{ book: { title: 'Dawn' } }] }),
      ],
      answers: (body: unknown) => void body,
    },
    {
      title: 'keeps names apart, and takes keys of several columns',
      given: [oddKeys, { type: 'track_tables', args: { tables: ['house', 'tenant'] } }],
      args: { tables: ['house', 'tenant'], apply: true },
      answers: (body: unknown) => void body,
      then: [
        tableIs('house', {
          object_relationships: [
            {
              name: 'tenant',
              using: { foreign_key_constraint_on: { table: named('tenant'), columns: ['street', 'number'] } },
            },
          ],
        }),
        tableIs('tenant', {
          object_relationships: [
            { name: 'boss', using: { foreign_key_constraint_on: 'boss_id' } },
            { name: 'deputy', using: { foreign_key_constraint_on: 'deputy_id' } },
            { name: 'house_by_street_number', using: { foreign_key_constraint_on: ['street', 'number'] } },
          ],
          array_relationships: [
            {
              name: 'tenants_by_boss_id',
              using: { foreign_key_constraint_on: { table: named('tenant'), column: 'boss_id' } },
            },
            {
              name: 'tenants_by_deputy_id',
              using: { foreign_key_constraint_on: { table: named('tenant'), column: 'deputy_id' } },
            },
          ],
        }),
      ],
    },
  ],
  refuses: [
    {
      title: 'a table that is not tracked',
      args: { tables: ['book', 'boook'] },
      code: 'not-exists',
      path: '$.args.tables[1]',
      error: 'table "boook" does not exist',
      hint: 'did you mean "book"?',
    },
    {
      title: 'another source',
      args: { source: 'other' },
      code: 'not-exists',
      path: '$.args',
      error: 'source with name "other" does not exist',
    },
  ],
})

export const suggestedRelationships: readonly OperationEntry[] = [
  suggested('suggest_relationships', false),
  suggested('pg_suggest_relationships', true),
]
