// Servers that tell null from an absent value.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startWithCrm } from './crm.ts'

test('nulls are left out of arguments and input objects, and stay in lists and scalars', async (t) => {
  const { crm, trellis } = await startWithCrm(t, {}, { settings: { remoteSchemaSkipNulls: true } })
  const query = `query ($limit: Int, $order: Order = DESC, $where: UserFilter, $value: JSON) {
    users(limit: $limit, order: $order, where: $where) { id }
    other: users(limit: null, where: {name: null, nested: {city: null, name: "x"}, ids: [1]}) { id }
    echo(value: $value, kind: null)
  }`
  const where = { name: null, ids: [1, 2], nested: { name: null, city: 'Oslo' } }
  const value = { a: null, b: [null] }
  const { data } = await trellis.graphql<{ data: object }>(query, { limit: null, order: null, where, value })
  assert.deepEqual(data, { users: [{ id: 1 }, { id: 2 }], other: [{ id: 1 }], echo: value })
  const [asked] = crm.asked()
  assert.deepEqual(asked!.variables, { order: null, where: { ids: [1, 2], nested: { city: 'Oslo' } }, value })
  assert.match(asked!.query, /other: users\(where: \{nested: \{name: "x"\}, ids: \[1\]\}\)/)
  assert.match(asked!.query, /echo\(value: \$value\)/)
})
