import assert from 'node:assert/strict'
import { hasText, type State, screenshot } from '../support.ts'
import { clickOn, clickText, reload, typeCode } from './steps.ts'

const isReady = `document.querySelector('.cm-content[aria-label="Operation"]') !== null`
const fault = { path: '$', error: 'it <b>broke</b>', code: 'unexpected' }

export const api: readonly State[] = [
  {
    title: 'empty, dark, with 320 px',
    path: 'api',
    width: 320,
    theme: 'dark',
    shows: `${isReady} && ${hasText('No answer yet')}`,
  },
  {
    title: 'an operation with variables, its tree, its plan and its code',
    path: 'api',
    shows: isReady,
    async act(page, { check }) {
      await typeCode(page, 'Operation', 'query one($id: Int!) { album_by_pk(album_id: $id) { title artist { name } } }')
      await typeCode(page, 'Variables', '{"id": ')
      await clickText(page, 'Send operation')
      await page.until(hasText('Variables: '))
      await typeCode(page, 'Variables', '{"id": 2}')
      await clickText(page, 'Send operation')
      await page.until(`${hasText('answered')} && ${hasText('"Balls to the Wall"')}`)
      await check(page)
      await screenshot(page, 'api')
      await clickText(page, 'Explain and measure')
      await page.until(`${hasText('largest part')} && ${hasText('album_by_pk')}`)
      await check(page)
      await clickText(page, 'Code')
      await page.until(`${hasText('$TRELLIS_ADMIN_SECRET')} && ${hasText('operationName')}`)
      await check(page)
      await clickText(page, 'Apollo')
      await page.until(hasText('useQuery(one, {'))
      await clickText(page, 'CLI')
      await page.until(hasText('trellis run -e'))
      await clickText(page, 'types')
      await page.until(`${hasText('readonly id: number // Int!')} && ${hasText('readonly artist: {')}`)
      await check(page)
      await clickText(page, 'Close')
      await clickText(page, 'History')
      await check(page)
      await clickOn(page, `document.querySelector('[role=dialog] li button')`)
      await page.until(`${isReady} && ${hasText('"id": 2')} && document.querySelector('[role=dialog]') === null`)
      await page.click('[aria-label="Close one"]')
      await reload(page, `${isReady} && ${hasText('album_by_pk')}`)
    },
  },
  {
    title: 'the same operation as two roles, with their differences; rows as a table; and into a collection',
    path: 'api?twin=open&beside=fan',
    shows: `${isReady} && ${hasText('Nothing sent yet')}`,
    async act(page, { op, check }) {
      const permission = { columns: ['name'], filter: { genre_id: { _lte: 'X-Service-Most' } } }
      await op('create_select_permission', { table: 'genre', role: 'fan', permission })
      await typeCode(page, 'Variables', '{}')
      await typeCode(page, 'Operation', 'query genres { genre(limit: 3) { name } }')
      await page.type('input[placeholder="x-service-user-id=2"]', 'x-service-most=2')
      await clickText(page, 'Send as both')
      await page.until(hasText('the answers differ: 1 place in that of admin, 0 in that of fan (most: 2)'))
      await check(page)
      await screenshot(page, 'api-two-roles')
      await page.resize(320, 800)
      await check(page)
      await page.resize(1280, 800)
      await clickText(page, 'As one role')
      await clickText(page, 'Send operation')
      await clickText(page, 'Table')
      await page.until(`document.querySelectorAll('[aria-label=genre] [role=row]').length === 4`)
      await check(page)
      await clickText(page, 'Add to a collection')
      await page.type('[role=dialog] input[list]', 'app')
      await clickText(page, 'Add query')
      await page.until(hasText('Added genres to app'))
      await page.click('[aria-label="Close genres"]')
      await op('drop_query_collection', { collection: 'app', cascade: true })
      await op('drop_select_permission', { table: 'genre', role: 'fan' })
    },
  },
  {
    title: 'each tab keeps its identity, which no other page takes from a tab that is only opened',
    path: 'api',
    shows: isReady,
    async act(page) {
      const isAs = (identity: string) =>
        `document.querySelector('button[aria-label=${JSON.stringify(`As ${identity}`)}]') !== null`
      const setRole = async (role: string) => {
        await page.click('button[aria-label^="As "]')
        await page.type('input[list]', role)
        await clickText(page, 'Apply')
        await page.until(isAs(role))
      }
      await page.click('[aria-label="New draft"]')
      await typeCode(page, 'Operation', 'query tagged { __typename }')
      await setRole('visitor')
      await page.click('[aria-label="New draft"]')
      await typeCode(page, 'Operation', 'query untagged { __typename }')
      await page.until(isAs('visitor'))
      await setRole('admin')
      await clickText(page, 'tagged')
      await page.until(isAs('visitor'))
      await reload(page, `${isReady} && ${hasText('untagged')}`)
      await clickText(page, 'tagged')
      await page.until(isAs('visitor'))
      await page.press('k', ['ctrl'])
      await page.type('input[role=combobox]', 'genre')
      await page.until(`document.querySelector('[role=option]')?.innerText.startsWith('genre')`)
      await page.press('Enter')
      await page.until(`${hasText('25 rows')} && ${isAs('admin')}`)
      await page.evaluate('history.back()')
      await page.until(`${isReady} && ${isAs('visitor')}`)
      await page.click('[aria-label="Close tagged"]')
      await page.click('[aria-label="Close untagged"]')
    },
  },
  {
    title: 'the explorer reads a type when it is opened, and inserts an operation that runs',
    path: 'api?explorer=open',
    shows: `${isReady} && ${hasText('album_by_pk')}`,
    async act(page, { check }) {
      await check(page)
      await page.click('[aria-label="Insert album"]')
      await page.until(hasText('query album {'))
      await clickText(page, 'Send operation')
      await page.until(`${hasText('answered')} && ${hasText('title')}`)
    },
  },
  {
    title: 'errors of GraphQL are shown as text',
    path: 'api',
    theme: 'dark',
    faults: [{ on: 'v1/graphql', status: 200, body: { errors: [{ message: 'no <b>field</b>' }] } }],
    shows: isReady,
    async act(page) {
      await typeCode(page, 'Operation', '{ nothing }')
      await clickText(page, 'Send operation')
      await page.until(`${hasText('errors')} && ${hasText('no <b>field</b>')}`)
      await clickText(page, 'Raw')
      await page.until(`document.querySelector('.cm-content[aria-label="Answer"]') !== null`)
    },
  },
  ...[0, 401, 403].map(
    (status): State => ({
      title: status === 0 ? 'loading' : `${status}`,
      isKnown: status > 0,
      path: 'api',
      faults: [{ on: 'v1/graphql', status, body: fault, isOnce: status === 401 }],
      shows: isReady,
      async act(page) {
        await typeCode(page, 'Operation', '{ artist { name } }')
        await clickText(page, 'Send operation')
        const shown = {
          0: hasText('waiting for the answer'),
          401: `document.querySelector('input[type=password]') !== null`,
          403: hasText('it <b>broke</b>'),
        }
        await page.until(shown[status as keyof typeof shown])
        assert.equal(await page.evaluate(`document.querySelector('[role=alert] b')`), null)
      },
    }),
  ),
  {
    title: 'a subscription shows the differences of each message, and is stopped',
    path: 'api',
    shows: isReady,
    async act(page, { op, check }) {
      await typeCode(page, 'Variables', '{}')
      await typeCode(page, 'Operation', 'subscription one { genre(where: {genre_id: {_eq: 25}}) { name } }')
      await clickText(page, 'Send operation')
      await page.until(`${hasText('following')} && ${hasText('Message 1')} && ${hasText('"Opera"')}`)
      await op('update', { table: 'genre', where: { genre_id: 25 }, $set: { name: 'Song' } })
      await page.until(`${hasText('data.genre[0].name')} && ${hasText('"Song"')}`)
      await check(page)
      await op('update', { table: 'genre', where: { genre_id: 25 }, $set: { name: 'Opera' } })
      await clickText(page, 'Stop')
      await page.until(hasText('ended'))
    },
  },
  {
    title: 'operations: each has a form, an edit is tried without keeping it, and 320 px',
    path: 'api/operations?filter=untrack_table',
    width: 320,
    theme: 'dark',
    shows: `${hasText('operations of the metadata API')} && document.querySelectorAll('[role=row]').length > 1`,
    async act(page, { check, op }) {
      await check(page)
      await page.click('[aria-label=Operations] [role=row][data-index="1"]')
      await page.until(hasText('Run untrack_table'))
      await page.type('section[aria-label=Arguments] input[list]', 'keyless')
      await clickText(page, 'Simulate')
      await page.until(`${hasText('Its effects')} && ${hasText('patch')}`)
      await check(page)
      await page.evaluate(`document.querySelector('section[aria-label=Arguments] input').focus()`)
      await typeCode(page, 'Arguments', '{"table": ')
      await page.until(hasText('once the JSON is an object again'))
      const tables = await op<{ name: string; is_tracked: boolean }[]>('pg_get_source_tables', { details: true })
      assert.equal(tables.find(({ name }) => name === 'keyless')?.is_tracked, true)
      await page.click('button[title="Refuse all edits of this page"]')
      await page.until(hasText('Nothing can be edited now'))
    },
  },
  {
    title: 'REST endpoints: one is created, tried as a role, and removed, dark and with 320 px',
    path: 'api/rest',
    shows: hasText('There is no REST endpoint yet'),
    async act(page, { op, check }) {
      await page.until(hasText('Write a query'))
      const query = 'query one($id: Int!) { genre_by_pk(genre_id: $id) { name } }'
      await op('create_query_collection', { name: 'rest', definition: { queries: [{ name: 'one', query }] } })
      await clickText(page, 'Create REST endpoint')
      await check(page)
      await page.type('input[placeholder=album]', 'genre <b>')
      await page.type('input[placeholder="albums/:id"]', 'genres/:id')
      await clickText(page, 'Create endpoint')
      await page.until(`${hasText('Created genre <b>')} && ${hasText('genres/:id')}`)
      await check(page)
      await page.click('[aria-label=Endpoints] [role=row][data-index="0"]')
      await typeCode(page, 'Variables', '{"id": 1}')
      await clickText(page, 'Send request')
      await page.until(hasText('"Rock"'))
      await check(page)
      await page.resize(320, 800)
      await check(page)
      await typeCode(page, 'Variables', '{"id": "no/number"}')
      await clickText(page, 'Send request')
      await page.until(`document.querySelector('[role=dialog] [role=alert]') !== null`)
      await clickText(page, 'Remove endpoint')
      await page.until(hasText('There is no REST endpoint yet'))
      await op('drop_query_collection', { collection: 'rest', cascade: true })
    },
    complains: /status of 400/,
  },
  ...[0, 400].map(
    (status): State => ({
      title: `REST endpoints, ${status === 0 ? 'loading' : 'error with a retry'}`,
      ...{ path: 'api/rest', isKnown: true, faults: [{ on: 'export_metadata', status, body: fault, isOnce: true }] },
      shows: status === 0 ? `document.querySelector('[data-loading]') !== null` : hasText('it <b>broke</b>'),
      async act(page) {
        if (status === 0) return
        await clickText(page, 'Retry')
        await page.until(hasText('There is no REST endpoint yet'))
      },
    }),
  ),
  {
    title: 'read-only mode refuses mutations before they are sent',
    path: 'api',
    shows: isReady,
    async act(page) {
      await page.click('button[title="Refuse all edits of this page"]')
      await typeCode(page, 'Operation', 'mutation { delete_genre(where: {}) { affected_rows } }')
      await clickText(page, 'Send operation')
      await page.until(hasText('read-only mode'))
      assert.equal(page.requests.filter((url) => url.endsWith('/v1/graphql')).length, 0)
    },
  },
]
