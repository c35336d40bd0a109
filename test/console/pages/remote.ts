import assert from 'node:assert/strict'
import { hasText, type State, screenshot } from '../support.ts'
import { choose, clickOn, clickText, typeCode } from './steps.ts'

interface Exported {
  readonly metadata: {
    readonly remote_schemas?: readonly {
      readonly permissions?: readonly { readonly definition: { schema: string } }[]
    }[]
    readonly actions?: readonly object[]
    readonly custom_types?: { readonly enums?: readonly { readonly name: string }[] }
  }
}

const fault = { path: '$', error: 'it <b>broke</b>', code: 'unexpected' }

const refused = (status: number) => new RegExp(`status of ${status}`)

/** A section while it loads, and with an error that a retry mends. */
const statesOf = (path: string, on: string, full: string): readonly State[] => [
  {
    ...{ title: `${path}, loading`, path, faults: [{ on, status: 0 }], isKnown: true },
    shows: `document.querySelector('[data-loading]') !== null`,
  },
  {
    ...{ title: `${path}, error with a retry`, path, isKnown: true },
    faults: [{ on, status: 400, body: fault, isOnce: true }],
    shows: hasText('it <b>broke</b>'),
    async act(page) {
      await clickText(page, 'Retry')
      await page.until(hasText(full))
    },
  },
]

const call = {
  ...{ id: 'c-1', action: 'cheer', status: 'error', created_at: '2026-11-29T02:00:00Z', response_received_at: null },
  ...{
    session_variables: { 'x-service-role': 'clerk' },
    input: { name: '<img src=x onerror=alert(1)>' },
    output: null,
  },
  errors: { message: 'no <b>mood</b>' },
}

export const remote: readonly State[] = [
  ...statesOf('remote', 'export_metadata', 'plugin people'),
  ...statesOf('remote/people', 'introspect_remote_schema', 'person(id: Int!): Person'),
  ...statesOf('actions', 'export_metadata', 'There are no actions'),
  ...statesOf('actions?section=calls', 'get_action_logs', 'There are no calls'),
  {
    title: 'calls with markup, by their action and state, with 320 px',
    path: 'actions?section=calls&status=error&of=cheer',
    width: 320,
    faults: [{ on: 'get_action_logs', status: 200, body: [call] }],
    shows: hasText('1 call'),
    async act(page, { check }) {
      await page.click('[aria-label="Calls"] [role=row][data-index="0"]')
      await page.until(hasText('no <b>mood</b>'))
      assert.equal(await page.evaluate(`document.querySelector('img[src=x]')`), null)
      await check(page)
    },
  },
  {
    title: 'calls, without rights',
    path: 'actions?section=calls',
    isKnown: true,
    faults: [{ on: 'get_action_logs', status: 403, body: { ...fault, code: 'access-denied' } }],
    shows: hasText('access-denied'),
  },
  {
    title: 'signed out',
    path: 'remote/people',
    ...{ isKnown: true, isSignedOut: true },
    shows: `document.querySelector('input[type=password]') !== null`,
    complains: refused(401),
  },
  {
    title: 'a remote schema that is not there',
    path: 'remote/nobody',
    isKnown: true,
    shows: hasText('There is no such remote schema'),
  },
  {
    title: 'read-only mode has no actions',
    path: 'remote/people',
    shows: hasText('Reload'),
    async act(page) {
      await page.click('button[title="Refuse all edits of this page"]')
      await page.until(`![...document.querySelectorAll('button')].some(({ innerText }) => innerText === 'Reload')`)
    },
  },
  {
    title: 'a role sees the ticked part of a remote schema, which is tried, saved and taken back',
    path: 'remote',
    shows: hasText('plugin people'),
    async act(page, { op, check }) {
      const permissions = async () =>
        (await op<Exported>('export_metadata', {}, 2)).metadata.remote_schemas?.[0]?.permissions
      await check(page)
      await page.click('[aria-label="Remote schemas"] a')
      await page.until(hasText('person(id: Int!): Person'))
      await check(page)
      await clickText(page, 'Permissions')
      await page.type('main form input', 'clerk')
      await clickText(page, 'Add role')
      await page.until(hasText('The part of people that clerk sees'))
      const tick = (text: string) =>
        clickOn(
          page,
          `[...document.querySelectorAll('[role=dialog] label')].find((each) => each.textContent === '${text}')`,
        )
      await page.until(hasText('person: Person'))
      await tick('person: Person')
      await page.until(`document.querySelectorAll('[role=dialog] input:checked').length === 4`)
      await page.type('[role=dialog] [class*=argument] input[placeholder]', 'x-service-user-id')
      await clickText(page, 'Try without saving')
      await page.until(hasText('remote schema people'))
      await check(page)
      await screenshot(page, 'remote-permission')
      await clickText(page, 'Save permission')
      await page.until(hasText('Saved the permission of clerk'))
      const [saved] = (await permissions()) ?? []
      assert.match(saved?.definition.schema ?? '', /person\(id: Int! @preset\(value: "x-service-user-id"\)\): Person/)
      await clickText(page, 'Undo')
      await page.until(`!document.querySelector('[aria-label=Roles]').innerText.includes('members')`)
      assert.equal(await permissions(), undefined)
      await clickText(page, 'Reload')
      await page.until(hasText('Nothing changes'))
      await clickText(page, 'Reload remote schema')
      await page.until(hasText('Reloaded people'))
    },
  },
  {
    title: 'types and an action are written as SDL, the action is tried, and its calls are listed; dark',
    path: 'actions?section=types',
    theme: 'dark',
    shows: hasText('Review types'),
    async act(page, { op, check }) {
      await typeCode(page, 'Types', 'enum Mood { GOOD')
      await page.until(`document.querySelector('main [role=alert]') !== null`)
      await typeCode(page, 'Types', 'enum Mood { GOOD BAD }')
      await clickText(page, 'Review types')
      await page.until(hasText('custom types'))
      await clickText(page, 'Save types')
      await page.until(hasText('Saved the types'))
      await clickText(page, 'Actions')
      await page.until(hasText('There are no actions'))
      await clickText(page, 'Create action')
      await page.until(`document.querySelector('.cm-content[aria-label=Signature]') !== null`)
      await typeCode(page, 'Signature', 'type Mutation { cheer(name: String!): Mood }')
      await page.type('[role=dialog] input[placeholder^=https]', 'http://127.0.0.1:9/cheer')
      await choose(page, 'Calls of a mutation are answered', 'later')
      await check(page)
      await clickText(page, 'Create action')
      await page.until(`${hasText('Created cheer')} && document.querySelector('[aria-label=Signature]') === null`)
      await page.click('[aria-label="Actions"] [role=row][data-index="0"]')
      await page.until(`location.pathname.endsWith('/actions/cheer')`)
      await clickText(page, 'Try')
      await clickText(page, 'Call the action')
      await page.until(hasText('cheer: "'))
      await check(page)
      await clickText(page, 'Cancel')
      await clickText(page, 'Calls')
      await page.until(hasText('1 call'))
      await page.click('[aria-label="Calls"] [role=row][data-index="0"]')
      await page.until(hasText('A call of cheer'))
      const { metadata } = await op<Exported>('export_metadata', {}, 2)
      assert.deepEqual([metadata.actions?.length, metadata.custom_types?.enums?.[0]?.name], [1, 'Mood'])
      await op('bulk', [
        { type: 'drop_action', args: { name: 'cheer' } },
        { type: 'set_custom_types', args: {} },
      ])
    },
  },
  {
    title: 'a new remote schema that cannot be read says why, at 320 px',
    path: 'remote?edit=add',
    width: 320,
    shows: hasText('Add a remote schema'),
    faults: [{ on: 'add_remote_schema', status: 400, body: fault }],
    async act(page) {
      await page.type('[role=dialog] input', 'far')
      await page.type('[role=dialog] input[placeholder^=https]', 'http://127.0.0.1:9/graphql')
      await clickText(page, 'Add remote schema')
      await page.until(hasText('it <b>broke</b>'))
    },
  },
]
