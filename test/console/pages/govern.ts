import assert from 'node:assert/strict'
import { hasText, type State, screenshot } from '../support.ts'
import { choose, clickOn, clickText, goTo, reload, typeCode } from './steps.ts'

const refused = (status: number) => new RegExp(`status of ${status}`)
const fault = { path: '$', error: 'it <b>broke</b>', code: 'unexpected' }
const isLoading = `document.querySelector('[data-loading]') !== null`
const chorus = { table: 'artist', role: 'chorus', permission: { columns: ['name'], filter: {} } }

/** The states of a section that reads with one request. */
const statesOf = (section: string, on: string, full: string): readonly State[] => [
  {
    title: `${section}, loading`,
    path: `govern/${section}`,
    faults: [{ on, status: 0 }],
    isKnown: true,
    shows: isLoading,
  },
  {
    title: `${section}, error with a retry`,
    isKnown: true,
    path: `govern/${section}`,
    faults: [{ on, status: 400, body: fault, isOnce: true }],
    shows: hasText('it <b>broke</b>'),
    async act(page) {
      await clickText(page, 'Retry')
      await page.until(hasText(full))
    },
  },
]

/** The server's words. */
const lost = 'the changes of version 8 were too large to be kept'

/** A version of the history, as the server answers it. */
const version = (number: number) => ({
  ...{ version: number, at: '2026-01-02T03:04:05Z', by: { role: 'admin' }, request_id: null },
  operations: ['add_remote_schema'],
  patch: [{ part: 'remote_schemas', name: 'people', after: { name: 'people' } }],
})

export const govern: readonly State[] = [
  ...statesOf('metadata', 'export_metadata', 'playlist_track'),
  {
    title: 'metadata, an object of it',
    path: 'govern?filter=album',
    shows: hasText('album'),
    async act(page) {
      await page.click('[aria-label="Objects"] [role=row][data-index="0"]')
      await page.until(`document.querySelector('.cm-content[aria-label=album]') !== null`)
    },
  },
  {
    title: 'metadata, dark and 320 px, as a folder of YAML, and a document in YAML',
    path: 'govern/metadata',
    theme: 'dark',
    width: 320,
    shows: hasText('Import a document'),
    async act(page, { check }) {
      await page.evaluate(
        `{ const { createObjectURL } = URL; URL.createObjectURL = (blob) => ((window.saved = blob), createObjectURL(blob)) }`,
      )
      await clickText(page, 'Export as YAML')
      await page.until('window.saved !== undefined')
      const archive = await page.evaluate<string>('window.saved.text()')
      assert.match(archive, /^metadata\/version\.yaml\0/)
      assert.match(
        archive,
        /- "?!include default\/tables\/tables\.yaml|tables: "?!include default\/tables\/tables\.yaml/,
      )
      await clickText(page, 'Import a document')
      await check(page)
      await typeCode(
        page,
        'Document',
        'version: 3\nsources:\n- {name: default, kind: postgres, tables: [{table: {schema: public, name: genre}}]}',
      )
      await clickText(page, 'Compare')
      await page.until(`${hasText('table album')} && ${hasText('removed')}`)
    },
  },
  {
    title: 'metadata, empty',
    path: 'govern/metadata',
    faults: [
      { on: 'export_metadata', status: 200, body: { resource_version: 1, metadata: { version: 2, tables: [] } } },
    ],
    shows: hasText('The metadata is empty'),
  },
  {
    title: 'an import is compared, tried and applied, and history takes it back',
    path: 'govern/metadata',
    shows: hasText('Import a document'),
    async act(page, { op, check }) {
      type Table = { table: { name: string }; select_permissions?: object[] }
      const exported = () => op<{ metadata: { tables: Table[] } }>('export_metadata', {}, 2)
      const roles = async () => {
        const { metadata } = await exported()
        return metadata.tables.find(({ table }) => table.name === 'artist')?.select_permissions ?? []
      }
      const { metadata } = await exported()
      const artist = metadata.tables.find(({ table }) => table.name === 'artist')!
      artist.select_permissions = [{ role: chorus.role, permission: chorus.permission }]
      await clickText(page, 'Import a document')
      await typeCode(page, 'Document', JSON.stringify({ ...metadata, tables: metadata.tables.slice(1) }))
      await clickText(page, 'Compare')
      await page.until(`${hasText('table artist: select permission chorus')} && ${hasText('table album')}`)
      await check(page)
      // The table that the document lacks stays.
      await clickOn(page, `document.querySelector('[role=dialog] input[type=checkbox]')`)
      await clickText(page, 'Try without saving')
      await page.until(hasText('The server would accept it'))
      await screenshot(page, 'import')
      await clickText(page, 'Apply 1 change')
      await page.until(hasText('Imported 1 change'))
      assert.deepEqual(await roles(), artist.select_permissions)
      await clickText(page, 'History')
      await page.until(`${hasText('select permission chorus added')} && ${hasText('admin secret')}`)
      await screenshot(page, 'history')
      await check(page)
      await clickText(page, 'Revert this change')
      await clickText(page, 'Revert 1 version')
      await page.until(hasText('Reverted 1 version'))
      assert.deepEqual(await roles(), [])
    },
  },
  {
    title: 'history, a revert that later edits overlap is refused and says so',
    path: 'govern/history',
    faults: [
      {
        ...{ on: 'revert_metadata', status: 409, isOnce: true },
        body: { path: '$.args', error: 'later edits changed the same parts', code: 'conflict' },
      },
    ],
    shows: hasText('Revert this change'),
    async act(page) {
      await clickText(page, 'Go back to before this')
      await clickOn(page, `document.querySelector('[role=dialog] button')`)
      await clickText(page, 'Revert this change')
      await clickText(page, 'Revert 1 version')
      await page.until(hasText('later edits changed the same parts'))
    },
  },
  {
    title: 'history, a version whose changes were too large to be kept says so, and cannot be reverted',
    path: 'govern/history',
    faults: [
      {
        ...{ on: 'get_metadata_history', status: 200 },
        body: { versions: [{ ...version(8), patch: null }, version(7)], next: null },
      },
      { on: 'simulate', status: 400, body: { ...fault, error: lost, code: 'not-supported' } },
    ],
    shows: hasText(lost),
    async act(page) {
      const reverts = `[...document.querySelectorAll('button[aria-label^=Revert]')].map((each) => each.ariaLabel)`
      assert.deepEqual(await page.evaluate(reverts), ['Revert this change: remote schema people added'])
      await goTo(
        page,
        'roles/compare?of=versions&from=8&to=8',
        `${hasText('1 version had changes')} && ${hasText(lost)}`,
      )
      assert.equal(await page.evaluate(hasText('0 rules')), false)
    },
  },
  {
    title: 'history, empty',
    path: 'govern/history',
    faults: [{ on: 'get_metadata_history', status: 200, body: { versions: [], next: null } }],
    shows: hasText('Nothing has changed yet'),
  },
  {
    title: 'history, without rights, and 320 px',
    path: 'govern/history',
    width: 320,
    faults: [{ on: 'get_metadata_history', status: 403, body: { ...fault, code: 'access-denied' } }],
    shows: hasText('access-denied'),
  },
  {
    title: 'history, signed out',
    isKnown: true,
    path: 'govern/history',
    isSignedOut: true,
    shows: `document.querySelector('input[type=password]') !== null`,
    complains: refused(401),
  },
  {
    title: 'inconsistent objects with their reasons: a table is named back, and another one removed',
    path: 'govern/inconsistent',
    shows: hasText('Everything is consistent'),
    async act(page, { op, check }) {
      await op('bulk', [
        { type: 'run_sql', args: { sql: 'create table lost (id int primary key)' } },
        { type: 'track_table', args: 'lost' },
        {
          type: 'run_sql',
          args: { sql: 'drop table lost; create table lots (id int)', check_metadata_consistency: false },
        },
        { type: 'reload_metadata', args: {} },
      ])
      const isShown = `${hasText('table lost')} && ${hasText('The database has lots')} && ${hasText('last changed in version')}`
      await reload(page, isShown)
      await check(page)
      await clickText(page, 'Rename lots to lost')
      await page.until(`${hasText('Renamed lots')} && ${hasText('Everything is consistent')}`)
      await op('bulk', [
        { type: 'run_sql', args: { sql: 'drop table lost', check_metadata_consistency: false } },
        { type: 'reload_metadata', args: {} },
      ])
      await reload(page, hasText('table lost'))
      await clickText(page, 'Remove this object')
      await page.until(hasText('Metadata'))
      await check(page)
      await clickText(page, 'Remove 1 object')
      await page.until(hasText('Everything is consistent'))
    },
  },
  {
    title: 'collections: a query is added, the allow-list is tried on recent operations, and roles are allowed',
    path: 'govern/collections',
    shows: hasText('There is no collection yet'),
    async act(page, { op, check, asRole }) {
      const permission = { columns: ['name'], filter: {} }
      await op('create_select_permission', { table: 'genre', role: 'fan', permission })
      for (const query of ['query genres { genre { name } }', '{ genre(limit: 1) { name } }'])
        await asRole('fan', query)
      await reload(page, hasText('There is no collection yet'))
      await clickText(page, 'Try on recent operations')
      await page.until(
        `${hasText('that roles sent lately, of which')} && ${hasText('query genres { genre { name } }')}`,
      )
      assert.equal(await page.evaluate(hasText('allowed by')), false)
      await check(page)
      await screenshot(page, 'allow-list')
      await clickOn(
        page,
        `[...document.querySelectorAll('li')].find((each) => each.innerText.includes('query genres'))?.querySelector('button')`,
      )
      await page.type('[role=dialog] input[list]', 'app')
      await page.until(hasText('It is new, and will be created'))
      await check(page)
      await clickText(page, 'Add query')
      await page.until(hasText('Added genres to app'))
      await clickText(page, 'Show collections')
      await clickText(page, 'Allow')
      await choose(page, 'Roles that may send its queries while the allow-list is enforced', 'some roles')
      await clickOn(page, `document.querySelector('[role=dialog] input[type=checkbox]')`)
      await check(page)
      await clickText(page, 'Save')
      await page.until(hasText('allowed for fan, 1 query'))
      for (const query of ['query genres { genre { __typename, name } }', '{ genre(limit: 1) { name } }']) {
        await asRole('fan', query)
      }
      await reload(page, hasText('allowed for fan, 1 query'))
      await clickText(page, 'Try on recent operations')
      // The metadata has changed since the first one was sent.
      await page.until(
        `${hasText('allowed by app')} && ${hasText('would be refused')} && ${hasText('genre(limit: 1)')}`,
      )
      await clickText(page, 'Show collections')
      await page.resize(320, 800)
      await check(page)
      await clickText(page, 'Remove')
      await page.until(hasText('query collection app'))
      await clickText(page, 'Remove collection')
      await page.until(hasText('There is no collection yet'))
      await op('drop_select_permission', { table: 'genre', role: 'fan' })
    },
  },
  {
    title: 'limits are saved and taken back',
    path: 'govern/limits',
    theme: 'dark',
    shows: hasText('Save limits'),
    async act(page, { op, check }) {
      const limits = async () =>
        (await op<{ metadata: Record<string, unknown> }>('export_metadata', {}, 2)).metadata['api_limits']
      await page.type('input[type=number]', '7')
      await clickText(page, 'Save limits')
      await page.until(`${hasText('Saved the limits')} && document.querySelector('input[type=number]').value === '7'`)
      await check(page)
      assert.deepEqual(await limits(), { depth_limit: { global: 7 } })
      await clickText(page, 'Undo')
      await page.until(`document.querySelector('input[type=number]').value === ''`)
      assert.equal(await limits(), undefined)
    },
  },
  {
    title: 'server, with 320 px',
    path: 'govern/server',
    width: 320,
    shows: `${hasText('OK')} && ${hasText('postgres')}`,
  },
  {
    title: 'server: a closed API names its option, an open one saves the database, dark',
    path: 'govern/server',
    theme: 'dark',
    shows: hasText('--enabled-apis metadata,graphql,config,developer,pgdump'),
  },
  {
    title: 'plugins, with the options, operations and parts of one',
    path: 'govern/plugins',
    theme: 'dark',
    shows: hasText('event-triggers'),
    async act(page) {
      await page.click('[aria-label="Plugins"] [role=row][data-index="3"]')
      await page.until(
        `${hasText('pg_track_tables')} && document.querySelector('[role=dialog] [data-loading]') === null`,
      )
    },
  },
  {
    title: 'read-only mode has no import',
    path: 'govern/metadata',
    shows: hasText('Import a document'),
    async act(page) {
      await page.click('button[title="Refuse all edits of this page"]')
      await page.until(`!${hasText('Import a document')} && ${hasText('Export as JSON')}`)
    },
  },
]
