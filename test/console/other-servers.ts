// The console of servers that are started in other ways. They share the browser of the pages.

import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import Fastify from 'fastify'
import { silentObserver } from '../../core/log/observe.ts'
import { trellis } from '../../sdk/engine.ts'
import { atEnd } from '../support/cleanup.ts'
import { clientOf } from '../support/client.ts'
import { testDatabase } from '../support/database.ts'
import { startTrellis } from '../support/trellis.ts'
import { clickText } from './pages/steps.ts'
import { type Console, hasText, secret } from './support.ts'

const sql = `create table harbour (id int primary key, name text); insert into harbour values (1, 'Oslo'), (2, 'Bergen')`
const settings = {
  adminSecret: secret,
  enableConsole: true,
  enabledApis: ['metadata', 'graphql', 'config', 'developer'],
}

/** Keeps the names of all headers that the page sends. */
const keepingHeaders = `
  window.sentHeaders = new Set()
  const send = window.fetch
  window.fetch = (url, options) => {
    for (const name of new Headers(options?.headers).keys()) window.sentHeaders.add(name)
    return send(url, options)
  }`

/** Below a path of an application: the person signs in, and every request stays below it. */
async function belowPrefix(t: TestContext, { visit, checkComplaints }: Console): Promise<void> {
  const { url: databaseUrl } = await testDatabase(t, { sql })
  // A browser keeps connections ready without any request.
  const app = Fastify({ forceCloseConnections: true })
  await app.register(trellis, { prefix: '/api/data', settings: { ...settings, databaseUrl }, observe: silentObserver })
  atEnd(t, () => app.close())
  const origin = await app.listen({ port: 0, host: '127.0.0.1' })
  const headers = { 'x-service-admin-secret': secret }
  await clientOf(`${origin}/api/data`).op('track_table', 'harbour', { headers })
  const page = await visit(`${origin}/api/data/console/data/public/harbour?order=id`)
  await page.until(hasText('Keep for this tab'))
  await page.type('input[type=password]', secret)
  await page.press('Enter')
  await page.until(`${hasText('2 rows')} && ${hasText('Bergen')}`)
  await page.press(']')
  await page.until(
    `location.pathname === '/api/data/console/data/public/harbour/structure' && ${hasText('harbour_pkey')}`,
  )
  await page.reload()
  await page.until(hasText('Keep for this tab'))
  await page.click('[role=dialog] input[type=checkbox]')
  await page.type('input[type=password]', secret)
  await page.press('Enter')
  await page.until(hasText('harbour_pkey'))
  await page.reload()
  await page.until(hasText('harbour_pkey'))
  // Another server at the root of the host does not get the secret.
  assert.equal(await page.evaluate(`sessionStorage.getItem('trellis:console:credentials')`), null)
  await page.click('[aria-label="Sign out"]')
  await page.until(hasText('Keep for this tab'))
  const paths = page.requests.filter((url) => !url.startsWith('data:')).map((url) => new URL(url).pathname)
  assert.deepEqual(
    paths.filter((path) => !path.startsWith('/api/data/')),
    [],
  )
  checkComplaints(page, /status of 401/)
  await page.close()
}

/** With the other dialect: the page signs in and acts as a role with the headers that the server reads. */
async function otherDialect(t: TestContext, { visit, checkComplaints }: Console): Promise<void> {
  const { url, op } = await startTrellis(t, { sql, settings: { ...settings, dialect: 'hasura' } })
  const headers = { 'x-hasura-admin-secret': secret }
  await op('track_table', 'harbour', { headers })
  const permission = { columns: '*', filter: { id: { _eq: 1 } } }
  await op('create_select_permission', { table: 'harbour', role: 'pilot', permission }, { headers })
  const page = await visit(`${url}/console/data/public/harbour?order=id`, keepingHeaders)
  await page.until(hasText('Keep for this tab'))
  await page.type('input[type=password]', secret)
  await page.press('Enter')
  await page.until(`${hasText('2 rows')} && ${hasText('Bergen')}`)
  await page.click('button[aria-label="As admin"]')
  await page.type('input[list]', 'pilot')
  await clickText(page, 'Apply')
  await page.until(`${hasText('1 row')} && ${hasText('Oslo')} && !${hasText('Bergen')}`)
  const names = await page.evaluate<string[]>(`[...window.sentHeaders].filter((name) => name.startsWith('x-')).sort()`)
  assert.ok(names.includes('x-hasura-admin-secret') && names.includes('x-hasura-role'), names.join())
  assert.deepEqual(
    names.filter((name) => name.startsWith('x-service-')),
    [],
  )
  checkComplaints(page, /status of 401/)
  await page.close()
}

/** The servers by the difference from the shared one. */
export const otherServers = {
  'below a prefix of an application': belowPrefix,
  'in the other dialect': otherDialect,
}
