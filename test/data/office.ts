// People, their leads and their pay, with a role `agent` that sees its own.

import type { TestContext } from 'node:test'
import { startTrellis, type TestTrellis, type TrellisOptions } from '../support/trellis.ts'

export const sql = `
  create schema crm;
  create table person (
    id int primary key, first text not null, "last name" text, pay numeric(10, 2), tags text[], extra jsonb, secret text,
    twice int generated always as (id * 2) stored
  );
  create table crm.lead (
    id serial primary key, owner_id int references person, title text not null default 'New', stage text, constraint titles unique (owner_id, title)
  );
  create table untracked (id int);
  create view totals as select owner_id, count(*) as leads from crm.lead group by owner_id;
  insert into person (id, first, "last name", pay, tags, extra, secret) values
    (1, 'Ann', 'Ash', 10.50, '{a,b}', '{"n": 1.00, "big": 12345678901234567890}', 's1'),
    (2, 'Bob', null, 12345678.90, '{}', 'null', 's2'),
    (3, 'Cid', 'Cox', null, null, null, 's3');
  insert into crm.lead (owner_id, title, stage) values (1, 'One', 'won'), (2, 'Two', 'lost'), (1, 'Three', null), (null, 'Four', 'won')`

export const lead = { schema: 'crm', name: 'lead' }
export const owner = { 'x-service-user-id': '1' }
export const agent = { role: 'agent', headers: owner }

const relationships = [
  {
    type: 'create_array_relationship',
    args: { table: 'person', name: 'leads', using: { foreign_key_constraint_on: { table: lead, column: 'owner_id' } } },
  },
  {
    type: 'create_object_relationship',
    args: { table: lead, name: 'owner', using: { foreign_key_constraint_on: 'owner_id' } },
  },
  {
    type: 'create_object_relationship',
    args: {
      table: 'person',
      name: 'total',
      using: { manual_configuration: { remote_table: 'totals', column_mapping: { id: 'owner_id' } } },
    },
  },
]

const mine = { owner_id: 'X-Service-User-Id' }

const permissions = [
  ['select', 'person', { columns: ['id', 'first', 'last name', 'pay'], filter: { id: { _lte: 2 } }, limit: 2 }],
  ['select', lead, { columns: ['id', 'owner_id', 'title'], filter: mine }],
  [
    'insert',
    lead,
    {
      check: { title: { _ne: 'Forbidden' } },
      columns: ['id', 'title', 'stage'],
      set: { owner_id: 'x-service-user-id' },
    },
  ],
  [
    'update',
    lead,
    { columns: ['title', 'stage'], filter: mine, check: { title: { _ne: 'Forbidden' } }, set: { stage: 'seen' } },
  ],
  ['delete', lead, { filter: { title: { _ne: 'One' } } }],
] as const

/** An engine over the office; `person`, `crm.lead` and the view `totals` are tracked. */
export async function startOffice(t: TestContext, options: TrellisOptions = {}): Promise<TestTrellis> {
  const trellis = await startTrellis(t, { ...options, sql })
  await trellis.op('bulk', [
    ...['person', lead, 'totals'].map((args) => ({ type: 'track_table', args })),
    ...relationships,
    ...permissions.map(([kind, table, permission]) => ({
      type: `create_${kind}_permission`,
      args: { table, role: 'agent', permission },
    })),
  ])
  return trellis
}

/** The answer to a refused operation. */
export const refused = (code: string, error: string, path = '$.args', status = 400) => ({
  status,
  body: { path, error, code },
})
