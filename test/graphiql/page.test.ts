// GraphiQL in a real browser, used like a person.

import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import { macKey, sign } from '../auth/tokens.ts'
import { type Page, startBrowser } from '../support/browser.ts'
import { browserTest } from '../support/chromium.ts'
import { startTrellis, type TestTrellis } from '../support/trellis.ts'

const sql = `
  create table harbour (id serial primary key, name text not null, depth numeric, berths bigint default 9007199254740993);
  insert into harbour (name, depth) values ('Bergen', 11.5), ('Oslo', 13)`

async function startHarbours(t: TestContext, settings = {}): Promise<TestTrellis & { readonly page: string }> {
  const trellis = await startTrellis(t, { sql, settings: { serverHost: 'localhost', ...settings } })
  const headers = { 'x-service-admin-secret': 'sesame' }
  await trellis.op('track_table', 'harbour', { headers })
  const permission = { columns: ['name'], filter: { name: { _eq: 'X-Service-Town' } } }
  await trellis.op('create_select_permission', { table: 'harbour', role: 'guest', permission }, { headers })
  return { ...trellis, page: `${trellis.url.replace('127.0.0.1', 'localhost')}/graphiql` }
}

/** The text in the editor of answers, which lays out its lines with no-break spaces. */
const answer = `(document.querySelector('.graphiql-response .view-lines')?.innerText ?? '').replaceAll('\\u00a0', ' ')`

const docs = `(document.querySelector('.graphiql-doc-explorer')?.innerText ?? '')`

/** Puts a document into the editor, as if it had been pasted, and runs it. */
async function run(page: Page, document: string): Promise<void> {
  await page.until('globalThis.__MONACO?.editor.getEditors().length >= 3')
  const editor = `__MONACO.editor.getEditors().find((each) => each.getModel()?.uri.path.endsWith('operation.graphql'))`
  await page.evaluate(`${editor}.setValue(${JSON.stringify(document)})`)
  await page.click('.graphiql-execute-button')
}

const shows = (page: Page, text: string) => page.until(`${answer}.includes(${JSON.stringify(text)})`)

/** Opens the type of the queries in the schema beside the editor. */
async function openQueries(page: Page): Promise<void> {
  await page.until(`${docs}.includes('query_root')`)
  await page.click('.graphiql-doc-explorer-root-type, .graphiql-doc-explorer-type-name')
}

/** Nothing may leave for elsewhere; fonts and pictures of the style are in it. */
function assertOwnRequests(page: Page, url: string): void {
  const foreign = page.requests.filter(
    (each) => !/^(data|blob):/.test(each) && new URL(each).host !== new URL(url).host,
  )
  assert.deepEqual(foreign, [])
  assert.deepEqual(page.complaints, [])
}

browserTest('a query, a mutation and a subscription, without a request to elsewhere', async (t) => {
  const { page: url, sql } = await startHarbours(t)
  const page = await (await startBrowser(t))(url)

  await run(page, '{ harbour(where: {name: {_eq: "Oslo"}}) { name depth berths } }')
  await shows(page, '"depth": 13')
  // More digits than a number of JavaScript has.
  await shows(page, '"berths": 9007199254740993')

  await run(page, 'mutation { insert_harbour_one(object: {name: "Aarhus"}) { name } }')
  await shows(page, '"name": "Aarhus"')

  await run(page, 'subscription { harbour(where: {depth: {_is_null: true}}) { name } }')
  await shows(page, '"name": "Aarhus"')
  await sql(`update harbour set name = 'Ribe' where depth is null`)
  await shows(page, '"name": "Ribe"')
  await page.click('.graphiql-execute-button')
  await sql(`update harbour set name = 'Esbjerg' where depth is null`)
  await run(page, 'subscription { harbor { name } }')
  await shows(page, 'did you mean')

  assert.ok(page.requests.includes(`${new URL('v1/graphql', url.replace('http', 'ws'))}`))
  assertOwnRequests(page, url)
})

browserTest('role, session variables and secret: the schema is the role’s, and no secret is kept', async (t) => {
  const { page: url } = await startHarbours(t, { adminSecret: 'sesame', enableGraphiql: true })
  const page = await (await startBrowser(t))(url)

  await page.until(`${docs}.includes('Error fetching schema')`)
  await page.type('input[type=password]', 'sesame')
  await page.press('Enter')
  await openQueries(page)
  await page.until(`${docs}.includes('harbour_aggregate')`)

  await page.type('input[aria-label="x-service-role"]', 'guest')
  await page.press('Enter')
  await openQueries(page)
  await page.until(`${docs}.includes('harbour') && !${docs}.includes('harbour_aggregate')`)

  await page.click('.identity button[type=button]')
  await page.type('input[aria-label^="Name of"]', 'town')
  await page.type('input[aria-label^="Value of"]', 'Bergen')
  await run(page, '{ harbour { name } }')
  await shows(page, '"name": "Bergen"')
  await run(page, 'subscription { harbour { name } }')
  await shows(page, '"name": "Bergen"')
  assert.equal(await page.evaluate(`${answer}.includes('Oslo')`), false)

  const kept = await page.evaluate<string>('JSON.stringify([localStorage, sessionStorage])')
  assert.match(kept, /guest.*Bergen|Bergen.*guest/)
  assert.doesNotMatch(kept, /sesame/)
  assertOwnRequests(page, url)
})

const fieldOfRole = 'input[aria-label="x-service-role"]'
const offered = `[...document.querySelectorAll('#roles option')].map(({ value }) => value).join()`

browserTest('a token gives the role; the schema follows the token, and the headers of the editor', async (t) => {
  const jwtSecret = JSON.stringify({ type: 'HS256', key: macKey })
  const { page: url } = await startHarbours(t, { adminSecret: 'sesame', enableGraphiql: true, jwtSecret })
  const page = await (await startBrowser(t))(url)
  const claims = { 'x-service-allowed-roles': ['guest'], 'x-service-default-role': 'guest', 'x-service-town': 'Oslo' }
  const token = await sign({ 'https://hasura.io/jwt/claims': claims })
  await page.until(`${docs}.includes('Error fetching schema')`)
  assert.equal(await page.evaluate(offered), '')

  await page.type('input[aria-label="authorization"]', `Bearer ${token}`)
  await page.press('Enter')
  await openQueries(page)
  await page.until(`${docs}.includes('harbour') && !${docs}.includes('harbour_aggregate')`)
  await run(page, '{ harbour { name } }')
  await shows(page, '"name": "Oslo"')

  const editor = `__MONACO.editor.getEditors().find((each) => each.getModel()?.uri.path.endsWith('request-headers.json'))`
  await page.evaluate(`${editor}.setValue('{"x-service-admin-secret": "sesame"}')`)
  await openQueries(page)
  await page.until(`${docs}.includes('harbour_aggregate')`)
  assert.doesNotMatch(await page.evaluate<string>('JSON.stringify([localStorage, sessionStorage])'), /sesame|eyJ/)
})

browserTest('the roles of the metadata are offered to administrators', async (t) => {
  const { page: url } = await startHarbours(t)
  const page = await (await startBrowser(t))(url)
  await page.until(`${offered} === 'guest'`)
  assert.equal(await page.evaluate(`document.querySelector('${fieldOfRole}').list.id`), 'roles')
  assert.equal(await page.evaluate(`document.querySelector('.note')`), null)
  assertOwnRequests(page, url)
})

browserTest('an empty server says what to do', async (t) => {
  const { url } = await startTrellis(t, { sql, settings: { serverHost: 'localhost' } })
  const page = await (await startBrowser(t))(`${url.replace('127.0.0.1', 'localhost')}/graphiql`)
  await page.until(`document.querySelector('.note')?.innerText.includes('Nothing is tracked yet')`)
})
