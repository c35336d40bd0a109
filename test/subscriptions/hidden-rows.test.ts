// Failures of subscriptions reveal nothing about hidden rows: over two tables that differ only in these, the first
// answers are equal, byte for byte.

import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { failing, placements, roles, startHiding } from '../graphql/hidden-rows.ts'
import type { TestTrellis } from '../support/trellis.ts'

let trellis: TestTrellis

before(async (t) => {
  trellis = await startHiding(t as never)
})

const uses: Record<string, (table: string) => string> = {
  list: (table) => `subscription($where: ${table}_bool_exp!) { answer: ${table}(where: $where) { id } }`,
  count: (table) =>
    `subscription($where: ${table}_bool_exp!) { answer: ${table}_aggregate(where: $where) { aggregate { count } } }`,
  below: (table) =>
    `subscription($where: ${table}_bool_exp!) { box(order_by: {id: asc}) { id answer: ${table}s(where: $where) { id } } }`,
  through: (table) => `subscription($where: ${table}_bool_exp!) { box(where: {${table}s: $where}) { id } }`,
  stream: (table) =>
    `subscription($where: ${table}_bool_exp!) {
      answer: ${table}_stream(batch_size: 2, cursor: {initial_value: {id: 0}}, where: $where) { id }
    }`,
}

/** The first answer of a subscription. */
async function firstAnswer(query: string, variables: object, role: string): Promise<string> {
  const headers = { accept: 'text/event-stream', 'content-type': 'application/json', 'x-service-role': role }
  const body = JSON.stringify({ query, variables })
  const response = await fetch(`${trellis.url}/v1/graphql`, { method: 'POST', headers, body })
  let text = ''
  for await (const part of response.body!) {
    text += Buffer.from(part).toString()
    const answer = /^data: (.+)$/m.exec(text)
    if (answer) return answer[1]!
  }
  throw new Error(`no answer: ${text}`)
}

async function alike(query: (table: string) => string, variables: object, role: string): Promise<string> {
  const ask = async (table: string) => (await firstAnswer(query(table), variables, role)).replaceAll(table, 'table')
  const [hiding, bare] = [await ask('hiding'), await ask('bare')]
  assert.equal(hiding, bare, `${JSON.stringify(variables).slice(0, 1000)} in ${query('table')} for ${role}`)
  return hiding
}

for (const [shift, role] of Object.keys(roles).entries()) {
  test(`failing operands reveal nothing about hidden rows to ${role}`, { timeout: 120_000 }, async () => {
    const all = Object.values(uses)
    const places = Object.values(placements)
    let refused = 0
    for (const [i, comparison] of failing().entries()) {
      const n = i + shift
      const where = places[n % places.length]!(comparison)
      const answer = await alike(all[n % all.length]!, { where }, role)
      if (answer.includes('"errors"')) refused++
    }
    assert.ok(refused > 250, `only ${refused} were refused`)
  })
}

test('a failing operand among more values than a row has columns reveals nothing', {
  timeout: 60_000,
}, async () => {
  const dates = Array.from({ length: 1700 }, (_, i) => ({ c_date: { _gt: i === 900 ? 'none' : '2020-01-01' } }))
  for (const role of Object.keys(roles)) {
    const answer = await alike(uses['list']!, { where: { _or: dates } }, role)
    assert.match(answer, /invalid input syntax for type date/)
  }
})

for (const [type, from, message] of [
  ['date', 'none', /invalid input syntax for type date/],
  ['pair', '(1,3)', /field ..c_pair.. not found/],
] as const) {
  test(`a failing ${type} as the start of a stream reveals nothing`, { timeout: 60_000 }, async () => {
    const stream = (table: string) =>
      `subscription($from: ${type}!) {
        answer: ${table}_stream(batch_size: 2, cursor: {initial_value: {c_${type}: $from}}) { id }
      }`
    for (const role of Object.keys(roles)) assert.match(await alike(stream, { from }, role), message)
  })
}
