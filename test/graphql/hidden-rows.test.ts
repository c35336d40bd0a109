// An operand that fails must fail regardless of the rows. Two tables that differ only in hidden rows give the same
// bytes, however often they are queried.

import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import fc from '../support/fast-check.ts'
import type { TestTrellis } from '../support/trellis.ts'
import { failing, patterns, placements, roles, startHiding } from './hidden-rows.ts'

let trellis: TestTrellis

before(async (t) => {
  trellis = await startHiding(t as never)
})

/** The uses of a condition in a request. */
const uses: Record<string, (table: string) => string> = {
  list: (table) => `query($where: ${table}_bool_exp!) { answer: ${table}(where: $where) { id } }`,
  ordered: (table) =>
    `query($where: ${table}_bool_exp!) { answer: ${table}(where: $where, order_by: {id: asc}, limit: 5) { id } }`,
  count: (table) =>
    `query($where: ${table}_bool_exp!) { answer: ${table}_aggregate(where: $where) { aggregate { count } nodes { id } } }`,
  beside: (table) =>
    `query($where: ${table}_bool_exp!) { box(where: {id: {_eq: 9}}) { id } answer: ${table}(where: $where) { id } }`,
  below: (table) =>
    `query($where: ${table}_bool_exp!) { box(order_by: {id: asc}) { id answer: ${table}s(where: $where) { id } } }`,
  through: (table) => `query($where: ${table}_bool_exp!) { box(where: {${table}s: $where}) { id } }`,
  update: (table) =>
    `mutation($where: ${table}_bool_exp!) { answer: update_${table}(where: $where, _set: {owner: 5}) { affected_rows } }`,
  updateReturning: (table) =>
    `mutation($where: ${table}_bool_exp!) { answer: update_${table}(where: $where, _set: {owner: 5}) { returning { id box { id } } } }`,
  delete: (table) =>
    `mutation($where: ${table}_bool_exp!) { answer: delete_${table}(where: $where) { affected_rows } }`,
}

async function alike(where: object, use: string, role: string): Promise<string> {
  const ask = async (table: string) => {
    const { text } = await trellis.request('/v1/graphql', {
      body: { query: uses[use]!(table), variables: { where } },
      role,
    })
    return text.replaceAll(table, 'table')
  }
  const [hiding, bare] = await Promise.all([ask('hiding'), ask('bare')])
  assert.equal(hiding, bare, `${JSON.stringify(where)} in ${use} for ${role}`)
  return hiding
}

for (const [shift, role] of Object.keys(roles).entries()) {
  test(`operands that fail reveal no hidden rows to ${role}`, { timeout: 120_000 }, async () => {
    const all = Object.keys(uses)
    const places = Object.values(placements)
    const refused = new Set<string>()
    for (const [i, comparison] of failing().entries()) {
      // All operators are combined with all uses and places, but not with every operand.
      const n = i + shift
      const answer = await alike(places[n % places.length]!(comparison), all[n % all.length]!, role)
      if (answer.includes('"errors"')) refused.add(JSON.stringify(comparison))
    }
    assert.ok(refused.size > 250, `only ${refused.size} were refused`)
  })

  test(`a pattern that fails goes on failing for ${role} when its statement is prepared`, {
    timeout: 60_000,
  }, async () => {
    for (const use of Object.keys(uses)) {
      for (const place of Object.values(placements)) {
        for (let i = 0; i < 9; i++) {
          const operator = i % 2 === 0 ? '_regex' : '_similar'
          const answer = await alike(place({ c_text: { _regex: i < 8 ? 'fine' : '(', _similar: 'fine' } }), use, role)
          assert.equal(answer.includes('invalid regular expression'), i === 8, `${operator} in ${use}: ${answer}`)
        }
      }
    }
  })

  test(`no pattern of ${role} reveals hidden rows`, { timeout: 60_000 }, async () => {
    const characters = fc.constantFrom(...'()[]{}\\*+?|^$ab"#%_.,12:-x')
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...patterns),
        fc.string({ unit: characters, maxLength: 8 }),
        fc.constantFrom('c_text', 'c_citext'),
        fc.constantFrom(...Object.keys(uses)),
        fc.constantFrom(...Object.values(placements)),
        async (operator, pattern, column, use, place) => {
          await alike(place({ [column]: { [operator]: pattern } }), use, role)
        },
      ),
      { numRuns: 80 },
    )
  })
}

test('errors are those of PostgreSQL, with the same paths', async () => {
  const ask = async (comparison: object, query = uses['list']!('bare')) => {
    const { body } = await trellis.request<{ errors: unknown[] }>('/v1/graphql', {
      body: { query, variables: { where: comparison } },
      role: 'by_column',
    })
    return body.errors
  }
  const error = (code: string, message: string, path = '$') => [{ extensions: { path, code }, message }]
  const unbalanced = 'invalid regular expression: parentheses () not balanced'
  assert.deepEqual(await ask({ c_text: { _regex: '(' } }), error('data-exception', unbalanced))
  assert.deepEqual(await ask({ c_text: { _nsimilar: '(' } }), error('data-exception', unbalanced))
  const ending = 'LIKE pattern must not end with escape character'
  assert.deepEqual(await ask({ c_text: { _like: 'a\\' } }), error('bad-request', ending))
  for (const use of ['update', 'updateReturning', 'delete']) {
    const query = uses[use]!('bare')
    const [like] = (await ask({ c_text: { _like: 'a\\' } }, query)) as { extensions: object }[]
    const [regex] = (await ask({ c_text: { _regex: '(' } }, query)) as { extensions: object }[]
    assert.deepEqual({ ...like!.extensions, code: 0 }, { ...regex!.extensions, code: 0 }, use)
  }
})
