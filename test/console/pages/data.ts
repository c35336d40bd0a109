import assert from 'node:assert/strict'
import { hasText, type State, screenshot } from '../support.ts'
import { clickOn, clickText, goTo } from './steps.ts'

const list = 'pg_get_source_tables'

export const data: readonly State[] = [
  {
    title: 'full',
    path: 'data',
    shows: hasText('15 tables, 14 tracked'),
    async act(page, { op }) {
      await op('run_sql', { sql: 'analyze' })
      await page.reload()
      await page.until(`${hasText('15 tables, 14 tracked')} && ${hasText('347')}`)
      await screenshot(page, 'tables')
    },
  },
  { title: 'dark and 320 px', path: 'data', theme: 'dark', width: 320, shows: hasText('playlist_track') },
  { title: 'empty', path: 'data', faults: [{ on: list, status: 200, body: [] }], shows: hasText('has no tables') },
  {
    title: 'loading',
    path: 'data',
    faults: [{ on: list, status: 0 }],
    shows: `document.querySelector('[data-loading]') !== null && ${hasText('Cancel')}`,
  },
  {
    title: 'error, with a retry',
    path: 'data',
    faults: [
      {
        ...{ on: list, status: 400, isOnce: true },
        body: { path: '$.args', error: 'it <b>broke</b>', code: 'unexpected', internal: { a: 1 } },
      },
    ],
    shows: hasText('it <b>broke</b>'),
    async act(page) {
      assert.equal(await page.evaluate(`document.querySelector('[role=alert] b')`), null)
      await clickText(page, 'Retry')
      await page.until(hasText('15 tables'))
    },
  },
  {
    title: 'an answer that is no JSON',
    path: 'data',
    faults: [{ on: list, status: 502, body: '<html>bad gateway</html>' }],
    shows: hasText('status 502'),
  },
  {
    title: 'untracking and tracking again, with an edit of somebody else between',
    path: 'data?filter=album',
    shows: hasText('15 tables, 14 tracked'),
    complains: /status of 4(?:00|09)/,
    async act(page, { op }) {
      const tracked = async () => {
        const { metadata } = await op<{ metadata: { tables: object[] } }>('export_metadata', {}, 2)
        return metadata.tables.length
      }
      await page.click('[aria-label="Tables"] [role=row][data-index="0"] input')
      // Somebody else edits, which the page does not know.
      await op('set_table_is_enum', { table: 'genre', is_enum: false })
      await clickText(page, 'Untrack 1 table')
      await page.until(hasText('relationship track.album'))
      await clickText(page, 'Untrack with dependents')
      await page.until(hasText('Untracked 1 table'))
      await page.until(hasText('15 tables, 13 tracked'))
      assert.equal(await tracked(), 13)
      await clickText(page, 'Undo')
      await page.until(hasText('15 tables, 14 tracked'))
      assert.equal(await tracked(), 14)
    },
  },
  {
    title: 'the diagram of a role, around a table, and as a list',
    path: 'data/diagram',
    theme: 'dark',
    shows: `document.querySelectorAll('.react-flow__node').length === 14`,
    async act(page, { op, check }) {
      await check(page)
      await screenshot(page, 'diagram')
      const give = (table: string, filter: object) =>
        op('create_select_permission', { table, role: 'viewer', permission: { columns: '*', filter } })
      await give('album', {})
      await give('artist', { name: { _eq: 'AC/DC' } })
      await page.evaluate(`history.replaceState(null, '', '?role=viewer&around=album')`)
      await page.reload()
      await page.until(`${hasText('2 tables, 1 link, as viewer')} && ${hasText("name = 'AC/DC'")}`)
      await clickText(page, 'Show list')
      await page.until(hasText('artist.albums'))
      for (const table of ['album', 'artist']) await op('drop_select_permission', { table, role: 'viewer' })
    },
  },
  {
    title: 'functions: none, then one that is tracked, and allowed to a role; dark and 320 px',
    path: 'data/functions',
    theme: 'dark',
    width: 320,
    shows: hasText('No function can be tracked'),
    async act(page, { op, check }) {
      await op('run_sql', {
        sql: `create function long_tracks(shortest int) returns setof track language sql stable
          as 'select * from track where milliseconds > shortest'`,
      })
      await op('create_select_permission', { table: 'track', role: 'clerk', permission: { columns: '*', filter: {} } })
      await page.reload()
      await page.until(`${hasText('long_tracks')} && ${hasText('not tracked')}`)
      await check(page)
      await page.click('[role=row] a')
      await page.until(hasText('select * from track where milliseconds > shortest'))
      await clickText(page, 'Track function')
      await page.until(hasText('Tracked long_tracks'))
      await page.type('form input', 'clerk')
      await clickText(page, 'Allow role')
      await page.until(hasText('Remove clerk'))
      await check(page)
      await clickText(page, 'Untrack function')
      await page.until(hasText('function, not tracked'))
      await op('drop_select_permission', { table: 'track', role: 'clerk' })
      await op('run_sql', { sql: 'drop function long_tracks' })
    },
  },
  {
    title: 'events of a table: none, then a trigger, with ways to it and its log; dark and 320 px',
    path: 'data/public/artist/events',
    theme: 'dark',
    width: 320,
    shows: hasText('The table has no event triggers'),
    async act(page, { op, check }) {
      await check(page)
      await clickText(page, 'Create event trigger')
      await page.until(`document.querySelector('[role=dialog] input[list]')?.value === 'artist'`)
      await page.press('Escape')
      const webhook = 'http://127.0.0.1:9/artists'
      await op('create_event_trigger', { name: 'tell_artists', table: 'artist', webhook, insert: { columns: '*' } })
      await page.reload()
      await page.until(`${hasText('tell_artists')} && ${hasText(webhook)}`)
      await check(page)
      const links = await page.evaluate(
        `[...document.querySelectorAll('main td a')].map((each) => each.getAttribute('href'))`,
      )
      const expected = ['/console/events/triggers?trigger=tell_artists', '/console/events/log?name=tell_artists']
      assert.deepEqual(links, expected)
      await clickOn(page, `document.querySelector('main td a[aria-label]')`)
      await page.until(`location.pathname === '/console/events/log' && ${hasText('tell_artists')}`)
      // A log that is looked at is read again, and the server refuses that of a trigger that is gone.
      await goTo(page, 'data/public/artist/structure', hasText('Add column'))
      await op('delete_event_trigger', { name: 'tell_artists' })
    },
  },
  {
    title: 'the API of a table: its root fields, examples that open, and REST endpoints; keys walk the tabs',
    path: 'data/public/artist/events',
    shows: hasText('The table has no event triggers'),
    async act(page, { op, check }) {
      const query = 'query ($id: Int!) { artist_by_pk(artist_id: $id) { name } }'
      const other = '{ album { artist { name } } }'
      const queries = [
        { name: 'artist', query },
        { name: 'albums', query: other },
      ]
      await op('create_query_collection', { name: 'stored', definition: { queries } })
      for (const { name } of queries) {
        const definition = { query: { collection_name: 'stored', query_name: name } }
        await op('create_rest_endpoint', { name, url: `${name}/all`, methods: ['GET'], definition })
      }
      await page.reload()
      await page.until(hasText('The table has no event triggers'))
      await page.press(']')
      await page.until(`location.pathname === '/console/data/public/artist/api' && ${hasText('artist_by_pk')}`)
      await page.until(`${hasText('/api/rest/artist/all')} && ${hasText('Open subscription in API')}`)
      assert.equal(await page.evaluate(hasText('/api/rest/albums/all')), false)
      await check(page)
      await clickText(page, 'Open mutation in API')
      await page.until(`location.pathname === '/console/api' && ${hasText('mutation insert_artist')}`)
      await page.evaluate('history.back()')
      await page.until(hasText('Open query in API'))
      await clickOn(page, `document.querySelector('[aria-label="Open artist_aggregate as a query"]')`)
      await page.until(`location.pathname === '/console/api' && ${hasText('query artist_aggregate')}`)
      for (const { name } of queries) await op('drop_rest_endpoint', { name })
      await op('drop_query_collection', { collection: 'stored', cascade: true })
    },
  },
  {
    title: 'the API of a table for a role without rights; dark and 320 px',
    path: 'data/public/artist/api',
    theme: 'dark',
    width: 320,
    shows: hasText('Root fields'),
    async act(page, { op, check }) {
      await page.until(hasText('Open query in API'))
      await check(page)
      const permission = { columns: '*', filter: {} }
      await op('create_select_permission', { table: 'album', role: 'listener', permission })
      await page.click('button[aria-label="As admin"]')
      await page.type('input[list]', 'listener')
      await clickText(page, 'Apply')
      await page.until(hasText('No root field answers rows of this table'))
      await op('drop_select_permission', { table: 'album', role: 'listener' })
    },
  },
]
