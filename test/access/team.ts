// Teams and their people. Rows with a time in `deleted_at` are hidden from every role.

import type { TestContext } from 'node:test'
import { constantValue, definePlugin, updateInstead } from '../../sdk/index.ts'
import { startTrellis, type TestTrellis, type TrellisOptions } from '../support/trellis.ts'

const sql = `
  create table team (id int primary key, name text not null unique, deleted_at timestamptz);
  create table person (id int primary key, team_id int references team, name text not null unique, pay int, deleted_at timestamptz);
  create table note (id serial primary key, person_id int references person on delete cascade, body text not null);
  insert into team values (1, 'Ash', null), (2, 'Birch', '2020-01-01');
  insert into person values (1, 1, 'Ann', 10, null), (2, 1, 'Bob', 20, '2020-01-01'), (3, 2, 'Cid', 30, null),
                            (4, 1, 'Dan', 40, null);
  insert into note (person_id, body) values (1, 'of Ann'), (2, 'of Bob'), (4, 'of Dan'), (4, 'and another');
  create function people(minimum int) returns setof person language sql stable
    as $$ select * from person where pay >= minimum order by id $$;
  create function mates(of person) returns setof person language sql stable
    as $$ select * from person where team_id = of.team_id and id <> of.id order by id $$;
  create function successor(of person) returns person language sql stable
    as $$ select * from person where id = of.id + 1 $$`

/** Hides rows with a time in `deleted_at`; deleting a row writes the time. */
export const softDelete = definePlugin({
  name: 'soft-delete',
  register(engine) {
    engine.access.narrow({
      name: 'soft delete',
      rows: ({ table }) =>
        table.columns.has('deleted_at') ? { kind: 'null', column: 'deleted_at', negated: false } : null,
      change(change, { table }) {
        if (change.kind !== 'delete' || !table.columns.has('deleted_at')) return change
        return updateInstead(change, [{ column: 'deleted_at', value: constantValue('now', 'timestamptz') }])
      },
    })
  },
})

const relationship = (type: 'object' | 'array', table: string, name: string, foreign_key_constraint_on: unknown) => ({
  type: `create_${type}_relationship`,
  args: { table, name, using: { foreign_key_constraint_on } },
})

/** An engine over the teams, everything tracked; without other options with {@link softDelete}. */
export async function startTeams(t: TestContext, options: TrellisOptions = {}): Promise<TestTrellis> {
  const trellis = await startTrellis(t, { plugins: [softDelete], ...options, sql: sql + (options.sql ?? '') })
  await trellis.op('bulk', [
    ...['team', 'person', 'note'].map((table) => ({ type: 'track_table', args: table })),
    relationship('object', 'person', 'team', 'team_id'),
    relationship('array', 'team', 'people', { table: 'person', column: 'team_id' }),
    relationship('object', 'note', 'person', 'person_id'),
    relationship('array', 'person', 'notes', { table: 'note', column: 'person_id' }),
    { type: 'track_function', args: 'people' },
    ...['mates', 'successor'].map((name) => ({
      type: 'add_computed_field',
      args: { table: 'person', name, definition: { function: name } },
    })),
  ])
  return trellis
}
