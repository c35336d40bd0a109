import assert from 'node:assert/strict'
import type { Meaning } from '../../../console/src/pages/data/rules/rule-tree.ts'
import fc from '../../support/fast-check.ts'
import { rebuilt } from '../rebuilt-rule.ts'
import { type Console, hasText, type State, screenshot } from '../support.ts'
import { config } from './now.ts'
import { clickOn, clickText, goTo, reload } from './steps.ts'

const tab = 'data/public/invoice/permissions'
const editor = `${tab}?edit=select%20customer`

interface Exported {
  readonly metadata: { readonly tables: readonly { table: { name: string }; select_permissions?: readonly object[] }[] }
}

/** Any rules that the server takes stay the same after the builder has read and written them. */
async function rulesStay(op: Console['op']): Promise<void> {
  const text = fc.record({ [`_like`]: fc.string() })
  const number = fc.oneof(
    fc.record({ _gt: fc.integer({ min: -9, max: 9 }), _lt: fc.nat(9) }),
    fc.constant('X-Service-User-Id'),
  )
  const { rule } = fc.letrec((tie) => ({
    rule: fc.oneof(
      { maxDepth: 4 },
      fc.record({ billing_country: text, customer_id: number }, { requiredKeys: [] }),
      fc.record({
        customer_id: fc.record({ _in: fc.array(fc.nat(99)), _is_null: fc.boolean() }, { requiredKeys: [] }),
      }),
      fc.constant({ billing_city: { _ceq: 'billing_state' } }),
      fc.record({ customer: fc.record({ country: text, support_rep_id: number }, { requiredKeys: [] }) }),
      fc.record({
        _exists: fc.record({
          _table: fc.constant({ schema: 'public', name: 'genre' }),
          _where: fc.record({ name: text }),
        }),
      }),
      fc.dictionary(fc.constantFrom('_and', '_or'), fc.array(tie('rule'), { maxLength: 3 }), { maxKeys: 2 }),
      fc.record({ _not: tie('rule') }),
    ),
  }))
  const rules = fc.sample(rule, 40)
  const give = (filter: unknown, at: number) => ({
    type: 'create_select_permission',
    args: { table: 'invoice', role: `any_${at + 10}`, permission: { columns: ['total'], filter } },
  })
  const drop = (_: unknown, at: number) => ({
    type: 'drop_select_permission',
    args: { table: 'invoice', role: `any_${at + 10}` },
  })
  const filters = async () => {
    const { metadata } = await op<Exported>('export_metadata', {}, 2)
    const list = metadata.tables.find(({ table }) => table.name === 'invoice')?.select_permissions ?? []
    return (list as readonly { readonly permission: { readonly filter: unknown } }[]).map(
      ({ permission }) => permission.filter,
    )
  }
  await op('bulk', rules.map(give))
  const before = await filters()
  assert.equal(before.length, rules.length)
  const meaning: Meaning = (name) =>
    name === 'customer' ? 'related' : /^(?:billing_|customer_id|country|support|name)/.test(name) ? 'column' : undefined
  await op('bulk', [...rules.map(drop), ...before.map((each, at) => give(rebuilt(each, meaning), at))])
  assert.equal(JSON.stringify(await filters()), JSON.stringify(before))
  await op('bulk', rules.map(drop))
}

export const permissions: readonly State[] = [
  {
    title: 'a role gets its own rows, which are counted first, and loses them again',
    path: tab,
    shows: hasText('Another role'),
    async act(page, { op, check }) {
      const saved = async () => {
        const { metadata } = await op<Exported>('export_metadata', {}, 2)
        return metadata.tables.find(({ table }) => table.name === 'invoice')?.select_permissions
      }
      await page.type('main form input', 'customer')
      await clickText(page, 'Add role')
      await page.click('[aria-label="select of customer: none"]')
      await page.until(hasText('customer may select invoice'))
      await page.type('[role=dialog] input[placeholder="all rows"]', 'customer_id = X-Service-User-Id')
      await page.until(hasText('A value shows how many rows'))
      await page.type('[role=dialog] [class*=preview] input', '2')
      await page.until(hasText('customer gets 7 of 412 rows'))
      await check(page)
      await clickText(page, 'Save permission')
      await page.until(hasText('Saved select of customer'))
      assert.deepEqual(await saved(), [
        { role: 'customer', permission: { columns: '*', filter: { customer_id: { _eq: 'X-Service-User-Id' } } } },
      ])
      await page.click('[aria-label^="select of customer: by rule"]')
      await clickText(page, 'Remove permission')
      await page.until(hasText('Removed select of customer'))
      assert.equal(await saved(), undefined)
    },
  },
  {
    title: 'a change shows the rows that it gives and takes, and copies go to other roles and tables in one edit',
    path: editor,
    shows: hasText('customer may select invoice'),
    async act(page, { op, check }) {
      const permission = { columns: ['invoice_id', 'customer_id'], filter: { customer_id: { _eq: 2 } } }
      const args = { table: 'invoice', role: 'customer', permission }
      await op('create_select_permission', args)
      await page.reload()
      await page.type('[role=dialog] input[placeholder="all rows"]', 'customer_id = 2 and total > 5 or invoice_id = 2')
      await page.until(`${hasText('gains 1 row')} && ${hasText('loses 4 rows')}`)
      await page.until(`document.querySelector('[role=dialog] details') !== null`)
      await page.evaluate(`document.querySelector('[role=dialog] details').open = true`)
      await screenshot(page, 'permission')
      await page.type('[role=dialog] input[placeholder="all rows"]', 'billing_country = Norway')
      await page.until(hasText('no index serves invoice (billing_country)'))
      await clickText(page, 'Create this index')
      await page.until(`${hasText('Created the index')} && !${hasText('no index serves')}`)
      await check(page)
      await clickText(page, 'Cancel')
      await page.click('[aria-label="Copy permissions of customer"]')
      for (const target of ['customer', 'invoice']) {
        const labels = `[...document.querySelectorAll('[role=dialog] fieldset:last-of-type label')]`
        await clickOn(page, `${labels}.find((each) => each.textContent === '${target}')`)
      }
      await page.type('[role=dialog] fieldset:first-of-type div input', 'clerk')
      await page.until(`${hasText('without invoice_id')} && ${hasText('table customer select permission clerk')}`)
      await check(page)
      await screenshot(page, 'permission-copy')
      await clickText(page, 'Copy 1 permission')
      await page.until(hasText('Copied 1 permission'))
      const { metadata } = await op<Exported>('export_metadata', {}, 2)
      assert.deepEqual(metadata.tables.find(({ table }) => table.name === 'customer')?.select_permissions, [
        { role: 'clerk', permission: { columns: ['customer_id'], filter: permission.filter } },
      ])
      await op('drop_select_permission', { table: 'customer', role: 'clerk' })
      await op('drop_select_permission', { table: 'invoice', role: 'customer' })
    },
  },
  {
    title: 'a rule is built of conditions, and read as JSON and SQL; all that the builder does not know stays',
    path: editor,
    shows: hasText('customer may select invoice'),
    async act(page, { op, check }) {
      const genre = {
        _exists: { _table: { schema: 'public', name: 'genre' }, _where: { name: { _eq: 'X-Service-Genre' } } },
      }
      const others = [genre, { total: { _gt: 5, _lt: 10 } }, { lines_aggregate: { count: { predicate: { _gt: 3 } } } }]
      const filter = (country: string) => ({ _or: [{ customer: { country: { _eq: country } } }, ...others] })
      const permission = { columns: ['total'], filter: filter('Norway') }
      await op('create_select_permission', { table: 'invoice', role: 'customer', permission })
      await page.reload()
      await page.until(`document.querySelector('[role=dialog] input[value="Norway"]') !== null`)
      await page.until(`document.querySelector('[placeholder="no sentence says all of this rule"]')?.disabled`)
      await check(page)
      await screenshot(page, 'rule')
      await page.type('[role=dialog] input[value="Norway"]', 'Chile')
      await clickText(page, 'SQL')
      await page.until(`${hasText("'X-Service-Genre'")} && ${hasText("'Chile'")}`)
      await check(page)
      await clickText(page, 'Sentence')
      await page.resize(320, 800)
      await check(page)
      await clickText(page, 'Save permission')
      await page.until(hasText('Saved select of customer'))
      const { metadata } = await op<Exported>('export_metadata', {}, 2)
      const saved = metadata.tables.find(({ table }) => table.name === 'invoice')?.select_permissions
      assert.deepEqual(saved, [{ role: 'customer', permission: { ...permission, filter: filter('Chile') } }])
      await op('drop_select_permission', { table: 'invoice', role: 'customer' })
      await rulesStay(op)
    },
  },
  {
    title: 'conditions are added and removed by buttons, and a permission to insert is warned of',
    path: `${tab}?edit=insert%20customer`,
    theme: 'dark',
    shows: hasText('customer may insert invoice'),
    async act(page, { op, check }) {
      const permission = { columns: '*', filter: { customer_id: { _eq: 'X-Service-User-Id' } } }
      await op('create_select_permission', { table: 'invoice', role: 'customer', permission })
      await page.reload()
      await page.until(hasText('can insert rows with any customer_id'))
      await check(page)
      await clickText(page, 'Preset customer_id')
      await page.until(`!${hasText('can insert rows with any customer_id')}`)
      const sentence = `document.querySelector('[role=dialog] input[placeholder="all rows"]')?.value`
      await page.click('[aria-label="Add group to the rule"]')
      await page.until(`document.querySelector('[aria-label="Add condition to _or"]') !== null`)
      await page.click('[aria-label="Add condition to _or"]')
      await page.until(`${sentence} === 'invoice_id = X-Service-User-Id or invoice_id = X-Service-User-Id'`)
      await page.click('[aria-label="Remove _or"]')
      await page.until(`${sentence} === ''`)
      await op('drop_select_permission', { table: 'invoice', role: 'customer' })
    },
  },
  {
    title: 'an edit of the same permission by somebody else is shown beside mine',
    path: editor,
    width: 1280,
    theme: 'dark',
    shows: hasText('The role has no such permission yet'),
    complains: /status of 409/,
    async act(page, { op, check }) {
      const args = { table: 'invoice', role: 'customer', permission: { columns: ['total'], filter: {} } }
      await op('create_select_permission', args)
      // The page behind the form has the other edit already.
      await page.until(`document.querySelector('[aria-label="select of customer: all rows, 1 of 9 columns"]') !== null`)
      await clickText(page, 'Save permission')
      await page.until(hasText('Somebody else edited this meanwhile'))
      await page.until(`document.querySelectorAll('[role=dialog] .cm-content').length === 3`)
      await check(page, /status of 409/)
      await clickText(page, 'Keep theirs')
      await page.until(`!${hasText('Somebody else edited')}`)
      await clickText(page, 'Save permission')
      await clickText(page, 'Save mine on top')
      await page.until(hasText('Saved select of customer'))
      await page.until(`document.querySelector('[aria-label="select of customer: all rows"]') !== null`)
      await op('drop_select_permission', { table: 'invoice', role: 'customer' })
    },
  },
  {
    title: 'a rule that was typed stays after a reload, until it is given up',
    path: editor,
    shows: hasText('The role has no such permission yet'),
    async act(page, { check }) {
      await page.type('[role=dialog] input[placeholder="all rows"]', 'total > 7')
      await reload(page, hasText('This was typed earlier, and is not saved'))
      await page.until(`document.querySelector('[role=dialog] input[placeholder="all rows"]')?.value === "total > '7'"`)
      await check(page)
      await clickText(page, 'Cancel')
      await page.until(`document.querySelector('[role=dialog]') === null`)
      await goTo(page, editor, hasText('The role has no such permission yet'))
      assert.equal(await page.evaluate(hasText('typed earlier')), false)
    },
  },
  { title: 'the editor at 320 px', path: editor, width: 320, shows: hasText('customer may select invoice') },
  {
    title: 'a refusal stands in the editor',
    path: editor,
    complains: /status of 400/,
    shows: hasText('customer may select invoice'),
    async act(page) {
      await page.type('[role=dialog] input[placeholder="all rows"]', 'no_such = 5')
      await clickText(page, 'Save permission')
      await page.until(`document.querySelector('[role=dialog] [role=alert]') !== null`)
    },
  },
  { title: 'roles: none yet', path: 'roles', shows: hasText('No role has a permission yet') },
  {
    title: 'roles: full',
    path: 'roles',
    theme: 'dark',
    shows: hasText('1 role'),
    async act(page) {
      const texts = `[...document.querySelectorAll('[role=gridcell] [role=img]')].map(({ ariaLabel }) => ariaLabel).join('|')`
      await page.until(`${texts} === 'select all rows; update by rule, 1 column'`)
      const marks = `[...document.querySelectorAll('[role=gridcell] [role=img] > *')].map(({ dataset }) => dataset.rows ?? 'none').join()`
      assert.equal(await page.evaluate(marks), 'all,none,rule,none')
    },
    faults: [
      {
        ...{ on: 'export_metadata', status: 200 },
        body: {
          resource_version: 1,
          metadata: {
            tables: [
              {
                ...{ table: 'album', select_permissions: [{ role: 'fan', permission: { columns: '*', filter: {} } }] },
                update_permissions: [
                  { role: 'fan', permission: { columns: ['title'], filter: { album_id: { _eq: 1 } } } },
                ],
              },
            ],
          },
        },
      },
    ],
  },
  {
    title: 'roles: two are compared by their permissions and schemas, at 320 px',
    path: 'roles/compare',
    width: 320,
    shows: hasText('Choose two roles'),
    async act(page, { op, check }) {
      const give = (role: string, permission: object) =>
        op('create_select_permission', { table: 'genre', role, permission })
      await give('fan', { columns: '*', filter: {} })
      await give('guest', { columns: ['name'], filter: { genre_id: { _lt: 3 } } })
      await page.evaluate(`history.replaceState(null, '', '?a=fan&b=guest')`)
      await page.reload()
      await page.until(`${hasText('1 permission differs')} && ${hasText('genre.genre_id')}`)
      await check(page)
      await page.resize(1280, 800)
      await screenshot(page, 'roles-compare')
      for (const role of ['fan', 'guest']) await op('drop_select_permission', { table: 'genre', role })
    },
  },
  {
    title: 'roles: many of them, of which the visible ones are in the page, and one is opened by the keyboard',
    path: 'roles',
    width: 320,
    shows: hasText('200 roles'),
    faults: [
      {
        ...{ on: 'export_metadata', status: 200 },
        body: {
          resource_version: 1,
          metadata: {
            tables: Array.from({ length: 300 }, (_, at) => ({
              table: `table_${at}`,
              ...(at === 0 && {
                select_permissions: Array.from({ length: 200 }, (_, role) => ({
                  role: `role ${String(role).padStart(3, '0')}`,
                  permission: { columns: '*', filter: {} },
                })),
              }),
            })),
          },
        },
      },
    ],
    async act(page, { check }) {
      await page.until(`document.querySelector('[role=gridcell]') !== null`)
      assert.ok((await page.evaluate<number>(`document.querySelectorAll('[role=gridcell]').length`)) < 600)
      await page.evaluate(`document.querySelector('[role=grid]').focus()`)
      await page.press('End')
      await page.until(hasText('role 199'))
      await check(page)
      await page.press('ArrowUp')
      await page.press('Enter')
      await page.until(`${hasText('Permissions on 1 table')} && location.pathname.endsWith('/roles/role%20199')`)
    },
  },
  {
    title: 'a role: its rules, its schema, its diagram and its queries',
    path: 'roles/fan',
    shows: hasText('No such role'),
    async act(page, { op, check }) {
      await op('bulk', [
        {
          type: 'create_select_permission',
          args: { table: 'genre', role: 'fan', permission: { columns: ['name'], filter: { genre_id: { _lt: 3 } } } },
        },
        {
          type: 'create_query_collection',
          args: { name: 'app', definition: { queries: [{ name: 'genres', query: '{ genre { name } }' }] } },
        },
        { type: 'add_collection_to_allowlist', args: { collection: 'app' } },
      ])
      await page.reload()
      await page.until(hasText('genre_id < 3'))
      await check(page)
      await clickText(page, 'Schema')
      await page.until(hasText('genre_bool_exp'))
      await check(page)
      await clickText(page, 'Diagram')
      await page.until(hasText('1 table, 0 links'))
      await clickText(page, 'Allowed queries')
      await page.until(`${hasText('The allow-list is not enforced')} && ${hasText('genres')}`)
      await page.resize(320, 800)
      await check(page)
      await op('drop_query_collection', { collection: 'app', cascade: true })
      await op('drop_select_permission', { table: 'genre', role: 'fan' })
    },
  },
  {
    title: 'two versions are compared by their rules and the schema of a role',
    path: 'roles/compare?of=versions&role=fan',
    theme: 'dark',
    // The metadata change while the page still tries the version before.
    complains: /status of 409/,
    shows: hasText('GraphQL schema of'),
    async act(page, { op, check }) {
      const permission = { columns: ['name'], filter: {} }
      await op('create_select_permission', { table: 'genre', role: 'fan', permission })
      await op('drop_select_permission', { table: 'genre', role: 'fan' })
      await page.reload()
      await page.until(`${hasText('1 rule differs')} && ${hasText('Only before has')} && ${hasText('genre_bool_exp')}`)
      await check(page, /status of 409/)
      // The second version is not the newest one.
      await op('create_select_permission', { table: 'artist', role: 'fan', permission })
      const { versions } = await op<{ versions: { version: number }[] }>('get_metadata_history', { limit: 3 })
      const at = `from=${versions[2]?.version}&to=${versions[2]?.version}`
      await page.evaluate(
        `history.replaceState(null, '', location.href.replace(/[?].*/, '?of=versions&role=fan&${at}'))`,
      )
      await page.reload()
      await page.until(`${hasText('1 rule differs')} && ${hasText('Only after has')} && ${hasText('genre_bool_exp')}`)
      assert.equal(await page.evaluate(hasText('artist_bool_exp')), false)
      await op('drop_select_permission', { table: 'artist', role: 'fan' })
    },
  },
  {
    title: 'in production the name of a role is typed before its permission goes',
    path: tab,
    faults: [{ on: 'v1alpha1/config', status: 200, body: config(['metadata', 'graphql']) }],
    shows: hasText('Add role'),
    async act(page, { op }) {
      await op('create_select_permission', {
        table: 'invoice',
        role: 'pilot',
        permission: { columns: '*', filter: {} },
      })
      await page.reload()
      await page.until(`document.querySelector('button[aria-label^="select of pilot"]') !== null`)
      await page.click('button[aria-label^="select of pilot"]')
      const removal = `[...document.querySelectorAll('button')].find((each) => each.textContent === 'Remove permission')`
      await page.until(`${removal}?.disabled && ${hasText('Type pilot to go on')}`)
      const label = `[...document.querySelectorAll('label')].find((each) => each.textContent.includes('Type pilot'))`
      await page.evaluate(`${label}.control.dataset.asks = 'name'`)
      await page.type('[data-asks]', 'pilo')
      assert.ok(await page.evaluate(`${removal}.disabled`))
      await page.type('[data-asks]', 'pilot')
      await page.until(`!${removal}.disabled`)
      await screenshot(page, 'production')
      await clickText(page, 'Remove permission')
      await page.until(hasText('Removed select of pilot'))
    },
  },
]
