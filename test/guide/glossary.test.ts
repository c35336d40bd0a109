import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startTrellis } from 'trellis/testing'
import glossary from './glossary.ts'

test('terms are defined once, and can be queried', async (t) => {
  const trellis = await startTrellis({ plugins: [glossary], settings: { glossaryTitle: 'Words' } })
  t.after(() => trellis.close())

  const berth = { name: 'berth', meaning: 'where a ship lies' }
  assert.deepEqual(await trellis.operation('define_term', berth), { message: 'success' })
  assert.deepEqual(await trellis.graphql('{ meaning(of: "berth") }'), { data: { meaning: 'where a ship lies' } })
  const { status, body } = await trellis.request('/glossary', { role: 'guest' })
  assert.deepEqual([status, body], [200, { title: 'Words', terms: { berth: 'where a ship lies' } }])

  const refusal = { path: '$.args.name', error: '"berth" is defined already', code: 'already-exists' }
  await assert.rejects(trellis.operation('define_term', berth), { status: 400, body: refusal })
})
