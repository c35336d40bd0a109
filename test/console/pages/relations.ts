import assert from 'node:assert/strict'
import { hasText, type State, screenshot } from '../support.ts'
import { choose, clickText } from './steps.ts'

interface Exported {
  readonly metadata: {
    readonly tables: readonly {
      readonly table: { readonly name: string }
      readonly object_relationships?: readonly { readonly name: string }[]
      readonly remote_relationships?: readonly object[]
      readonly select_permissions?: readonly { readonly permission: object }[]
    }[]
  }
}

const refused = /status of 4(?:00|09)/

export const relations: readonly State[] = [
  {
    title: 'a suggested one is added, renamed with all that it touches, and removed, beside an edit of somebody else',
    path: 'data/public/lyric/relations',
    shows: `${hasText('1 la la → 1 For Those')} && ${hasText('Add track')}`,
    complains: refused,
    async act(page, { op, check }) {
      const lyric = async () => {
        const { metadata } = await op<Exported>('export_metadata', {}, 2)
        return metadata.tables.find(({ table }) => table.name === 'lyric')
      }
      await check(page)
      // Somebody else edits, which the page does not know.
      await op('set_table_is_enum', { table: 'genre', is_enum: false })
      await clickText(page, 'Add track')
      await page.until(`${hasText('Added track')} && ${hasText('1 relationship')}`)
      const permission = { columns: ['body'], filter: { track: { genre_id: { _eq: 1 } } } }
      await op('create_select_permission', { table: 'lyric', role: 'singer', permission })
      await page.reload()
      await clickText(page, 'Rename')
      await page.type('[role=dialog] input', 'song')
      await page.until(hasText('lyric select permission singer'))
      await check(page)
      await screenshot(page, 'relations-rename')
      await clickText(page, 'Rename relationship')
      await page.until(hasText('Renamed track to song'))
      assert.deepEqual((await lyric())?.select_permissions?.[0]?.permission, {
        ...permission,
        filter: { song: permission.filter.track },
      })
      await page.click('[aria-label="Remove song"]')
      await page.until(hasText('lyric select permission singer'))
      await clickText(page, 'Remove song')
      await page.until(`${hasText('Removed song')} && ${hasText('Add track')}`)
      assert.deepEqual(
        [(await lyric())?.object_relationships, (await lyric())?.select_permissions],
        [undefined, undefined],
      )
    },
  },
  {
    title: 'joins to a table and to a remote schema are tried before they are saved, dark and 320 px',
    path: 'data/public/employee/relations?edit=add',
    theme: 'dark',
    width: 320,
    shows: hasText('Leads to'),
    async act(page, { op, check }) {
      await page.type('[role=dialog] input[list]', 'customer')
      await page.until(hasText('Columns that are equal'))
      await choose(page, 'Column of employee', 'city')
      await choose(page, 'Column of customer', 'city')
      await page.until(hasText('As 1 Adams → 14 Mark'))
      await check(page)
      await clickText(page, 'To a remote schema')
      await page.type('[role=dialog] input', 'boss')
      await choose(page, 'Field', 'person')
      await page.type('[role=dialog] input[list]', '$reports_to')
      await clickText(page, 'Try with a row')
      await page.until(hasText('"Ada"'))
      await check(page)
      await clickText(page, 'Add relationship')
      await page.until(hasText('Added boss'))
      const { metadata } = await op<Exported>('export_metadata', {}, 2)
      assert.deepEqual(metadata.tables.find(({ table }) => table.name === 'employee')?.remote_relationships, [
        {
          name: 'boss',
          definition: {
            remote_schema: 'people',
            service_fields: ['reports_to'],
            remote_field: { person: { arguments: { id: '$reports_to' } } },
          },
        },
      ])
      await op('delete_remote_relationship', { table: 'employee', name: 'boss' })
    },
  },
  {
    title: 'examples that fail leave the relationships',
    path: 'data/public/track/relations',
    faults: [{ on: 'bulk', status: 400, body: { path: '$', error: 'it <b>broke</b>', code: 'unexpected' } }],
    shows: `${hasText('no example: it <b>broke</b>')} && ${hasText('album_id')}`,
  },
]
