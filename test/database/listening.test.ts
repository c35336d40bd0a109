import assert from 'node:assert/strict'
import { test } from 'node:test'
import pg from 'pg'
import { Listener } from '../../core/database/hearing/listening.ts'
import { atEnd } from '../support/cleanup.ts'
import { testDatabase } from '../support/database.ts'
import { eventually } from '../support/waiting.ts'

test('channels that are listened to at the same time are heard, and nothing is warned of', async (t) => {
  const { url } = await testDatabase(t)
  const warnings: Error[] = []
  const onWarning = (warning: Error) => warnings.push(warning)
  process.on('warning', onWarning)
  atEnd(t, () => process.off('warning', onWarning))
  const listener = new Listener({ url, timeoutMillis: 10_000 })
  atEnd(t, () => listener.close())
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  atEnd(t, () => client.end())

  const channels = ['a', 'b', 'c']
  const heard: string[] = []
  const lost = (error: Error) => assert.fail(error)
  const hearing = channels.map((channel) => listener.listen(channel, (payload) => heard.push(channel + payload), lost))
  const [first, second] = await Promise.all(hearing)
  await Promise.all([first!.stop(), second!.stop(), listener.listen('d', (payload) => heard.push(`d${payload}`), lost)])
  for (const channel of ['a', 'b', 'd', 'c']) await client.query('select pg_notify($1, $2)', [channel, '1'])
  await eventually(() => heard.includes('c1'))
  assert.deepEqual(heard, ['d1', 'c1'])
  assert.deepEqual(warnings, [])
})
