import assert from 'node:assert/strict'
import type { Page } from '../../support/browser.ts'
import { hasText, type State, screenshot } from '../support.ts'
import { choose, clickOn, clickText, goTo } from './steps.ts'

const refused = /status of 4(?:00|09)/

/** The label with that text in the dialog. */
const labelled = (text: string): string =>
  `[...document.querySelectorAll('[role=dialog] label')].find((each) => each.innerText.trim() === ${JSON.stringify(text)})`

/** Types into the field of that label, once the dialog has it. */
async function type(page: Page, label: string, text: string): Promise<void> {
  await page.until(`${labelled(label)} !== undefined`)
  await page.evaluate(`{
    const input = document.getElementById(${labelled(label)}.htmlFor)
    input.focus()
    Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value').set.call(input, ${JSON.stringify(text)})
    input.dispatchEvent(new Event('input', { bubbles: true }))
  }`)
}

/** Ticks the box of that label, once the dialog has it. */
async function tick(page: Page, label: string): Promise<void> {
  await clickOn(page, labelled(label))
}

interface Exported {
  readonly metadata: {
    readonly tables: readonly {
      readonly table: { readonly name: string }
      readonly apollo_federation_config?: object
      readonly select_permissions?: readonly object[]
    }[]
  }
}

export const structure: readonly State[] = [
  { title: 'full', path: 'data/public/track/structure', shows: hasText('track_album_id_fkey') },
  {
    title: 'columns, indexes and keys change by SQL, which is tried first',
    path: 'data',
    complains: refused,
    shows: hasText('14 tracked'),
    async act(page, { op, check }) {
      await op('run_sql', { sql: 'create table shelf (id int primary key, label text)' })
      await op('track_table', 'shelf')
      await op('create_select_permission', { table: 'shelf', role: 'clerk', permission: { columns: '*', filter: {} } })
      await goTo(page, 'data/public/shelf/structure', hasText('Add column'))
      await clickText(page, 'Add column')
      await page.until(hasText('It becomes SQL'))
      await type(page, 'Name', 'Weight')
      await type(page, 'Type', 'numeric(10, 2)')
      await type(page, 'Comment', "the shelf's load")
      await page.until(hasText(`alter table public.shelf add column "Weight" numeric(10, 2);`))
      await check(page)
      await clickText(page, 'Review')
      await page.until(hasText('GraphQL schema of clerk'))
      await screenshot(page, 'structure')
      await clickText(page, 'Run this SQL')
      await page.until(`${hasText('Add column: done')} && ${hasText("the shelf's load")}`)
      await page.click('[aria-label="Change label"]')
      await tick(page, 'Takes NULL')
      await type(page, 'Default', "'none'")
      await page.until(hasText('alter column label set not null'))
      await clickText(page, 'Review')
      await clickText(page, 'Run this SQL')
      await page.until(`${hasText('Change column label: done')} && ${hasText("'none'::text")}`)
      await clickText(page, 'Add index')
      await tick(page, 'label')
      await page.until(hasText('create index on public.shelf using btree (label);'))
      await clickText(page, 'Review')
      await clickText(page, 'Run this SQL')
      await page.until(`${hasText('Add index: done')} && ${hasText('shelf_label_idx')}`)
      await clickText(page, 'Add foreign key')
      await tick(page, 'id')
      await choose(page, 'Leads to', 'genre')
      await choose(page, 'When that row is deleted', 'cascade')
      await page.until(hasText('add foreign key (id) references public.genre on delete cascade;'))
      await page.press('Escape')
      // A column with values of its own is dropped with a warning of all that goes.
      await page.click('[aria-label="Drop Weight"]')
      await page.until(`${hasText('drop column "Weight"')} && ${hasText('permission shelf.clerk.select')}`)
      await tick(page, 'Remove the objects of the metadata that need it, too')
      await page.until(`!${hasText('dependency-error')}`)
      await clickText(page, 'Run this SQL')
      await page.until(`!${hasText("the shelf's load")}`)
      await clickText(page, 'Change names')
      await type(page, 'label', 'title')
      await clickText(page, 'Save names')
      await page.until(hasText('label is title'))
      assert.deepEqual(await op('select', { table: 'shelf', columns: ['*'] }), [])
      await goTo(page, 'data', hasText('tracked'))
      await op('untrack_table', { table: 'shelf' })
      await op('run_sql', { sql: 'drop table shelf' })
    },
  },
  {
    title: 'a refusal of PostgreSQL stands in the dialog; dark and 320 px',
    path: 'data/public/genre/structure',
    theme: 'dark',
    width: 320,
    complains: refused,
    shows: hasText('Add check'),
    async act(page) {
      await clickText(page, 'Add check')
      await type(page, 'Each row has', 'genre_id > 5')
      await clickText(page, 'Review')
      await page.until(hasText('is violated by some row'))
    },
  },
  {
    title: 'rows of a table become entities of Apollo Federation, also on top of an edit of somebody else',
    path: 'data/public/genre/structure',
    // The page learns nothing of the other edit.
    faults: [{ on: 'v1alpha1/feed', status: 0 }],
    complains: /status of 409/,
    shows: hasText('Entity of Apollo Federation'),
    async act(page, { op, check }) {
      const box = `[...document.querySelectorAll('label')].find((each) => each.innerText.startsWith('Entity of Apollo'))?.control`
      const saved = async () => {
        const { metadata } = await op<Exported>('export_metadata', {}, 2)
        return metadata.tables.find(({ table }) => table.name === 'genre')
      }
      await clickOn(page, box)
      await page.until(`${hasText('Its rows are entities now')} && ${box}.checked`)
      assert.deepEqual((await saved())?.apollo_federation_config, { enable: 'v1' })
      await check(page)
      await op('create_select_permission', { table: 'genre', role: 'rival', permission: { columns: '*', filter: {} } })
      await clickOn(page, box)
      await page.until(hasText('Somebody else edited this meanwhile'))
      await clickText(page, 'Save mine on top')
      await page.until(`${hasText('Its rows are no entities any more')} && !${box}.checked`)
      const { apollo_federation_config: config, select_permissions: permissions } = (await saved())!
      assert.deepEqual([config, permissions?.length], [undefined, 1])
      await op('drop_select_permission', { table: 'genre', role: 'rival' })
      await clickText(page, 'Editing')
      await page.until(`${box}.disabled`)
      await goTo(page, 'data/public/keyless/structure', hasText('The table has no primary key.'))
      assert.equal(await page.evaluate(`${box}.disabled`), true)
    },
  },
]
