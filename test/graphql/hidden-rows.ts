// Two tables that differ only in rows hidden from every role, and comparisons that fail.

import type { TestContext } from 'node:test'
import { startTrellis, type TestTrellis } from '../support/trellis.ts'

/** Columns of many types, each with a value of a hidden row. */
export const columns: Record<string, { type: string; hidden: string }> = {
  c_text: { type: 'text', hidden: 'ab(x\\y' },
  c_varchar: { type: 'varchar', hidden: 'ab(x\\y' },
  c_citext: { type: 'citext', hidden: 'ab(x\\y' },
  c_char: { type: 'char(3)', hidden: 'abc' },
  c_domain: { type: 'short', hidden: 'abc' },
  c_enum: { type: 'mood', hidden: 'sad' },
  c_int2: { type: 'int2', hidden: '1' },
  c_int4: { type: 'int4', hidden: '1' },
  c_int8: { type: 'int8', hidden: '1' },
  c_numeric: { type: 'numeric', hidden: '1' },
  c_float8: { type: 'float8', hidden: '1' },
  c_money: { type: 'money', hidden: '1' },
  c_bool: { type: 'bool', hidden: 'true' },
  c_date: { type: 'date', hidden: '2020-01-01' },
  c_timestamp: { type: 'timestamp', hidden: '2020-01-01' },
  c_timestamptz: { type: 'timestamptz', hidden: '2020-01-01' },
  c_time: { type: 'time', hidden: '10:00' },
  c_timetz: { type: 'timetz', hidden: '10:00' },
  c_interval: { type: 'interval', hidden: '1 day' },
  c_uuid: { type: 'uuid', hidden: '00000000-0000-0000-0000-000000000001' },
  c_jsonb: { type: 'jsonb', hidden: '{"a": [1]}' },
  c_inet: { type: 'inet', hidden: '10.0.0.1' },
  c_bytea: { type: 'bytea', hidden: 'abc' },
  c_range: { type: 'int4range', hidden: '[1,2)' },
  c_ints: { type: 'int4[]', hidden: '{1,2}' },
  c_texts: { type: 'text[]', hidden: '{a,b}' },
  c_moods: { type: 'mood[]', hidden: '{sad}' },
  c_varbit: { type: 'varbit', hidden: '101' },
  c_folded: { type: 'text collate folded', hidden: 'ab' },
  c_points: { type: 'point[]', hidden: '{"(1,2)"}' },
  c_jsons: { type: 'json[]', hidden: '{1}' },
  c_pair: { type: 'pair', hidden: '(1,2)' },
  c_pairs: { type: 'pair[]', hidden: '{"(1,2)"}' },
}

const definitions = Object.entries(columns).map(([name, { type }]) => `${name} ${type}`)
const hidden = Object.values(columns).map(({ hidden }) => `'${hidden}'`)

const sql = `
create extension citext;
create type mood as enum ('sad', 'happy');
create type pair as (a int, b json);
create collation folded (provider = icu, locale = 'und-u-ks-level2', deterministic = false);
create domain short as text check (length(value) < 5);
create table box (id int primary key, open boolean not null);
insert into box values (1, true), (2, false);
${['hiding', 'bare']
  .map(
    (name) => `create table ${name} (id int primary key, box_id int references box, owner int, ${definitions.join()});`,
  )
  .join('\n')}
insert into hiding values ${[1, 2, 3].map((id) => `(${id}, 2, 2, ${hidden.join()})`).join()};
analyze`

export const roles: Record<string, unknown> = {
  by_column: { owner: { _eq: 1 } },
  by_relationship: { box: { open: { _eq: true } } },
  by_either: { _or: [{ owner: { _eq: 1 } }, { box: { open: { _eq: true } } }] },
}

const operators = ['_eq', '_neq', '_gt', '_lt', '_gte', '_lte']
export const patterns = [
  '_like',
  '_nlike',
  '_ilike',
  '_nilike',
  '_similar',
  '_nsimilar',
  '_regex',
  '_nregex',
  '_iregex',
  '_niregex',
]

/** A server with both tables; each role's permission hides the rows in a different way. */
export async function startHiding(t: TestContext): Promise<TestTrellis> {
  const trellis = await startTrellis(t, { sql })
  await trellis.op('track_table', 'box')
  for (const table of ['hiding', 'bare']) {
    await trellis.op('track_table', table)
    const of = { foreign_key_constraint_on: 'box_id' }
    await trellis.op('create_object_relationship', { table, name: 'box', using: of })
    const by = { foreign_key_constraint_on: { table, column: 'box_id' } }
    await trellis.op('create_array_relationship', { table: 'box', name: `${table}s`, using: by })
    for (const [role, filter] of Object.entries(roles)) {
      const select = { columns: '*', filter, allow_aggregations: true }
      await trellis.op('create_select_permission', { table, role, permission: select })
      await trellis.op('create_update_permission', { table, role, permission: { columns: ['owner'], filter } })
      await trellis.op('create_delete_permission', { table, role, permission: { filter } })
    }
  }
  for (const role of Object.keys(roles)) {
    await trellis.op('create_select_permission', { table: 'box', role, permission: { columns: '*', filter: {} } })
  }
  return trellis
}

/** The places of a comparison within a condition. */
export const placements: Record<string, (comparison: object) => object> = {
  alone: (comparison) => comparison,
  or: (comparison) => ({ _or: [{ id: { _lt: 0 } }, comparison] }),
  behind: (comparison) => ({ _and: [{ id: { _lt: 0 } }, comparison] }),
  not: (comparison) => ({ _not: { _and: [{ id: { _gt: 0 } }, comparison] } }),
}

/** Operands of every operator that fail, or fail for some types. */
export function failing(): object[] {
  const patternOperands = [
    'a%\\',
    '%x\\',
    '\\',
    '(',
    '[',
    'a{2,1}',
    '*',
    '"#"#"#',
    'a\\',
    '(?',
    '\\1',
    '[[:nope:]]',
    '%',
  ]
  const texts = ['c_text', 'c_varchar', 'c_citext'].flatMap((column) =>
    patterns.flatMap((operator) => patternOperands.map((operand) => ({ [column]: { [operator]: operand } }))),
  )
  const scalars = Object.keys(columns).flatMap((column) =>
    operators.map((operator) => ({ [column]: { [operator]: 'bad\\{' } })),
  )
  // Values of types for which PostgreSQL has no comparison.
  const incomparable = ['c_points', 'c_jsons', 'c_pair', 'c_pairs'].flatMap((column) => {
    const operand = { c_points: ['(1,3)'], c_jsons: ['3'], c_pair: '(1,3)', c_pairs: ['(1,3)'] }[column]
    const compared = [...operators.map((operator) => [operator, operand]), ['_in', [operand]], ['_nin', [operand]]]
    return compared.map(([operator, value]) => ({ [column]: { [operator as string]: value } }))
  })
  // Patterns that PostgreSQL does not support for case-insensitive collations.
  const folded = patterns.map((operator) => ({ c_folded: { [operator]: 'AB' } }))
  const lists = Object.keys(columns).flatMap((column) =>
    ['_in', '_nin'].flatMap((operator) =>
      [['bad\\{'], ['{1,x', null]].map((list) => ({ [column]: { [operator]: list } })),
    ),
  )
  const json = ['_contains', '_contained_in', '_has_key', '_has_keys_any', '_has_keys_all'].map((operator) => ({
    c_jsonb: { [operator]: operator.startsWith('_has_keys') ? ['\\', ''] : '\\' },
  }))
  return [...texts, ...scalars, ...incomparable, ...folded, ...lists, ...json]
}
