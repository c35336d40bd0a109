// Cells of PostGIS in the grid: a shape with its size, and the whole value in a dialog.

import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import { loadFiles } from '../../plugins/console/assets.ts'
import { startBrowser } from '../support/browser.ts'
import { browserTest } from '../support/chromium.ts'
import { skipSpatial, startSpatial } from '../support/postgis.ts'
import { cell, change, clickText, markForDeletion, typeCode } from './pages/steps.ts'
import { hasText } from './support.ts'

const sql = `
  create table place (id int primary key, name text, spot geometry(Point, 4326), area geometry, way geography);
  insert into place values
    (1, 'Oslo', 'SRID=4326;POINT(10.75 59.91)', 'POLYGON((0 0, 1 0, 1 1, 0 0))', 'LINESTRING(0 0, 1 1)'),
    (2, 'nowhere', null, 'MULTIPOINT EMPTY', null),
    (3, 'high', 'SRID=4326;POINT(1 2)', 'POINT Z (1 2 3)', 'POINT(3 4)'),
    (4, 'long', null, ST_Segmentize('LINESTRING(0 0, 1000 0)'::geometry, 1), null)`

async function editShapes(t: TestContext): Promise<void> {
  await loadFiles()
  const { url, op } = await startSpatial(t, { sql, settings: { enableConsole: true } })
  await op('track_table', 'place')
  const open = await startBrowser(t)
  const page = await open(`${url.replace('127.0.0.1', 'localhost')}/console/data/public/place?order=id`)
  await page.resize(1280, 800)
  await page.until(hasText('4 rows'))
  const shown = (row: number) =>
    page.evaluate<string[]>(
      `[4, 5, 6].map((column) => document.querySelector('[role=grid] [aria-rowindex="${row + 1}"] [aria-colindex="' + column + '"]').innerText.trim())`,
    )
  assert.deepEqual(await shown(1), ['point, 25 B', 'polygon, 77 B', 'line, 45 B'])
  assert.deepEqual(await shown(2), ['NULL', 'multipoint, 9 B', 'NULL'])
  assert.deepEqual(await shown(3), ['point, 25 B', 'point, 29 B', 'point, 25 B'])
  // The grid has the beginning of it alone.
  assert.deepEqual((await shown(4))[1], 'line, 16 kB')

  await change(page, cell(0, 2), 'Kristiania')
  await page.click(cell(1, 3))
  await page.press('Enter')
  await page.until(hasText('GeoJSON'))
  await typeCode(page, 'spot', '{"type": "Point", "coordinates": [5, 6]}')
  await clickText(page, 'Stage edit')
  // A shape that is there opens as GeoJSON, too.
  await page.click(cell(0, 4))
  await page.press('Enter')
  await page.until(`${hasText('Polygon')} && ${hasText('coordinates')}`)
  await typeCode(page, 'area', '{"type": "Point", "coordinates": [0.123456789012345, 6]}')
  await clickText(page, 'Stage edit')
  await markForDeletion(page, 2)
  await page.press('s', ['ctrl'])
  await clickText(page, 'Save 3 rows')
  await page.until(hasText('Saved 3 rows'))
  const { result } = await op<{ result: string[][] }>('run_sql', {
    sql: 'select name, ST_AsText(spot), ST_AsText(area) from place where id < 4 order by id',
  })
  assert.deepEqual(result.slice(1), [
    ['Kristiania', 'POINT(10.75 59.91)', 'POINT(0.123456789012345 6)'],
    ['nowhere', 'POINT(5 6)', 'MULTIPOINT EMPTY'],
  ])
  assert.deepEqual(page.complaints, [])
}

browserTest('shapes of PostGIS have their kind and size in the grid, and can be edited', editShapes, skipSpatial)
