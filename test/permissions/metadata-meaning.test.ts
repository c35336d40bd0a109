// The meaning of expressions in PostgreSQL: the rows that a role sees under a filter.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startTrellis } from '../support/trellis.ts'

const sql = `
  create table person (id int primary key, name text);
  create table note (
    id int primary key, n int, m int, word text, tags text[], meta jsonb, day date,
    person_id int references person, price numeric, flag boolean
  );
  insert into person values (1, 'Ann'), (2, 'Bob'), (3, 'Cid');
  insert into note values
    (1, 1, 1, 'Alpha', '{a,b}', '{"k": 1, "l": null}', '2020-01-01', 1, 12345678901234567.5, true),
    (2, 2, 1, 'beta', '{c}', '["k"]', '2021-01-01', 2, 0.1, false),
    (3, 3, 4, 'a_b', '{}', '{"x": {"y": [1, 2]}}', '2022-01-01', 1, -1, null),
    (4, null, null, null, null, null, null, null, null, null)`

const variables = {
  'x-service-number': '2',
  'x-service-numbers': '{1,3}',
  'x-service-lists': '{"{a,b}","{c}"}',
  'x-service-json': '{"k": 1}',
  'x-service-keys': '{k,z}',
  'x-service-word': "o'clock",
}

const seen: readonly (readonly [filter: unknown, ids: readonly number[]])[] = [
  [{}, [1, 2, 3, 4]],
  [{ _or: [] }, []],
  [{ _not: {} }, []],
  [{ _and: [{ n: { _gt: 1 } }, { n: { _lt: 3 } }] }, [2]],
  [{ _or: [{ n: 1 }, { n: 3 }] }, [1, 3]],
  [{ n: { _gte: 2, _ne: 3 } }, [2]],
  [{ n: null }, [4]],
  [{ n: { _neq: null } }, [1, 2, 3]],
  [{ n: { _neq: 1 } }, [2, 3]],
  [{ n: { _gt: null } }, []],
  [{ _not: { n: 1 } }, [2, 3]],
  [{ _not: { n: { _eq: null } } }, [1, 2, 3]],
  [{ n: { _is_null: false } }, [1, 2, 3]],
  [{ n: { _in: [1, 3, 9] } }, [1, 3]],
  [{ n: { _in: [] } }, []],
  [{ n: { _in: [1, null] } }, [1]],
  [{ n: { _nin: [1] } }, [2, 3]],
  [{ n: { _nin: [] } }, [1, 2, 3, 4]],
  [{ n: { _nin: [1, null] } }, []],
  [{ n: { _in: 'X-Service-Numbers' } }, [1, 3]],
  [{ n: { _nin: 'x-service-numbers' } }, [2]],
  [{ n: 'X-Service-Number' }, [2]],
  [{ _not: { n: 'x-service-number' } }, [1, 3]],
  [{ word: 'x-service-word' }, []],
  [{ word: { _like: 'a\\_b' } }, [3]],
  [{ word: { _ilike: 'A%' } }, [1, 3]],
  [{ word: { _nlike: '%b%' } }, [1]],
  [{ word: { _nilike: 'alpha' } }, [2, 3]],
  [{ word: { _similar: '(alpha|beta)' } }, [2]],
  [{ word: { _nsimilar: '(Alpha|beta)' } }, [3]],
  [{ word: { _regex: '^(Al|b)' } }, [1, 2]],
  [{ word: { $iregex: '^AL' } }, [1]],
  [{ word: { $nregex: '^(Al|b)' } }, [3]],
  [{ word: { _niregex: '^[ab]e' } }, [1, 3]],
  [{ tags: ['a', 'b'] }, [1]],
  [{ tags: '{c}' }, [2]],
  [{ tags: { _in: [['a', 'b'], []] } }, [1, 3]],
  [{ tags: { _nin: [['a', 'b'], []] } }, [2]],
  [{ tags: { _in: 'x-service-lists' } }, [1, 2]],
  [{ meta: { _contains: { k: 1 } } }, [1]],
  [{ meta: { _contains: 'x-service-json' } }, [1]],
  [{ meta: { _contained_in: ['k', 'z'] } }, [2]],
  [{ meta: { _has_key: 'k' } }, [1, 2]],
  [{ meta: { _has_keys_any: ['x', 'l'] } }, [1, 3]],
  [{ meta: { _has_keys_any: 'x-service-keys' } }, [1, 2]],
  [{ meta: { _has_keys_all: ['k', 'l'] } }, [1]],
  [{ day: { _gte: '2021-01-01' } }, [2, 3]],
  [{ price: { _eq: '12345678901234567.5' } }, [1]],
  [{ price: { _lt: 0.5 } }, [2, 3]],
  [{ flag: true }, [1]],
  [{ _not: { flag: true } }, [2]],
  [{ n: { _ceq: 'm' } }, [1]],
  [{ n: { _cgt: 'm' } }, [2]],
  [{ n: { _cne: 'm' } }, [2, 3]],
  [{ _not: { n: { _clte: 'm' } } }, [2]],
  [{ n: { _cgt: ['$', 'm'] } }, [2]],
  [{ person: { notes: { n: { _cgt: ['$', 'n'] } } } }, [1]],
  [{ person: { notes: { $and: [{ n: { $clt: ['$', 'n'] } }, { n: { _clt: 'm' } }] } } }, []],
  [{ _not: { person: { notes: { _or: [{ n: { _cgt: ['$', 'n'] } }] } } } }, [2, 3, 4]],
  [{ person: { notes: { person: { notes: { id: { _cne: ['$', 'id'] }, n: { _clte: ['$', 'n'] } } } } } }, [3]],
  [{ _exists: { _table: 'note', _where: { n: { _ceq: ['$', 'm'] }, id: { _cne: ['$', 'id'] } } } }, [2]],
  [{ person: {} }, [1, 2, 3]],
  [{ _not: { person: {} } }, [4]],
  [{ person: { name: 'Ann' } }, [1, 3]],
  [{ person: { notes: { n: 3 } } }, [1, 3]],
  [{ _exists: { _table: 'person', _where: { name: 'Cid' } } }, [1, 2, 3, 4]],
  [{ _exists: { _table: 'person', _where: { name: 'Dan' } } }, []],
]

test('a filter selects the rows for which the expression is true', async (t) => {
  const trellis = await startTrellis(t, { sql })
  await trellis.op('track_table', 'person')
  await trellis.op('track_table', 'note')
  await trellis.op('create_object_relationship', {
    table: 'note',
    name: 'person',
    using: { foreign_key_constraint_on: 'person_id' },
  })
  await trellis.op('create_array_relationship', {
    table: 'person',
    name: 'notes',
    using: { foreign_key_constraint_on: { table: 'note', column: 'person_id' } },
  })
  const grant = (filter: unknown, i: number) => ({
    type: 'create_select_permission',
    args: { table: 'note', role: `r${i}`, permission: { columns: ['id'], filter } },
  })
  await trellis.op(
    'bulk',
    seen.map(([filter], i) => grant(filter, i)),
  )
  for (const [i, [filter, ids]] of seen.entries()) {
    await t.test(JSON.stringify(filter), async () => {
      const options = { role: `r${i}`, headers: variables }
      const data = { note: ids.map((id) => ({ id })) }
      assert.deepEqual(await trellis.graphql('{ note(order_by: {id: asc}) { id } }', {}, options), { data })
    })
  }
})

test('a filter on a hidden column still applies', async (t) => {
  const trellis = await startTrellis(t, { sql })
  await trellis.op('track_table', 'note')
  const permission = { columns: ['word'], filter: { n: { _gt: 1 } } }
  await trellis.op('create_select_permission', { table: 'note', role: 'r', permission })
  const query = '{ note(order_by: {word: asc}) { word } }'
  const data = { note: [{ word: 'a_b' }, { word: 'beta' }] }
  assert.deepEqual(await trellis.graphql(query, {}, { role: 'r' }), { data })
})
