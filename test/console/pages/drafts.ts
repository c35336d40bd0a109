// Typed texts of forms: they stay after a reload, an expired session and an edit of somebody else, until they are saved or
// given up. The forms share the mechanism; each state has one of them.

import assert from 'node:assert/strict'
import type { Page } from '../../support/browser.ts'
import { type Console, hasText, type State, secret } from '../support.ts'
import { cell, choose, clickText, goTo, reload, typeCode } from './steps.ts'

const earlier = 'This was typed earlier, and is not saved'
const isClosed = `document.querySelector('[role=dialog] label') === null`
const hook = 'http://127.0.0.1:9/hook'

const fieldValue = (label: string): string =>
  `[...document.querySelectorAll('[role=dialog] label')].find((each) => each.textContent.startsWith(${JSON.stringify(label)}))?.control?.value`

/** Replaces the text of a field of a dialog. */
async function fill(page: Page, label: string, text: string): Promise<void> {
  await page.until(`${fieldValue(label)} !== undefined`)
  await page.evaluate(`${fieldValue(label).replace('?.control?.value', '.control')}.dataset.filled = 'now'`)
  await page.type('[role=dialog] [data-filled=now]', text)
  await page.evaluate(`delete document.querySelector('[data-filled=now]').dataset.filled`)
}

/** A step with the texts that the browser keeps in its database. */
const withKept = (step: string) => `(async () => {
  const answered = (request) => new Promise((done) => { request.onsuccess = () => done(request.result) })
  const database = await answered(indexedDB.open('trellis/console', 1))
  const result = await answered(database.transaction('texts', 'readwrite').objectStore('texts').${step})
  database.close()
  return JSON.stringify(result)
})()`

const keptTexts = withKept('getAll()')

interface Exported {
  readonly metadata: {
    readonly tables: readonly { readonly table: { readonly name: string }; readonly [key: string]: unknown }[]
    readonly actions?: readonly { readonly definition: { readonly handler: string } }[]
    readonly cron_triggers?: readonly { readonly comment: string }[]
    readonly query_collections?: readonly object[]
    readonly remote_schemas?: readonly {
      readonly permissions?: readonly { readonly definition: { readonly schema: string } }[]
    }[]
    readonly rest_endpoints?: readonly { readonly url: string }[]
  }
}

const cron = (comment: string) => ({
  ...{ name: 'nightly', webhook: hook, schedule: '0 2 * * *', comment, include_in_metadata: true, payload: {} },
})

const dropCron = (op: Console['op']) => op('delete_cron_trigger', { name: 'nightly' })

const exported = async (op: Console['op']) => (await op<Exported>('export_metadata', {}, 2)).metadata

/** Closes a form without its text. */
async function giveUp(page: Page): Promise<void> {
  await clickText(page, 'Cancel')
  await page.until(isClosed)
}

/** Saves over an object that somebody else created meanwhile. */
async function overwrite(page: Page, words: string): Promise<void> {
  await page.until(hasText('Somebody else edited this meanwhile'))
  await clickText(page, 'Save mine on top')
  await page.until(`${hasText(words)} && ${isClosed}`)
}

export const drafts: readonly State[] = [
  {
    title: 'an event trigger stays after a reload without the values of its headers, and is started over',
    path: 'events?edit=create',
    width: 320,
    shows: hasText('Create an event trigger'),
    async act(page, { check }) {
      await fill(page, 'Name', 'kept_one')
      await fill(page, 'Table', 'genre')
      await clickText(page, 'JSON')
      const definition = { insert: { columns: '*' }, webhook: hook, headers: [{ name: 'x-key', value: 'hush-hush' }] }
      await page.until(`document.querySelector('[role=dialog] .cm-content[aria-label=Definition]') !== null`)
      await typeCode(page, 'Definition', JSON.stringify(definition))
      await page.until(hasText('hush-hush'))
      await reload(page, `${hasText(earlier)} && ${hasText('Values of headers and passwords are not kept')}`)
      assert.equal(await page.evaluate(fieldValue('Name')), 'kept_one')
      // A key that is pressed at once does not give the draft up.
      await page.until(`document.activeElement?.value === 'kept_one'`)
      await clickText(page, 'JSON')
      await page.until(`${hasText(hook)} && ${hasText('x-key')}`)
      assert.equal(await page.evaluate(hasText('hush-hush')), false)
      assert.equal((await page.evaluate<string>(keptTexts)).includes('hush-hush'), false)
      await check(page)
      await clickText(page, 'Start over')
      await page.until(`!${hasText(earlier)} && ${fieldValue('Name')} === ''`)
      await fill(page, 'Name', 'given_up')
      await giveUp(page)
      const old = JSON.stringify(['', { name: 'abandoned' }, false, Date.now() - 31 * 86_400_000])
      await page.evaluate(withKept(`put(${JSON.stringify(old)}, 'form:event trigger  ')`))
      await goTo(page, 'events?edit=create', `${fieldValue('Name')} === ''`)
      assert.equal(await page.evaluate(hasText('typed earlier')), false)
      assert.equal((await page.evaluate<string>(keptTexts)).includes('abandoned'), false)
    },
  },
  {
    title: 'a draft says that the saved cron trigger changed since',
    path: 'events/cron',
    isKnown: true,
    shows: hasText('There are no cron triggers'),
    async act(page, { op }) {
      const open = async () => {
        await clickText(page, 'Change trigger')
        await page.until(`${fieldValue('Comment')} !== undefined`)
      }
      await op('create_cron_trigger', cron('first'))
      await goTo(page, 'events/cron?trigger=nightly', hasText('Change trigger'))
      await open()
      await fill(page, 'Comment', 'mine')
      await reload(page, hasText('Change trigger'))
      await open()
      await page.until(`${hasText(earlier)} && ${fieldValue('Comment')} === 'mine'`)
      await op('create_cron_trigger', { ...cron('theirs'), replace: true })
      await reload(page, hasText('theirs'))
      await open()
      await page.until(`${hasText('The saved one changed since')} && ${fieldValue('Comment')} === 'mine'`)
      await clickText(page, 'Start over')
      await page.until(`${fieldValue('Comment')} === 'theirs'`)
      await dropCron(op)
    },
  },
  {
    title: 'an action and the types that are not saved stay after a reload',
    path: 'actions?edit=add',
    isKnown: true,
    shows: hasText('Create an action'),
    async act(page) {
      await page.until(`document.querySelector('.cm-content[aria-label=Signature]') !== null`)
      await typeCode(page, 'Signature', 'type Query { kept_action: Int }')
      await page.until(hasText('kept_action'))
      await reload(page, `${hasText(earlier)} && ${hasText('kept_action')}`)
      await giveUp(page)
      await goTo(page, 'actions?section=types', `document.querySelector('.cm-content[aria-label=Types]') !== null`)
      await typeCode(page, 'Types', 'enum Kept { ONE }')
      await page.until(hasText('enum Kept'))
      await reload(page, `${hasText(earlier)} && ${hasText('enum Kept')}`)
      await clickText(page, 'Discard changes')
      await page.until(`!${hasText(earlier)} && !${hasText('enum Kept')}`)
    },
  },
  {
    title: 'a cell that is not staged stays after a reload',
    path: 'data/public/genre',
    isKnown: true,
    shows: hasText('Rock'),
    async act(page) {
      const editor = `document.querySelector('[role=dialog] .cm-content[aria-label=name]')`
      const open = async () => {
        await page.click(cell(0, 2))
        await page.press(' ')
        await page.until(`${editor} !== null`)
      }
      await open()
      await typeCode(page, 'name', 'Rock and more')
      await page.until(`${editor}.innerText === 'Rock and more'`)
      await reload(page, hasText('Rock'))
      await open()
      await page.until(`${hasText(earlier)} && ${editor}.innerText === 'Rock and more'`)
      await clickText(page, 'Start over')
      await page.until(`!${hasText(earlier)} && ${editor}.innerText === 'Rock'`)
    },
  },
  {
    title: 'a session that expires in the middle of an edit is renewed over the form, which is saved then',
    path: 'events/cron',
    faults: [
      {
        ...{ on: 'create_cron_trigger', status: 401, isOnce: true },
        body: { path: '$', error: 'the session has expired', code: 'access-denied' },
      },
    ],
    shows: hasText('There are no cron triggers'),
    async act(page, { op, check }) {
      await clickText(page, 'Create cron trigger')
      await fill(page, 'Name', 'nightly')
      await fill(page, 'Webhook', hook)
      await fill(page, 'Comment', 'typed before the session ended')
      await clickText(page, 'Create cron trigger')
      await page.until(
        `${hasText('the session has expired')} && document.querySelector('input[type=password]') !== null`,
      )
      assert.equal(await page.evaluate(fieldValue('Comment')), 'typed before the session ended')
      await check(page)
      await page.type('input[type=password]', secret)
      await clickText(page, 'Sign in')
      await page.until(`${hasText('Created nightly')} && ${isClosed}`)
      const saved = await op<{ cron_triggers: readonly { readonly comment: string }[] }>('get_cron_triggers', {})
      assert.equal(saved.cron_triggers[0]?.comment, 'typed before the session ended')
      await dropCron(op)
    },
  },
  {
    title: 'an event trigger, an action and a relationship are saved on top of those that somebody else created',
    path: 'events?edit=create',
    isKnown: true,
    shows: hasText('Create an event trigger'),
    complains: /status of 409/,
    async act(page, { op }) {
      await fill(page, 'Name', 'both')
      await fill(page, 'Table', 'genre')
      await page.until(hasText('Retries after a failure'))
      await page.type('[role=dialog] input[placeholder^=https]', `${hook}/mine`)
      await op('create_event_trigger', { name: 'both', table: 'genre', delete: { columns: '*' }, webhook: hook })
      await clickText(page, 'Create event trigger')
      await overwrite(page, 'Created both')
      const genre = (await exported(op)).tables.find(({ table }) => table.name === 'genre')
      assert.match(JSON.stringify(genre?.['event_triggers']), /"insert".*\/mine/)
      await op('delete_event_trigger', { name: 'both' })

      await goTo(page, 'actions?edit=add', hasText('Create an action'))
      await page.until(`document.querySelector('.cm-content[aria-label=Signature]') !== null`)
      await typeCode(page, 'Signature', 'type Query { both: Int }')
      await page.type('[role=dialog] input[placeholder^=https]', `${hook}/mine`)
      const definition = { handler: hook, output_type: 'Int', type: 'query' }
      await op('create_action', { name: 'both', definition })
      await clickText(page, 'Create action')
      await overwrite(page, 'Created both')
      assert.deepEqual(
        (await exported(op)).actions?.map((each) => each.definition.handler),
        [`${hook}/mine`],
      )
      await op('drop_action', { name: 'both' })

      await goTo(page, 'data/public/employee/relations?edit=add', hasText('Leads to'))
      await fill(page, 'Name', 'both')
      await fill(page, 'Table', 'customer')
      await page.until(hasText('Columns that are equal'))
      await choose(page, 'Column of employee', 'city')
      await choose(page, 'Column of customer', 'city')
      const theirs = { remote_table: 'customer', column_mapping: { country: 'country' } }
      const using = { manual_configuration: theirs }
      await op('create_array_relationship', { table: 'employee', name: 'both', using })
      await clickText(page, 'Add relationship')
      await overwrite(page, 'Added both')
      const employee = (await exported(op)).tables.find(({ table }) => table.name === 'employee')
      assert.match(JSON.stringify(employee?.['object_relationships']), /"both".*"city":"city"/)
      assert.equal(JSON.stringify(employee?.['array_relationships'] ?? []).includes('both'), false)
      await op('drop_relationship', { table: 'employee', relationship: 'both' })
    },
  },
  {
    title: 'a cron trigger, a query, an endpoint and a computed field are saved on top of those of somebody else',
    path: 'events/cron',
    isKnown: true,
    shows: hasText('There are no cron triggers'),
    complains: /status of 409/,
    async act(page, { op }) {
      await clickText(page, 'Create cron trigger')
      await fill(page, 'Name', 'nightly')
      await fill(page, 'Webhook', hook)
      await fill(page, 'Comment', 'mine')
      await op('create_cron_trigger', cron('theirs'))
      await clickText(page, 'Create cron trigger')
      await overwrite(page, 'Created nightly')
      assert.equal((await exported(op)).cron_triggers?.[0]?.comment, 'mine')
      await dropCron(op)

      const queries = (query: string) => ({ name: 'both', definition: { queries: [{ name: 'one', query }] } })
      await goTo(page, 'govern/collections', hasText('There is no collection yet'))
      await clickText(page, 'Add query')
      await fill(page, 'Collection', 'both')
      await fill(page, 'Name of the query', 'one')
      await typeCode(page, 'Query', 'query mine { genre { name } }')
      await op('create_query_collection', queries('query theirs { genre { genre_id } }'))
      await clickText(page, 'Add query')
      await overwrite(page, 'Added one to both')
      assert.deepEqual((await exported(op)).query_collections, [queries('query mine { genre { name } }')])

      await goTo(page, 'api/rest', hasText('There is no REST endpoint yet'))
      await clickText(page, 'Create REST endpoint')
      await fill(page, 'Name', 'both')
      await fill(page, 'Path below api/rest', 'mine')
      const definition = { query: { collection_name: 'both', query_name: 'one' } }
      await op('create_rest_endpoint', { name: 'both', url: 'theirs', methods: ['GET'], definition })
      await clickText(page, 'Create endpoint')
      await overwrite(page, 'Created both')
      assert.deepEqual(
        (await exported(op)).rest_endpoints?.map(({ url }) => url),
        ['mine'],
      )
      await op('drop_rest_endpoint', { name: 'both' })
      await op('drop_query_collection', { collection: 'both', cascade: true })

      const made = ['mine', 'theirs'].map(
        (name) => `create function ${name}(genre) returns text stable language sql as 'select $1.name'`,
      )
      await op('run_sql', { sql: made.join(';') })
      await goTo(page, 'data/public/genre/structure', hasText('Add computed field'))
      await clickText(page, 'Add computed field')
      await fill(page, 'Name', 'both')
      await fill(page, 'Function', 'mine')
      await op('add_computed_field', { table: 'genre', name: 'both', definition: { function: 'theirs' } })
      await clickText(page, 'Add computed field')
      await overwrite(page, 'Added both')
      const genre = (await exported(op)).tables.find(({ table }) => table.name === 'genre')
      assert.match(JSON.stringify(genre?.['computed_fields']), /"name":"mine"/)
      await op('drop_computed_field', { table: 'genre', name: 'both' })
      await op('run_sql', { sql: 'drop function mine, theirs' })
    },
  },
  {
    title: 'a permission on a remote schema is saved on top of that of somebody else',
    path: 'remote/people',
    isKnown: true,
    shows: hasText('person(id: Int!): Person'),
    complains: /status of 409/,
    async act(page, { op }) {
      const sdl = (field: string) => `type Query { ${field}: Person } type Person { name: String! }`
      await clickText(page, 'Permissions')
      await page.type('main form input', 'clerk')
      await clickText(page, 'Add role')
      await page.until(hasText('The part of people that clerk sees'))
      await clickText(page, 'SDL')
      await page.until(`document.querySelector('[role=dialog] .cm-content[aria-label=Permission]') !== null`)
      await typeCode(page, 'Permission', sdl('person(id: Int!)'))
      const theirs = { remote_schema: 'people', role: 'clerk', definition: { schema: sdl('me') } }
      await op('add_remote_schema_permissions', theirs)
      await clickText(page, 'Save permission')
      await overwrite(page, 'Saved the permission of clerk')
      const { remote_schemas: saved } = await exported(op)
      assert.deepEqual(
        saved?.[0]?.permissions?.map(({ definition }) => definition.schema.includes('person(id: Int!)')),
        [true],
      )
      await op('drop_remote_schema_permissions', { remote_schema: 'people', role: 'clerk' })
    },
  },
]
