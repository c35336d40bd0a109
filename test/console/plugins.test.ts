// Parts that plugins add to the console, in Chromium, as a plugin's author tests them: with `trellis/testing` alone.

import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { pathToFileURL } from 'node:url'
import { definePlugin } from 'trellis'
import { type ConsoleParts, consoleParts } from 'trellis/console'
import { type Page, startBrowser, startTrellis } from 'trellis/testing'
import profile from '../../examples/profile.ts'
import { loadFiles } from '../../plugins/console/assets.ts'
import { browserTest } from '../support/chromium.ts'
import { environmentOf, findChromium } from '../support/chromium-programs.ts'
import { temporaryDirectory } from '../support/process.ts'
import { axeFaults, hasText } from './support.ts'

const adding = (parts: ConsoleParts) =>
  definePlugin({
    name: parts.plugin,
    dependencies: ['console'],
    register: (engine) => engine.use(consoleParts).add(parts),
  })

/** A module of a text. */
function moduleOf(t: TestContext, text: string): URL {
  const file = join(temporaryDirectory(t), 'module.js')
  writeFileSync(file, text)
  return pathToFileURL(file)
}

/** An expression: whether a part in the page shows a text. */
const partHas = (text: string) =>
  `[...document.querySelectorAll('[data-plugin] div, [data-plugin] span')].some((each) => each.shadowRoot?.textContent.includes(${JSON.stringify(text)}))`

const pageOf = (path: string, module: URL) => ({ path, title: path, module })

browserTest('plugins add pages, tabs, cells, actions and commands to the console', async (t) => {
  const mount = (body: string) => moduleOf(t, `export default { api: 1, mount(host, services) { ${body} } }`)
  const broken = adding({
    plugin: 'broken',
    pages: [
      pageOf('throws', mount('throw new Error("no <b>way</b>")')),
      pageOf('hangs', mount('return new Promise(() => {})')),
      pageOf('other', moduleOf(t, 'export default 1')),
      pageOf('edits', mount(`services.run('clear_metadata').catch(({ facts }) => { host.textContent = facts.code })`)),
      { path: 'list', title: 'list', list: { operation: 'pg_get_source_tables', columns: ['name'] } },
    ],
    cells: [{ types: ['int8'], module: mount('throw new Error()') }],
  })
  await loadFiles()
  const chromium = await findChromium()
  const trellis = await startTrellis({
    plugins: [profile, broken],
    settings: { enabledApis: ['metadata', 'graphql', 'config'] },
    sql: `create table ship (id int primary key, name text, afloat bool, tons int8);
      insert into ship values (1, 'Vasa the great', false, 1210), (2, 'Gorch Fock', true, 1760);`,
  })
  t.after(() => trellis.close())
  await trellis.operation('track_table', 'ship')
  const browser = await startBrowser({ program: chromium.program, environment: environmentOf(chromium) })
  t.after(() => browser.close())
  const open = (path: string) => browser.open(`${trellis.url}/console/${path}`)
  const check = async (page: Page, complains = /^$/) => {
    assert.deepEqual(await axeFaults(page), [])
    assert.deepEqual(
      page.complaints.filter((each) => !complains.test(each)),
      [],
    )
  }

  await t.test('a page is listed in the rail and the palette, and goes to others', async () => {
    const page = await open('x/profile/sizes')
    await page.until(partHas('ship'))
    await check(page)
    assert.ok(await page.evaluate(`document.querySelector('nav [aria-current]').textContent === 'Sizes'`))
    await page.evaluate(
      `document.querySelector('[data-plugin=profile] div div').shadowRoot.querySelector('trellis-button').click()`,
    )
    await page.until(`location.pathname.endsWith('/console/data')`)
    await page.press('k', ['ctrl'])
    await page.type('input[role=combobox]', '>ticks')
    await page.until(hasText('Show ticks of a schedule'))
    await page.press('Enter')
    await page.until(hasText('Run get_cron_ticks'))
    await page.type('section[aria-label=Arguments] input', '0 2 * * *')
    await page.evaluate(
      `[...document.querySelectorAll('button')].find((each) => each.textContent.startsWith('Run ')).click()`,
    )
    await page.until(hasText('Answer'))
    await check(page)
    await page.close()
  })

  await t.test('a tab of a table, and cells, which fall back where the plugin fails', async () => {
    const page = await open('data/public/ship')
    await page.until(partHas('✗'))
    await page.until(hasText('1210'))
    await check(page)
    await page.click('[aria-rowindex="2"] [aria-colindex="3"]')
    await page.press(' ')
    await page.until(`[...document.querySelectorAll('button')].some((each) => each.textContent === 'Count words')`)
    await page.evaluate(
      `[...document.querySelectorAll('button')].find((each) => each.textContent === 'Count words').click()`,
    )
    await page.until(partHas('name has 3 words'))
    const tab = await open('data/public/ship/profile.numbers')
    await tab.until(
      `document.querySelector('[data-plugin] div div')?.shadowRoot.querySelector('trellis-table')?.shadowRoot.textContent.includes('1760')`,
    )
    await check(tab)
    await Promise.all([page.close(), tab.close()])
  })

  await t.test('a part that fails names its plugin, and the page stays', async () => {
    for (const [path, reason] of [
      ['throws', 'no <b>way</b>'],
      ['hangs', 'it did not start within 3 seconds'],
      ['other', 'no default export'],
    ] as const) {
      const page = await open(`x/broken/${path}`)
      await page.until(`${hasText('The plugin broken cannot show this part')} && ${hasText(reason)}`)
      await check(page)
      await page.close()
    }
  })

  await t.test('a list, a form, and edits in read-only mode', async () => {
    const list = await open('x/broken/list')
    await list.until(hasText('ship'))
    const form = await open('x/profile/webhook')
    await form.until(`${hasText('Run test_webhook')} && ${hasText('url')}`)
    await check(form)
    await form.click('button[title="Refuse all edits of this page"]')
    await form.until(hasText('Nothing can be edited now'))
    await form.evaluate(`[...document.querySelectorAll('nav a')].find((each) => each.textContent === 'edits').click()`)
    await form.until(partHas('read-only'))
    await Promise.all([list.close(), form.close()])
  })

  await t.test('the configuration lists them, and modules are files with a hash', async () => {
    const { body } = await trellis.request<{ console: { cells: { module: string }[] } }>('/v1alpha1/config')
    const path = body.console.cells[0]!.module
    assert.match(path, /^console\/x\/profile\/[0-9a-f]{16}\.js$/)
    const { status, headers, text } = await trellis.request(`/${path}`)
    assert.deepEqual([status, headers.get('content-type')], [200, 'text/javascript; charset=utf-8'])
    assert.match(headers.get('cache-control') ?? '', /immutable/)
    assert.ok(text.includes('export default'))
    assert.equal((await trellis.request('/console/x/profile/0000000000000000.js')).status, 404)
  })
})

test('parts that cannot be end the start, with the name of the plugin', async (t) => {
  const module = moduleOf(t, '')
  const refused = async (parts: ConsoleParts, reason: RegExp) =>
    assert.rejects(startTrellis({ plugins: [profile, adding(parts)] }), reason)
  const page = pageOf('sizes', module)
  await refused(
    { plugin: 'two', pages: [page, page] },
    /two.*the path "x\/two\/sizes" is taken by plugin "two" already/s,
  )
  await refused(
    { plugin: 'two', cells: [{ types: ['bool'], module }] },
    /cells of type "bool" is taken by plugin "profile"/,
  )
  await refused({ plugin: 'two', pages: [pageOf('../up', module)] }, /the path "..\/up" has other signs/)
  await refused(
    { plugin: 'two', pages: [{ path: 'empty', title: 'Empty' }] },
    /needs one of "module", "form" and "list"/,
  )
  await refused({ plugin: 'two', pages: [pageOf('gone', new URL('gone.js', module))] }, /ENOENT.*gone\.js/s)
})
