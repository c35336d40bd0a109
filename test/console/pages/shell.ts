import assert from 'node:assert/strict'
import { hasText, type State, secret } from '../support.ts'
import { cell, clickOn, clickText, goTo, typeCode } from './steps.ts'

const refused = /status of 401/

/** Signs in, and lets what the page does each minute happen at once. */
const impatient = `
  sessionStorage.setItem('trellis:console:credentials', ${JSON.stringify(JSON.stringify({ kind: 'secret', value: secret }))})
  const repeat = window.setInterval
  window.setInterval = (work, millis, ...rest) => repeat(work, millis === 60_000 ? 50 : millis, ...rest)`

export const shell: readonly State[] = [
  {
    title: 'signing in keeps the page, and the secret stays out of storage, addresses and the drawer',
    path: 'data?filter=alb',
    isSignedOut: true,
    shows: hasText('Keep for this tab'),
    complains: refused,
    async act(page) {
      await page.type('input[type=password]', 'wrong')
      await page.press('Enter')
      await page.until(`document.querySelector('[aria-invalid=true]') !== null`)
      await page.type('input[type=password]', secret)
      await page.press('Enter')
      await page.until(`document.querySelectorAll('[role=row]').length === 2`)
      assert.match(await page.evaluate('location.href'), /\?filter=alb$/)
      await page.press('j', ['ctrl'])
      await page.until(`document.querySelector('[aria-label="Copy as curl"]') !== null`)
      const kept = await page.evaluate<string>(
        'JSON.stringify([localStorage, sessionStorage, location.href, document.body.innerText])',
      )
      assert.equal(kept.includes(secret), false)
    },
  },
  {
    title: 'after 30 idle minutes the secret, rows and answers are dropped, and what was typed stays',
    path: 'data/public/genre',
    isKnown: true,
    shows: hasText('Rock'),
    async act(open, { visit }) {
      const page = await visit(await open.evaluate('location.href'), impatient)
      const editor = `document.querySelector('[role=dialog] .cm-content[aria-label=name]')`
      const answers = `[...document.querySelectorAll('aside[aria-label=Requests] li button')].map((each) => each.innerText)`
      const edit = async () => {
        await page.until(hasText('Rock'))
        await page.click(cell(0, 2))
        await page.press(' ')
        await page.until(`${editor} !== null`)
      }
      await page.until(hasText('Rock'))
      await page.press('j', ['ctrl'])
      await page.until(`${answers}.some((each) => each.includes('browse_rows'))`)
      await edit()
      await typeCode(page, 'name', 'Typed before')
      await page.evaluate(`{
        const now = Date.now.bind(Date)
        Date.now = () => now() + 30 * 60_000
      }`)
      await page.until(`document.querySelector('input[type=password]') !== null && ${editor} === null`)
      const left = await page.evaluate<string>('JSON.stringify([sessionStorage, document.body.innerText])')
      for (const text of [secret, 'Rock', 'Typed before']) assert.equal(left.includes(text), false, text)
      await page.type('input[type=password]', secret)
      await page.press('Enter')
      await edit()
      await page.until(`${hasText('This was typed earlier')} && ${editor}.innerText === 'Typed before'`)
      await clickText(page, 'Start over')
      await page.until(`${editor}.innerText === 'Rock'`)
      await page.close()
    },
  },
  {
    title: 'a request is copied as curl, fetch, a command line and JSON, without the secret',
    path: 'data?filter=alb',
    width: 320,
    shows: `document.querySelectorAll('[role=row]').length === 2`,
    async act(page) {
      await page.press('j', ['ctrl'])
      await clickOn(
        page,
        `[...document.querySelectorAll('aside li button')].find((each) => /^export_metadata$/m.test(each.innerText))`,
      )
      await page.evaluate(`{
        window.copied = []
        navigator.clipboard.writeText = async (text) => void window.copied.push(text)
      }`)
      for (const [index, form] of ['curl', 'fetch', 'CLI', 'JSON'].entries()) {
        await clickOn(page, `document.querySelector('[aria-label="Copy as ${form}"]')`)
        await page.until(`window.copied.length === ${index + 1}`)
      }
      const copied = await page.evaluate<string[]>('window.copied')
      assert.match(copied[0]!, /^curl 'http:\/\/localhost:\d+\/v1\/metadata'/)
      assert.match(copied[1]!, /^const response = await fetch\("http:\/\/localhost:\d+\/v1\/metadata", \{/)
      assert.match(
        copied[2]!,
        /^trellis run -e '\{"type":"export_metadata"[^']*' \\\n {2}--endpoint 'http:\/\/localhost:\d+'/,
      )
      assert.deepEqual(JSON.parse(copied[3]!).type, 'export_metadata')
      for (const text of copied.slice(0, 3)) assert.match(text, /TRELLIS_ADMIN_SECRET/)
      assert.equal(copied.join('').includes(secret), false)
      const isWide = await page.evaluate('document.documentElement.scrollWidth > 320')
      assert.equal(isWide, false)
    },
  },
  {
    title: 'the palette finds pages and commands by the keyboard alone',
    path: 'data',
    shows: hasText('15 tables'),
    async act(page, { check }) {
      await page.press('k', ['ctrl'])
      await page.until(`document.activeElement?.getAttribute('role') === 'combobox'`)
      await check(page)
      await page.type('input[role=combobox]', '>requests')
      await page.until(`document.querySelectorAll('[role=option]').length >= 1`)
      await page.press('Enter')
      await page.until(`document.querySelector('aside[aria-label=Requests]') !== null`)
    },
  },
  {
    title: 'the palette finds columns, and tabs of a table keep the view of its rows',
    isKnown: true,
    path: 'data/public/genre?where=genre_id%20%3C%204&order=-name',
    shows: hasText('3 rows'),
    async act(page) {
      await page.press(']')
      await page.until(`document.querySelector('main [data-tabs] [aria-selected=true]')?.innerText === 'Structure'`)
      await page.press('[')
      await page.until(`location.search.includes('order=-name') && ${hasText('3 rows')}`)
      await page.press('k', ['ctrl'])
      await page.type('input[role=combobox]', 'millisec')
      await page.until(`document.querySelector('[role=option]')?.innerText.startsWith('track.milliseconds')`)
      await page.press('Enter')
      await page.until(`location.pathname.endsWith('/data/public/track/structure')`)
    },
  },
  {
    title: 'the palette finds triggers, operations, parts of pages, and drafts of SQL and of the API',
    isKnown: true,
    path: 'sql',
    // There is no event of the id.
    complains: /status of 400/,
    shows: `document.querySelector('.cm-content[aria-label=SQL]') !== null`,
    async act(page, { op }) {
      const webhook = 'http://127.0.0.1:9'
      await op('create_event_trigger', { name: 'tell_labels', table: 'genre', webhook, insert: { columns: '*' } })
      const cron = { webhook, schedule: '0 2 * * *', payload: {}, include_in_metadata: false }
      await op('create_cron_trigger', { name: 'sweep_nightly', ...cron })
      await typeCode(page, 'SQL', 'select 42 as answer')
      await goTo(page, 'api', `document.querySelector('.cm-content[aria-label=Operation]') !== null`)
      await typeCode(page, 'Operation', 'query labelled { genre { name } }')
      await goTo(page, 'now', `document.querySelector('h1') !== null`)
      const finds: readonly (readonly [string, string, string])[] = [
        ['tell_lab', 'tell_labels\nevent trigger', '/events/triggers?trigger=tell_labels'],
        ['sweep_n', 'sweep_nightly\ncron trigger', '/events/cron?trigger=sweep_nightly'],
        ['select 42', 'select 42 as answer\nSQL draft', '/sql?draft='],
        ['labelled', 'labelled\nAPI tab', '/api?tab='],
        ['create_event_trigger', 'create_event_trigger\noperation', '/api/operations/create_event_trigger'],
        ['history of', 'History of the metadata\npage', '/govern/history'],
        ['#7f000001', 'Event or request 7f000001\nevent', '/events/log/7f000001'],
      ]
      for (const [text, title, address] of finds) {
        await page.press('k', ['ctrl'])
        await page.type('input[role=combobox]', text)
        await page.until(`document.querySelector('[role=option]')?.innerText === ${JSON.stringify(title)}`)
        await page.press('Enter')
        await page.until(`(location.pathname + location.search).startsWith(${JSON.stringify(`/console${address}`)})`)
        // The dialog of a trigger opens once the list is read.
        if (address.includes('?trigger=')) await page.until(`document.querySelector('[role=dialog] h2') !== null`)
        await page.press('Escape')
        await page.until(`document.querySelector('[role=dialog]') === null`)
      }
      await op('delete_event_trigger', { name: 'tell_labels' })
      await op('delete_cron_trigger', { name: 'sweep_nightly' })
    },
  },
  {
    title: 'rows and controls have the chosen height, also after a reload',
    path: 'data',
    shows: hasText('15 tables'),
    async act(page, { check }) {
      const height = (selector: string) => `document.querySelector(${JSON.stringify(selector)}).offsetHeight`
      const button = `[...document.querySelectorAll('button')].find((each) => each.innerText === 'Create table')`
      const change = async () => {
        await page.press('k', ['ctrl'])
        await page.type('input[role=combobox]', '>Change density')
        await page.until(`document.querySelector('[role=option]')?.innerText.startsWith('Change density')`)
        await page.press('Enter')
        await page.until(`document.querySelector('[role=dialog]') === null`)
      }
      await page.until(`${button}.offsetHeight === 32`)
      await change()
      await page.until(`${button}.offsetHeight === 40`)
      await check(page)
      await goTo(page, 'data/public/genre', hasText('25 rows'))
      await page.until(`${height('[role=grid] [aria-rowindex="2"]')} === 40`)
      await change()
      await page.until(`${height('[role=grid] [aria-rowindex="2"]')} === 28`)
      const top = (row: number) =>
        `document.querySelector('[role=grid] [aria-rowindex="' + ${row} + '"]').getBoundingClientRect().top`
      await page.until(`Math.round(${top(4)} - ${top(3)}) === 28`)
      await check(page)
      await change()
      await page.until(`Math.round(${top(4)} - ${top(3)}) === 32`)
    },
  },
  {
    title: 'an address that does not exist says so',
    path: 'nothing/here',
    shows: hasText('There is nothing at this address'),
  },
  {
    title: 'read-only mode refuses edits in the page itself',
    path: 'data',
    theme: 'dark',
    shows: hasText('15 tables'),
    async act(page) {
      await page.click('button[title="Refuse all edits of this page"]')
      await page.until(
        `![...document.querySelectorAll('button')].some((button) => /rack \\d/.test(button.textContent))`,
      )
    },
  },
  {
    title: 'the read secret shows every page without controls to edit, and nothing is refused',
    path: 'data/public/genre/permissions',
    isReader: true,
    shows: hasText('all rows'),
    async act(_page, { open, op, checkComplaints }) {
      const permission = { columns: ['name'], filter: { genre_id: { _eq: 1 } } }
      await op('create_select_permission', { table: 'genre', role: 'fan', permission })
      const pages: Readonly<Record<string, string>> = {
        'data/public/genre/permissions?edit=select%20fan': 'fan may select genre',
        'roles/compare?of=versions': 'GraphQL schema of',
        'api/operations/track_table': 'Nothing can be edited now',
        'govern/metadata': 'Export as JSON',
        'govern/history': 'select permission fan added',
        'govern/collections': 'There is no collection yet',
        sql: 'SQL is for administrators',
      }
      const edits = /^(?:Add|Save|Remove|Import|Reload|Track|Create|Make|Drop|Delete|Pause|Revert|Simulate|Run) /
      for (const [path, text] of Object.entries(pages)) {
        const page = await open({ path, isReader: true })
        await page.until(
          `${hasText(text)} && ${hasText('Read-only')} && document.querySelector('[data-loading]') === null`,
        )
        const buttons = await page.evaluate<string[]>(
          `[...document.querySelectorAll('button:not(:disabled)')].map(({ innerText, ariaLabel }) => ariaLabel ?? innerText)`,
        )
        assert.deepEqual([path, buttons.filter((each) => edits.test(`${each} `))], [path, []])
        checkComplaints(page)
        await page.close()
      }
      await op('drop_select_permission', { table: 'genre', role: 'fan' })
    },
  },
]
