// The console in Chromium: its first load, the time until it can be used, and the frames of its grid while it scrolls.

import type { Page } from '../../sdk/testing/browser.ts'
import { startBrowser } from '../../sdk/testing/browser.ts'
import { environmentOf, findChromium } from '../../test/support/chromium-programs.ts'
import { makeDatabase, withClient } from '../support/database.ts'
import type { Surroundings } from '../support/processes.ts'
import { operate, startTrellis } from '../support/trellis.ts'

/** The limits of the console's own specification. Times are those of a processor that is four times slower. */
export const consoleTargets = {
  /** Compressed bytes of the first page, styles and fonts included, and of the fonts alone. */
  firstLoad: 400e3,
  fonts: 55e3,
  /** Milliseconds. */
  interactive: 1500,
  overview: 300,
  route: 150,
  key: 50,
  frame: 50,
  /** Bytes of JavaScript's heap. */
  heap: 150e6,
}

/** How often the processor is slower than this one. */
export const slowness = 4

/** Rows of the tall table, columns of the wide one, and tables beside them. */
export const tallRows = 10_000_000
const wideColumns = 300
const tables = 1000
/** Times that the first page is loaded. */
const loads = 5
/** Milliseconds of scrolling. */
const scrollMillis = 20_000
/** Requests for the list of tables contain this text. */
const listing = 'pg_get_source_tables'

/** Milliseconds between frames. */
export type Frames = readonly number[]

export interface ConsoleResult {
  readonly bytes: { readonly all: number; readonly fonts: number }
  readonly interactive: readonly number[]
  /** From the answer with all tables to the list of them. */
  readonly overview: readonly number[]
  readonly routes: readonly number[]
  readonly longestKey: number
  readonly tall: Frames
  readonly wide: Frames
  readonly heap: number
}

const schema = `
  create table tall (id int primary key, n int not null);
  insert into tall select each, each % 1000 from generate_series(1, ${tallRows}) each;
  do $$ begin
    execute (select 'create table wide (id int primary key, ' || string_agg('column_' || each || ' int default ' || each, ', ') || ')'
      from generate_series(1, ${wideColumns - 1}) each);
    for each in 1 .. ${tables} loop
      execute format('create table %I (id int primary key, name text)', 'table_' || each);
    end loop;
  end $$;
  insert into wide (id) select generate_series(1, 1000);
  analyze tall;`

/** Runs before the page: notes when the tables were answered, and when they are shown. */
const watching = `{
  const { fetch } = window
  window.fetch = async (url, options) => {
    const answer = await fetch(url, options)
    if (String(options?.body).includes('${listing}')) answer.clone().text().then(() => { window.answeredAt = performance.now() })
    return answer
  }
  const look = () => {
    if (document.querySelectorAll('[role=row]').length > 10) window.shownAt = performance.now()
    else requestAnimationFrame(look)
  }
  requestAnimationFrame(look)
  window.keyMillis = []
  new PerformanceObserver((list) => {
    for (const { name, duration } of list.getEntries()) if (name.startsWith('key')) window.keyMillis.push(duration)
  }).observe({ type: 'event', durationThreshold: 16 })
}`

/** Measures the console over 1,000 tables, one of which has 10 million rows, and one 300 columns. */
export async function measureConsole(databaseUrl: string, surroundings: Surroundings): Promise<ConsoleResult> {
  const url = await makeDatabase(databaseUrl, 'console')
  await withClient(url, (client) => client.query(schema))
  const trellis = await startTrellis(['--database-url', url, '--enable-console'], surroundings)
  await operate(trellis.port, 'track_tables', { schemas: ['public'] })
  const chromium = await findChromium()
  const browser = await startBrowser({ program: chromium.program, environment: environmentOf(chromium) })
  surroundings.scope.defer(() => browser.close())
  const page = await browser.open('about:blank')
  await page.resize(1280, 800)
  await page.command('Page.addScriptToEvaluateOnNewDocument', { source: watching })
  const visit = (path: string) =>
    page.command('Page.navigate', { url: `http://localhost:${trellis.port}/console/${path}` })
  // The first visit makes the files in a checkout.
  await visit('data')
  await page.until('window.shownAt !== undefined && window.answeredAt !== undefined')
  const bytes = await page.evaluate<ConsoleResult['bytes']>(sizes)
  await page.command('Emulation.setCPUThrottlingRate', { rate: slowness })
  const [interactive, overview]: [number[], number[]] = [[], []]
  for (let load = 0; load < loads; load++) {
    await page.evaluate('window.shownAt = undefined')
    await page.command('Network.setCacheDisabled', { cacheDisabled: true })
    await visit('data')
    await page.until('window.shownAt !== undefined && window.answeredAt !== undefined')
    const [shown, answered] = await page.evaluate<[number, number]>('[window.shownAt, window.answeredAt]')
    interactive.push(shown)
    overview.push(shown - answered)
  }
  const longestKey = await typeInto(page)
  const routes = await moveAround(page)
  await visit('data/public/tall')
  const tall = await scroll(page, 'top', 96)
  await page.command('HeapProfiler.collectGarbage')
  const { usedSize } = await page.command('Runtime.getHeapUsage')
  await visit('data/public/wide')
  const wide = await scroll(page, 'left', 48)
  await browser.close()
  await trellis.stop()
  return { bytes, interactive, overview, routes, longestKey, tall, wide, heap: Number(usedSize) }
}

const sizes = `(() => {
  const all = [...performance.getEntriesByType('navigation'), ...performance.getEntriesByType('resource')]
    .filter(({ name }) => name.includes('/console/'))
  const sum = (list) => list.reduce((total, { encodedBodySize }) => total + encodedBodySize, 0)
  return { all: sum(all), fonts: sum(all.filter(({ name }) => name.includes('.woff2'))) }
})()`

/** Types into the filter of the tables; returns the milliseconds until the slowest key was shown. */
async function typeInto(page: Page): Promise<number> {
  await page.click('[data-filter]')
  for (const key of 'table_99') await page.press(key)
  await page.until(`document.querySelectorAll('[role=row]').length < 14`)
  return page.evaluate<number>('Math.max(16, ...window.keyMillis)')
}

/** Goes from page to page by the rail; returns the milliseconds until each is shown. The first round loads their code. */
async function moveAround(page: Page): Promise<readonly number[]> {
  const move = (title: string) =>
    page.evaluate<number>(`new Promise((done) => {
      const link = [...document.querySelectorAll('nav a')].find((each) => each.innerText.trim() === ${JSON.stringify(title)})
      const start = performance.now()
      link.click()
      const look = () => document.querySelector('main h1')?.innerText === ${JSON.stringify(title)} ? done(performance.now() - start) : requestAnimationFrame(look)
      requestAnimationFrame(look)
    })`)
  const titles = ['SQL', 'Roles', 'Data']
  for (const title of titles) await move(title)
  const times: number[] = []
  for (const title of [...titles, ...titles, ...titles]) times.push(await move(title))
  return times
}

/** Scrolls the grid steadily; returns the milliseconds between its frames. */
async function scroll(page: Page, side: 'top' | 'left', pixels: number): Promise<Frames> {
  await page.until(`document.querySelector('[role=grid] [role=gridcell]') !== null`)
  const property = side === 'top' ? 'scrollTop' : 'scrollLeft'
  return page.evaluate<number[]>(`new Promise((done) => {
    const grid = document.querySelector('[role=grid]')
    const frames = []
    const end = performance.now() + ${scrollMillis}
    let [last, step] = [undefined, ${pixels}]
    const next = (now) => {
      if (last !== undefined) frames.push(now - last)
      last = now
      const before = grid.${property}
      grid.${property} += step
      // At the end of the columns it goes back.
      if (${side === 'left'} && grid.${property} === before) step = -step
      if (performance.now() < end) requestAnimationFrame(next)
      else done(frames)
    }
    requestAnimationFrame(next)
  })`)
}
