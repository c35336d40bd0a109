import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startTrellis } from 'trellis/testing'
import visits from '../../examples/visits.ts'
import { eventually } from '../support/waiting.ts'

test('the job of a third-party plugin runs at night and on request', async () => {
  const settings = { enabledApis: ['visits', 'developer'], keepVisits: 7 }
  await using trellis = await startTrellis({ plugins: [visits], settings })
  await trellis.request('/visits', { body: { page: '/new' } })
  await trellis.sql(`insert into trellis.visit values ('/old', now() - interval '8 days')`)
  const { status, body } = await trellis.request('/visits/forget', { body: {} })
  assert.deepEqual([status, body], [200, { message: 'success' }])
  const left = () => trellis.sql('select page from trellis.visit')
  await eventually(async () => (await left()).length === 1)
  assert.deepEqual(await left(), [{ page: '/new' }])
  const { body: view } = await trellis.request<{ jobs: { name: string; schedule: string }[] }>('/dev/jobs', {})
  assert.deepEqual(
    view.jobs.map(({ name, schedule }) => [name, schedule]),
    [['forget visits', '30 3 * * * Europe/Berlin']],
  )
})
