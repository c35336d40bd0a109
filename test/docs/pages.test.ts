// The examples of the docs run on one Chinook database, page by page, each from its first block to its last.

import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { type Block, blocksOf } from '../guide/blocks.ts'
import { chinook, trackChinook } from '../support/chinook.ts'
import { startTrellis, type TestTrellis } from '../support/trellis.ts'

const docs = join(import.meta.dirname, '../../docs')

/**
 * The pages with requests, answers and SQL, and the objects that their examples expect to be tracked. Blocks of other
 * languages are not run.
 */
const pages = {
  concepts: 'nothing',
  tables: 'nothing',
  metadata: 'nothing',
  relationships: 'tables',
  permissions: 'relationships',
  'inherited-roles': 'relationships',
  functions: 'relationships',
  relay: 'relationships',
  federation: 'relationships',
  explain: 'relationships',
  collections: 'relationships',
  data: 'relationships',
  queries: 'relationships',
  mutations: 'relationships',
  sql: 'relationships',
  'event-triggers': 'relationships',
  scheduled: 'relationships',
  'postgres-types': 'nothing',
  mcp: 'relationships',
  'rest-endpoints': 'nothing',
  modelling: 'relationships',
  'existing-database': 'nothing',
} as const

/** The path of the GraphQL requests of a page, if it is not `/v1/graphql`. */
const endpoints: Readonly<Record<string, string>> = { relay: '/v1beta1/relay' }

/** The JSON values of a block, which follow each other without commas. */
function valuesOf({ lines }: Block): unknown[] {
  const values: unknown[] = []
  let text = ''
  for (const line of lines) {
    text += `${line}\n`
    try {
      values.push(JSON.parse(text))
      text = ''
    } catch {
      // The value continues in the next line.
    }
  }
  assert.equal(text, '', 'the block is JSON')
  return values
}

/** The path for a JSON value; null if it is an answer. */
function endpointOf(value: unknown): string | null {
  if (typeof value !== 'object' || value === null) return null
  if ('type' in value && 'args' in value) return '/v1/query'
  return 'query' in value ? '/v1/graphql/explain' : null
}

/** An answer as a page shows it: texts that end in an ellipsis stand for all that begin like them. */
function assertShown(answer: unknown, shown: unknown, place: string): void {
  if (typeof shown === 'string' && shown.endsWith('…')) {
    assert.ok(typeof answer === 'string' && answer.startsWith(shown.slice(0, -1)), `${place}: ${answer}`)
  } else if (typeof shown === 'object' && shown !== null) {
    assert.ok(typeof answer === 'object' && answer !== null, place)
    assert.deepEqual(Object.keys(answer), Object.keys(shown), place)
    for (const [key, value] of Object.entries(shown))
      assertShown((answer as Record<string, unknown>)[key], value, `${place}.${key}`)
  } else assert.deepEqual(answer, shown, `${place} is ${JSON.stringify(answer)}`)
}

/** A request by curl as pages write it. */
function curlOf(text: string, place: string) {
  const [, path, given, body] =
    /^curl '?localhost:8080([^\s']+)'?((?: -H '[^']+')*)(?:[ \\\n]+-d '(.+)')?$/s.exec(text) ?? assert.fail(place)
  const headers = [...given!.matchAll(/-H '([^:]+): ([^']+)'/g)].map(
    ([, name, value]) => [name!.toLowerCase(), value!] as const,
  )
  return { path: path!, headers: Object.fromEntries(headers), body: body && (JSON.parse(body) as unknown) }
}

/** The requests of a page, in order. One that is refused has to be shown as such. */
class Asked {
  readonly #trellis: TestTrellis
  #answer: unknown = null
  #unseen: string | null = null

  constructor(trellis: TestTrellis) {
    this.#trellis = trellis
  }

  async ask(place: string, path: string, body: unknown, headers = {}): Promise<void> {
    this.end()
    const method = body === undefined ? 'GET' : 'POST'
    const answer = await this.#trellis.request(path, { method, body, headers })
    const isRefused = answer.status !== 200 || Object.hasOwn(Object(answer.body), 'errors')
    this.#unseen = isRefused ? `${place}: ${JSON.stringify(answer.body)}` : null
    this.#answer = answer.body
  }

  isShown(place: string, shown: unknown): void {
    assertShown(this.#answer, shown, place)
    this.#unseen = null
  }

  end(): void {
    assert.equal(this.#unseen, null)
  }
}

async function runPage(page: string, trellis: TestTrellis): Promise<void> {
  const text = readFileSync(join(docs, `${page}.md`), 'utf8')
  const lines = text.split('\n')
  const asked = new Asked(trellis)
  for (const block of blocksOf(text)) {
    const place = `${page}.md:${block.line}`
    const code = block.lines.join('\n')
    if (lines[block.line - 3] === '<!-- not run -->') continue
    if (block.language === 'sql') await asked.ask(place, '/v1/query', { type: 'run_sql', args: { sql: code } })
    else if (block.language === 'graphql') await asked.ask(place, endpoints[page] ?? '/v1/graphql', { query: code })
    else if (block.language === 'sh' && code.startsWith('curl')) {
      const { path, headers, body } = curlOf(code, place)
      await asked.ask(place, path, body, headers)
    } else if (block.language === 'json') {
      for (const value of valuesOf(block)) {
        const endpoint = endpointOf(value)
        if (endpoint) await asked.ask(place, endpoint, value)
        else asked.isShown(place, value)
      }
    }
  }
  asked.end()
}

test('the examples of the pages run as shown', async (t) => {
  Object.assign(process.env, { HOOK_KEY: 'sesame', HOOK_HOST: 'hooks.example' })
  const enabledApis = ['metadata', 'graphql', 'config', 'mcp']
  const trellis = await startTrellis(t, { sql: chinook, settings: { enabledApis, enableApolloFederation: true } })
  const begin = {
    nothing: [],
    tables: trackChinook.filter(({ type }) => type === 'track_table'),
    relationships: trackChinook,
  }
  for (const [page, tracked] of Object.entries(pages)) {
    await t.test(page, async () => {
      await trellis.op('clear_metadata', {})
      await trellis.op('bulk', begin[tracked])
      await runPage(page, trellis)
    })
  }
})
