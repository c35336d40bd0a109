// One server over Chinook and one browser for the tests of all pages of the console.

import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { mkdir, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import people from '../../examples/people.ts'
import { loadFiles } from '../../plugins/console/assets.ts'
import { type Page, startBrowser } from '../support/browser.ts'
import { chinook, trackChinook } from '../support/chinook.ts'
import { startTrellis } from '../support/trellis.ts'
import { Contract } from './contract.ts'

export const secret = 'sesame-open'

/** The secret that only reads. */
export const readSecret = 'peek-inside'

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

/** An answer that takes the place of the server's, for states that a healthy server does not show. */
export interface Fault {
  /** The type of the operation, or the path of the request; `*`: all of them. */
  readonly on: string
  /** 0: the answer never comes; -1: the connection breaks. */
  readonly status: number
  readonly body?: unknown
  /** The answer comes once, and later ones are the server's. */
  readonly isOnce?: boolean
}

/** How a page is opened. */
export interface Opening {
  /** Below the console, without a slash at its beginning. */
  readonly path: string
  readonly theme?: 'light' | 'dark'
  readonly width?: number
  readonly faults?: readonly Fault[]
  /** Absent: signed in. */
  readonly isSignedOut?: boolean
  /** Whether the secret is the one that only reads. */
  readonly isReader?: boolean
}

/** A state of a page. */
export interface State extends Opening {
  readonly title: string
  /** An expression that is true once the state is there. */
  readonly shows: string
  /** Steps from there, which may check more. */
  act?(page: Page, context: Console): Promise<void>
  /** Whether other states have all its parts: axe is left out. */
  readonly isKnown?: boolean
  /** Faults in the page's console that belong to the state, such as the browser's line about a status of 400. */
  readonly complains?: RegExp
}

/** The shared server and browser. */
export interface Console {
  /** Runs an operation as another client of the server. */
  op<T = unknown>(type: string, args: unknown, version?: number): Promise<T>
  /** Sends a GraphQL operation as a role. */
  asRole(role: string, query: string): Promise<unknown>
  /** Checks requests by the server's description. */
  readonly contract: Contract
  open(opening: Opening): Promise<Page>
  /** Opens an address of another server without a sign-in. A script `before` runs first. */
  visit(url: string, before?: string): Promise<Page>
  /** Fails where axe finds anything, or the page complained. */
  check(page: Page, complains?: RegExp): Promise<void>
  /** Fails where the page complained. */
  checkComplaints(page: Page, complains?: RegExp): void
}

/** An expression: whether the page shows a text. */
export const hasText = (text: string): string => `(document.body?.innerText ?? '').includes(${JSON.stringify(text)})`

/**
 * Writes a picture of the page without notifications into docs, where `TRELLIS_SCREENSHOTS` is set; the tests of every day
 * write nothing.
 */
export async function screenshot(page: Page, name: string): Promise<void> {
  if (process.env['TRELLIS_SCREENSHOTS'] === undefined) return
  const dismiss = `document.querySelectorAll('[aria-label=Dismiss]')`
  await page.evaluate(`${dismiss}.forEach((each) => each.click())`)
  await page.until(`${dismiss}.length === 0`)
  const folder = join(import.meta.dirname, '../../docs/console')
  await mkdir(folder, { recursive: true })
  await writeFile(join(folder, `${name}.png`), await page.screenshot())
}

/** The faults that axe finds in a page, in both themes: they differ in contrast alone. */
export async function axeFaults(page: Page): Promise<readonly object[]> {
  if (!(await page.evaluate<boolean>(`'axe' in window`))) await page.evaluate(`${axe}\n;0`)
  return page.evaluate(`(async () => {
    const shown = ({ html, failureSummary }) => html.slice(0, 200) + failureSummary
    const faults = async (options) => {
      // The keys of the editor scroll its list of completions, which axe does not know.
      const { violations } = await axe.run({ exclude: ['.cm-tooltip-autocomplete'] }, { resultTypes: ['violations'], ...options })
      return violations.map(({ id, nodes }) => ({ id, nodes: nodes.map(shown) }))
    }
    const { dataset } = document.documentElement
    const { theme } = dataset
    const found = await faults({})
    dataset.theme = theme === 'dark' ? 'light' : 'dark'
    const inOther = await faults({ runOnly: ['color-contrast'] })
    dataset.theme = theme
    return [...found, ...inOther]
  })()`)
}

/**
 * Runs before the page's own script: signs in, puts faults in the place of answers, and removes a function that browsers
 * offer to secure addresses alone.
 */
const beforehand = ({ faults = [], isSignedOut = false, isReader = false, theme = 'light' }: Opening): string => `
  delete Crypto.prototype.randomUUID
  localStorage.setItem('trellis:console:theme', ${JSON.stringify(JSON.stringify(theme))})
  const credentials = JSON.stringify({ kind: 'secret', value: ${JSON.stringify(isReader ? readSecret : secret)} })
  if (${!isSignedOut}) sessionStorage.setItem('trellis:console:credentials', credentials)
  const faults = ${JSON.stringify(faults)}
  const send = window.fetch
  window.fetch = async (url, options) => {
    const body = typeof options?.body === 'string' ? JSON.parse(options.body) : {}
    const names = [body.type, new URL(url).pathname.slice(1)]
    const at = faults.findIndex(({ on }) => on === '*' || names.includes(on))
    if (at < 0) return send(url, options)
    const [fault] = faults[at].isOnce ? faults.splice(at, 1) : [faults[at]]
    if (fault.status < 0) throw new TypeError('Failed to fetch')
    const { promise } = Promise.withResolvers()
    const text = typeof fault.body === 'string' ? fault.body : JSON.stringify(fault.body ?? null)
    return fault.status === 0 ? promise : new Response(text, { status: fault.status, headers: { 'content-type': text.startsWith('<') ? 'text/html' : 'application/json' } })
  }`

const enabledApis = ['metadata', 'graphql', 'config', 'developer']

/** Starts the server and the browser. */
export async function startConsole(t: TestContext): Promise<Console> {
  const [trellis, openPage] = await Promise.all([
    startTrellis(t, {
      sql: chinook,
      plugins: [people],
      settings: {
        adminSecret: secret,
        readSecret,
        enableConsole: true,
        enabledApis,
        enableApolloFederation: true,
        enableRemoteSchemaPermissions: true,
      },
    }),
    startBrowser(t),
    loadFiles(),
  ])
  // Browsers find names of this machine only.
  const origin = trellis.url.replace('127.0.0.1', 'localhost')
  const op = <T>(type: string, args: unknown, version?: number) =>
    trellis.op<T>(type, args, {
      headers: { 'x-service-admin-secret': secret },
      ...(version !== undefined && { version }),
    })
  await trellis.sql(`
    create table keyless (note text); insert into keyless values ('one');
    create table untracked (id int primary key);
    create table lyric (id int primary key, track_id int references track, body text); insert into lyric values (1, 1, 'la la');
    create table large (id int primary key, body text, document jsonb);
    insert into large select 1, repeat('long ', 1048576), jsonb_agg(12345678901234567890 + each) from generate_series(1, 80000) each;`)
  await op('bulk', [
    ...trackChinook,
    ...['keyless', 'large', 'lyric'].map((name) => ({ type: 'track_table', args: name })),
  ])
  const described = await trellis.request('/api/openapi.json', { headers: { 'x-service-admin-secret': secret } })
  // The process of the pages lives as long as one of them.
  await openPage(`${origin}/healthz`)
  return {
    op,
    async asRole(role, query) {
      const headers = { 'x-service-admin-secret': secret, 'x-service-role': role }
      return (await trellis.request('/v1/graphql', { method: 'POST', headers, body: { query } })).body
    },
    contract: new Contract(described.body as ConstructorParameters<typeof Contract>[0]),
    async open(opening) {
      const page = await openPage(`${origin}/console/${opening.path}`, beforehand(opening))
      await page.resize(opening.width ?? 1280, 800)
      return page
    },
    visit: (url, before) => openPage(url.replace('127.0.0.1', 'localhost'), before),
    async check(page, complains) {
      const found = await axeFaults(page)
      assert.deepEqual(found, [])
      checkComplaints(page, complains)
    },
    checkComplaints,
  }
}

function checkComplaints(page: Page, complains?: RegExp): void {
  const others = page.complaints.filter((complaint) => !complains?.test(complaint))
  assert.deepEqual(others, [])
}
