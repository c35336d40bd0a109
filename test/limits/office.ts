// People, their managers, and slow rows, for the roles `clerk` and `guest`.

import type { TestContext } from 'node:test'
import { startTrellis, type TestTrellis, type TrellisOptions } from '../support/trellis.ts'

const sql = `
  create table person (id serial primary key, name text not null, manager_id integer references person(id));
  insert into person (name, manager_id) values ('Ann', null), ('Bob', 1), ('Cid', 2);
  create view nap as select 1 as id, pg_sleep(30)::text as over;
  create table patience (id serial primary key, seconds float8 not null);
  create function take_time() returns trigger language plpgsql as $$
    begin perform pg_sleep(new.seconds); return new; end $$;
  create trigger waits before insert on patience for each row execute function take_time();
`

const roles = ['clerk', 'guest']
const tables = ['person', 'nap', 'patience']

/** An engine with limits as in `--api-limits`. */
export async function startOffice(
  t: TestContext,
  limits: object | null,
  options: TrellisOptions = {},
): Promise<TestTrellis> {
  const apiLimits = limits === null ? null : JSON.stringify(limits)
  const trellis = await startTrellis(t, { sql, ...options, settings: { apiLimits, ...options.settings } })
  const manager = { table: 'person', name: 'manager', using: { foreign_key_constraint_on: 'manager_id' } }
  const reports = {
    table: 'person',
    name: 'reports',
    using: { foreign_key_constraint_on: { table: 'person', column: 'manager_id' } },
  }
  await trellis.op('bulk', [
    ...tables.map((args) => ({ type: 'track_table', args })),
    { type: 'create_object_relationship', args: manager },
    { type: 'create_array_relationship', args: reports },
    ...roles.flatMap((role) => [
      ...tables.map((table) => {
        const permission = { columns: '*', filter: {} }
        return { type: 'create_select_permission', args: { table, role, permission } }
      }),
      {
        type: 'create_insert_permission',
        args: { table: 'patience', role, permission: { columns: '*', check: {} } },
      },
    ]),
  ])
  return trellis
}

/** The code and message of the only error in a response; null if there is no error. */
export function refusal(answer: unknown): readonly [code: string, message: string] | null {
  const { errors } = answer as { readonly errors?: readonly { message: string; extensions: { code: string } }[] }
  return errors ? [errors[0]!.extensions.code, errors[0]!.message] : null
}
