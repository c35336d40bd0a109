// The requests of pages that use Chinook are answered as the pages say, sent as curl sends them.

import assert from 'node:assert/strict'
import { cpSync, existsSync, mkdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { test } from 'node:test'
import { macKey, sign } from '../auth/tokens.ts'
import { project } from '../cli/command-line.ts'
import { startTrellis } from '../support/trellis.ts'
import { blocksOf } from './blocks.ts'

const root = join(import.meta.dirname, '../..')
const read = (file: string) => readFileSync(join(root, file), 'utf8')

/** The path, headers and body of a request on the page. */
function requestOf(text: string, token: string) {
  const [, path = '', flags = '', body = ''] =
    /^curl localhost:8080(\S+)((?: -H (?:'[^']+'|"[^"]+"))*) -d '([^']+)'$/.exec(text) ??
    assert.fail(`cannot read: ${text}`)
  const headers = [...flags.matchAll(/-H ['"]([^:]+): ([^'"]+)['"]/g)].map(([, name = '', value = '']) => [
    name.toLowerCase(),
    value.replace('$TOKEN', token),
  ])
  return {
    path,
    headers: { 'content-type': 'application/x-www-form-urlencoded', ...Object.fromEntries(headers) },
    body,
  }
}

/** Sends a request of a page. */
async function send(url: string, text: string, token = '') {
  const { path, headers, body } = requestOf(text, token)
  const response = await fetch(url + path, { method: 'POST', headers, body })
  return { status: response.status, given: (await response.json()) as { readonly errors?: unknown } }
}

/** The blocks of a page that are requests, each with the answer that the page shows, if any. */
function exchangesOf(page: string) {
  const blocks = blocksOf(read(page))
  return blocks.flatMap(({ language, lines, line }, at) => {
    const text = lines.join('\n')
    if (language !== 'sh' || !/^curl localhost:8080\S+ -H/.test(text)) return []
    const next = blocks[at + 1]
    return [{ line, text, answer: next?.language === 'json' ? JSON.parse(next.lines.join('\n')) : undefined }]
  })
}

test('the requests of the tutorial and of pages run on Chinook', async (t) => {
  const settings = { adminSecret: 'sesame', jwtSecret: JSON.stringify({ type: 'HS256', key: macKey }) }
  const { url } = await startTrellis(t, { sql: read('test/data/chinook/chinook.sql'), settings })
  const claims = {
    'x-service-allowed-roles': ['customer'],
    'x-service-default-role': 'customer',
    'x-service-user-id': '2',
  }
  const token = await sign({ 'https://hasura.io/jwt/claims': claims })
  for (const page of ['docs/tutorial.md', 'docs/queries.md']) {
    const exchanges = exchangesOf(page)
    assert.ok(exchanges.length > 1)
    for (const { line, text, answer } of exchanges) {
      const { status, given } = await send(url, text, token)
      const shown = `${page}:${line}: ${JSON.stringify(given)}`
      assert.equal(status, 200, shown)
      assert.equal(given.errors, undefined, shown)
      if (answer !== undefined) assert.deepEqual(given, answer, shown)
    }
  }
})

test('the tour runs from an empty database, with the commands that it shows', async (t) => {
  const { url } = await startTrellis(t)
  const { directory, done } = project(t, ['--endpoint', url])
  const file = 'test/data/chinook/chinook.sql'
  mkdirSync(join(directory, dirname(file)), { recursive: true })
  cpSync(join(root, file), join(directory, file))
  const blocks = blocksOf(read('docs/tour.md'))
  assert.ok(blocks.length > 10)
  for (const [at, { language, lines, line }] of blocks.entries()) {
    if (language !== 'sh') continue
    const text = lines.join('\n')
    if (text.startsWith('npm run')) {
      for (const command of lines) {
        const [, words = assert.fail(command)] = /^npm run -s trellis -- (.+)$/.exec(command) ?? []
        await done(words.replace('http://localhost:8080', url).split(' '))
      }
      continue
    }
    const { status, given } = await send(url, text)
    assert.equal(status, 200, `docs/tour.md:${line}: ${JSON.stringify(given)}`)
    const next = blocks[at + 1]
    if (next?.language === 'json') assert.deepEqual(given, JSON.parse(next.lines.join('\n')), `docs/tour.md:${line}`)
    else assert.deepEqual(given, { message: 'success' })
  }
  assert.ok(existsSync(join(directory, 'shop/metadata/databases/default/tables/public_invoice.yaml')))
})
