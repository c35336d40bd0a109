import assert from 'node:assert/strict'
import { hasText, type State, screenshot } from '../support.ts'
import { choose, clickText, typeCode } from './steps.ts'

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

export const remote: readonly State[] = [
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
        page.evaluate(
          `[...document.querySelectorAll('[role=dialog] label')].find((each) => each.textContent === '${text}').click()`,
        )
      await page.until(hasText('person: Person'))
      await tick('person: Person')
      await page.until(`document.querySelectorAll('[role=dialog] input:checked').length === 4`)
      await page.type('[role=dialog] [class*=argument] input[placeholder]', 'x-service-user-id')
      await clickText(page, 'Try without saving')
      await page.until(hasText('remote schemas'))
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
      await clickText(page, 'Add action')
      await page.until(`document.querySelector('.cm-content[aria-label=Signature]') !== null`)
      await typeCode(page, 'Signature', 'type Mutation { cheer(name: String!): Mood }')
      await page.type('[role=dialog] input[placeholder^=https]', 'http://127.0.0.1:9/cheer')
      await choose(page, 'Calls of a mutation are answered', 'later')
      await check(page)
      await clickText(page, 'Add action')
      await page.until(`${hasText('Added cheer')} && document.querySelector('[aria-label=Signature]') === null`)
      await page.click('[aria-label="Actions"] [role=row][data-index="0"]')
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
