import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Rename } from '../../core/metadata/document/objects.ts'
import { nameKey } from '../../core/names/names.ts'
import { canonicalExpression } from '../../plugins/permissions/expression-syntax.ts'
import { renameInExpression, renameInPermission } from '../../plugins/permissions/rename.ts'
import { publicName, relationship, tableModel } from './models.ts'

const person = tableModel(
  'person',
  { id: 'int4', name: 'text' },
  { fields: [relationship('leads', 'lead', [['id', 'owner_id']])] },
)
const lead = tableModel(
  'lead',
  { id: 'int4', owner_id: 'int4', score: 'int4', best: 'int4', meta: 'jsonb' },
  { fields: [relationship('owner', 'person', [['owner_id', 'id']])] },
)
const tables = new Map([person, lead].map((table) => [nameKey(table.name), table]))
const lookup = (name: { schema: string; name: string }) => tables.get(nameKey(name))

const expression = {
  score: { _eq: 1, $cgt: 'best' },
  _or: [{ owner: { leads: { score: 2, owner: { name: 'score' } } } }, { $not: { owner: {} } }],
  meta: { _contains: { score: 1, owner: 2 } },
  _exists: { _table: publicName('lead'), _where: { score: null } },
}

const renamed = (rename: Rename) => renameInExpression(expression, publicName('lead'), rename, lookup)

test('a renamed column is followed through relationships and _exists, and not in values', () => {
  assert.deepEqual(renamed({ kind: 'column', table: publicName('lead'), from: 'score', to: 'points' }), {
    points: { _eq: 1, $cgt: 'best' },
    _or: [{ owner: { leads: { points: 2, owner: { name: 'score' } } } }, { $not: { owner: {} } }],
    meta: { _contains: { score: 1, owner: 2 } },
    _exists: { _table: publicName('lead'), _where: { points: null } },
  })
})

test('a renamed column is followed where another column is compared with it', () => {
  const { score } = renamed({ kind: 'column', table: publicName('lead'), from: 'best', to: 'top' })
  assert.deepEqual(score, { _eq: 1, $cgt: 'top' })
})

test('a renamed column is followed where another column is compared with it in a cast', () => {
  const rename = { kind: 'column', table: publicName('lead'), from: 'best', to: 'top' } as const
  const given = { meta: { _cast: { String: { $cne: 'best', _eq: 'best' } }, _contains: { _ceq: 'best' } } }
  assert.deepEqual(renameInExpression(given, publicName('lead'), rename, lookup), {
    meta: { _cast: { String: { $cne: 'top', _eq: 'best' } }, _contains: { _ceq: 'best' } },
  })
})

test('a renamed relationship is followed at every depth', () => {
  assert.deepEqual(renamed({ kind: 'relationship', table: publicName('lead'), from: 'owner', to: 'keeper' }), {
    ...expression,
    _or: [{ keeper: { leads: { score: 2, keeper: { name: 'score' } } } }, { $not: { keeper: {} } }],
  })
})

test('the same name in another table stays', () => {
  const rename = { kind: 'column', table: publicName('person'), from: 'score', to: 'points' } as const
  assert.deepEqual(renamed(rename), expression)
})

test('a renamed table is followed in _exists', () => {
  const { _exists } = renamed({ kind: 'table', from: publicName('lead'), to: { schema: 'crm', name: 'lead' } })
  assert.deepEqual(_exists, { _table: { schema: 'crm', name: 'lead' }, _where: { score: null } })
})

test('a renamed column is followed in column lists and presets', () => {
  const rename = { kind: 'column', table: publicName('lead'), from: 'score', to: 'points' } as const
  const permission = { columns: ['id', 'score'], filter: {}, check: null, set: { score: 'score', id: 1 } }
  assert.deepEqual(renameInPermission(permission, publicName('lead'), rename, lookup), {
    columns: ['id', 'points'],
    filter: {},
    check: null,
    set: { points: 'score', id: 1 },
  })
  const all = { columns: '*' as const, filter: { score: 1 } }
  assert.deepEqual(renameInPermission(all, publicName('lead'), rename, lookup), { columns: '*', filter: { points: 1 } })
})

test('stored expressions spell their connectives with underscore, and operators as given', () => {
  const given = {
    $and: [{ score: { $eq: 1 } }, { owner: { $not: { name: { $ne: 'a' } } } }],
    $exists: { $table: 'person', $where: { $or: [] } },
    meta: { _contains: { $and: [1] } },
  }
  assert.deepEqual(canonicalExpression(given), {
    _and: [{ score: { $eq: 1 } }, { owner: { _not: { name: { $ne: 'a' } } } }],
    _exists: { _table: publicName('person'), _where: { _or: [] } },
    meta: { _contains: { $and: [1] } },
  })
})
