// Why a role may or may not select or change a row.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startLibrary } from '../support/library.ts'

interface Node {
  readonly at: string
  readonly verdict: boolean | null
  readonly nodes?: readonly Node[]
  readonly [member: string]: unknown
}

interface Explained {
  readonly allowed: boolean
  readonly reason: string | null
  readonly rules: readonly Node[]
}

const filter = {
  _and: [
    { publisher: { name: { _eq: 'X-Service-House' } } },
    { _or: [{ pages: { _gt: 200, _lte: 400 } }, { _not: { released_on: { _is_null: true } } }] },
    { publisher: { books: { title: { _ceq: ['$', 'title'] } } } },
    { _exists: { _table: { schema: 'public', name: 'publisher' }, _where: { name: { _eq: 'Cove' } } } },
  ],
}

test('each part of a rule has its verdict and its values', async (t) => {
  const trellis = await startLibrary(t)
  const create = (verb: string, role: string, permission: object) =>
    trellis.op(`create_${verb}_permission`, { table: 'book', role, permission })
  await create('select', 'reader', { columns: ['id'], filter })
  const explain = (more: object = {}) =>
    trellis.op<Explained>('explain_access', {
      ...{ table: 'book', key: { id: 1 }, role: 'reader', session: { 'X-Service-House': 'Ark' } },
      ...more,
    })
  const house = (actual: unknown, verdict: boolean) => ({
    ...{ at: '$.filter._and[0].publisher.name._eq', verdict, column: 'publisher.name', operator: '_eq' },
    ...{ operand: 'X-Service-House', expected: 'Ark', actual },
  })
  const pages = (actual: unknown, verdicts: readonly (boolean | null)[]) => {
    const leaf = (operator: string, operand: number, verdict: boolean | null) => ({
      at: `$.filter._and[1]._or[0].pages.${operator}`,
      ...{ verdict, column: 'pages', operator, operand, actual },
    })
    return [leaf('_gt', 200, verdicts[0]!), leaf('_lte', 400, verdicts[1]!)]
  }
  const whole = await explain()
  assert.deepEqual(whole, {
    ...{ allowed: true, reason: null },
    rules: [
      {
        ...{ role: 'reader', part: 'filter', at: '$.filter', verdict: true },
        nodes: [
          {
            ...{ at: '$.filter._and', verdict: true },
            nodes: [
              { at: '$.filter._and[0].publisher', verdict: true, nodes: [house(['Ark'], true)] },
              {
                ...{ at: '$.filter._and[1]._or', verdict: true },
                nodes: [
                  { at: '$.filter._and[1]._or[0].pages', verdict: true, nodes: pages(300, [true, true]) },
                  {
                    ...{ at: '$.filter._and[1]._or[1]._not', verdict: true },
                    nodes: [
                      {
                        ...{ at: '$.filter._and[1]._or[1]._not.released_on._is_null', verdict: false },
                        ...{ column: 'released_on', operator: '_is_null', operand: true, actual: '2001-02-03' },
                      },
                    ],
                  },
                ],
              },
              {
                ...{ at: '$.filter._and[2].publisher', verdict: true },
                nodes: [
                  {
                    ...{ at: '$.filter._and[2].publisher.books', verdict: true },
                    nodes: [
                      {
                        ...{ at: '$.filter._and[2].publisher.books.title._ceq', verdict: true },
                        ...{ column: 'publisher.books.title', operator: '_ceq', operand: ['$', 'title'] },
                        ...{ expected: 'Dawn', actual: ['Dawn', 'Ebb'] },
                      },
                    ],
                  },
                ],
              },
              {
                ...{ at: '$.filter._and[3]._exists', verdict: true },
                nodes: [
                  { at: '$.filter._and[3]._exists._where.name._eq', verdict: true, operator: '_eq', operand: 'Cove' },
                ],
              },
            ],
          },
        ],
      },
    ],
  })

  // The verdict of the whole is that of the engine, for every row.
  for (const id of [1, 2, 3]) {
    const { allowed, rules } = await explain({ key: { id } })
    const seen = await trellis.graphql<{ data: { book: unknown[] } }>(
      `{ book(where: {id: {_eq: ${id}}}) { id } }`,
      {},
      { role: 'reader', headers: { 'x-service-house': 'Ark' } },
    )
    assert.equal(allowed, seen.data.book.length === 1)
    assert.equal(rules[0]!.verdict, allowed)
  }
  const { rules } = await explain({ key: { title: 'Fog' } })
  const [first, second] = rules[0]!.nodes![0]!.nodes!
  assert.deepEqual(first!.nodes, [house(['Bell'], false)])
  assert.deepEqual(second!.nodes![0], {
    at: '$.filter._and[1]._or[0].pages',
    verdict: null,
    nodes: pages(null, [null, null]),
  })

  const told = async (more: object) => {
    const { allowed, reason } = await explain(more)
    return [allowed, reason]
  }
  assert.deepEqual(await told({ session: {} }), [false, 'the session lacks the variable "x-service-house"'])
  assert.deepEqual(await told({ key: { id: 9 } }), [false, 'no row has this key'])
  assert.deepEqual(await told({ key: { id: 3 } }), [false, 'the rule does not hold'])
  assert.deepEqual(await told({ role: 'admin' }), [true, null])
  assert.deepEqual(await told({ verb: 'delete' }), [false, 'role "reader" has no delete permission on table "book"'])

  // Changes, and roles that are composed of others.
  await create('update', 'reader', { columns: ['price'], filter: { id: { _eq: 1 } }, check: { price: { _gt: 20 } } })
  const updated = await explain({ verb: 'update' })
  assert.deepEqual(
    updated.rules.map(({ part, verdict }) => [part, verdict]),
    [
      ['filter', true],
      ['check', false],
    ],
  )
  assert.equal(updated.allowed, false)
  await create('insert', 'reader', { columns: ['id'], check: {}, backend_only: true })
  assert.equal((await explain({ verb: 'insert' })).allowed, false)
  const backend = { 'x-service-use-backend-only-permissions': 'true' }
  assert.deepEqual(await told({ verb: 'insert', session: backend }), [true, null])
  await create('select', 'guest', { columns: ['id'], filter: { id: { _eq: 3 } } })
  await trellis.op('add_inherited_role', { role_name: 'both', role_set: ['reader', 'guest'] })
  const both = await explain({ role: 'both', key: { id: 3 } })
  assert.equal(both.allowed, true)
  assert.deepEqual(
    both.rules.map(({ role, verdict }) => [role, verdict]),
    [
      ['reader', false],
      ['guest', true],
    ],
  )
})
