// Steps 1 and 2: signing in, and the database with its tracked tables.

import assert from 'node:assert/strict'
import { chinook } from '../../support/chinook.ts'
import { hasText } from '../support.ts'
import { activate, fill, go, pasteCode, reach, tick } from './keys.ts'
import { type Story, secret, tablesOf } from './stage.ts'

/** Signs in, for this tab, and begins to record. */
export async function signIn({ page }: Story): Promise<void> {
  await fill(page, 'Admin secret', secret)
  await tick(page, 'Keep for this tab')
  await activate(page, 'Sign in')
  await page.until(`${hasText('First steps')} && ${hasText('Track tables')}`)
  await page.press('j', ['ctrl'])
  await activate(page, 'Record edits')
  await page.press('j', ['ctrl'])
}

/** Makes the database with SQL. */
export async function pasteDatabase({ page }: Story): Promise<void> {
  await go(page, 'SQL')
  await pasteCode(page, 'SQL', chinook)
  await tick(page, 'Reads only')
  await page.until(hasText('Changes are allowed'))
  await reach(page, 'SQL', '.cm-content')
  await page.press('a', ['ctrl'])
  await page.press('Enter', ['ctrl'])
  await page.until(hasText('INSERT'))
}

/** Tracks everything in one request. */
export async function trackAll({ page, exported }: Story): Promise<void> {
  await go(page, 'Data')
  await reach(page, 'Track 11 tables')
  const before = page.sent.length
  const start = await page.evaluate<number>('performance.now()')
  await page.press('Enter')
  await page.until(hasText('Tracked 11 tables and 22 relationships'))
  const millis = await page.evaluate<number>(`Math.max(...performance.getEntriesByType('resource')
    .filter(({ name, startTime }) => name.endsWith('/v1/metadata') && startTime >= ${start})
    .map(({ duration }) => duration))`)
  assert.ok(millis > 0 && millis < 2000, `it took ${millis} ms`)
  const edits = page.sent.slice(before).filter(({ body }) => /"type":"(?:bulk|pg_track_tables)"/.test(body ?? ''))
  assert.equal(edits.length, 1)
  const tables = tablesOf(await exported())
  const relationships = tables.flatMap((each) => [
    ...(each.object_relationships ?? []),
    ...(each.array_relationships ?? []),
  ])
  assert.deepEqual([tables.length, relationships.length], [11, 22])
}
