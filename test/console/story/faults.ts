// After the story: the server dies while it saves, and comes back with another secret.

import assert from 'node:assert/strict'
import { eventually } from '../../support/waiting.ts'
import { hasText } from '../support.ts'
import { activate, fill, go, reach, type } from './keys.ts'
import { type Story, secret } from './stage.ts'

/** An edit is kept while the server is away and the session has expired, and is saved after that. */
export async function surviveServer({ page, trellis, restart }: Story): Promise<void> {
  const name = async () => {
    const [row] = await trellis.sql<{ name: string }>('select name from genre where genre_id = 1')
    return row?.name
  }
  await go(page, 'genre')
  await reach(page, '', '[role=gridcell][tabindex="0"]')
  await page.press('ArrowRight')
  await page.press('Enter')
  await page.until(`document.activeElement?.matches('input[aria-label=name]')`)
  await page.press('a', ['ctrl'])
  await type(page, 'Fado')
  await page.press('Enter')
  // The statement waits for this transaction.
  await trellis.sql('begin')
  await trellis.sql('select from genre where genre_id = 1 for update')
  await page.press('s', ['ctrl'])
  await activate(page, 'Save 1 row')
  const isWaiting = `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`
  await eventually(async () => (await trellis.sql(isWaiting)).length === 1)
  const started = restart(`${secret} anew`)
  await page.until(`${hasText('the server cannot be reached')} && ${hasText('Fado')}`)
  await trellis.sql('rollback')
  await started
  await activate(page, 'Save 1 row')
  await fill(page, 'Admin secret', `${secret} anew`)
  await activate(page, 'Sign in')
  // PostgreSQL may have changed the row although its answer was lost.
  await page.until(`${hasText('Saved 1 row')} || ${hasText('1 row had these values already')}`)
  await page.until(`!${hasText('Review 1 edit')}`)
  assert.equal(await name(), 'Fado')
}
