import assert from 'node:assert/strict'
import { hasText, type State, screenshot } from '../support.ts'
import { cell, clickText } from './steps.ts'

const pane = `document.querySelector('[aria-label="Related rows"]:is(aside)')`
const shows = (text: string) => `(${pane}?.innerText ?? '').includes(${JSON.stringify(text)})`
const isClosed = `${pane} === null`
const place = `new URLSearchParams(location.search).get('at')`

export const related: readonly State[] = [
  {
    title: 'related rows of related rows, which the address keeps',
    path: 'data/public/album',
    shows: hasText('Restless and Wild'),
    async act(page, { check }) {
      await page.click(`${cell(2, 1).replace(/ \[aria-colindex.*/, '')} button[aria-label="Related rows"]`)
      await page.until(`${shows('album 3 Restless and Wild')} && ${shows('2 Accept')} && ${shows('Fast As a Shark')}`)
      await check(page)
      await clickText(page, '3 Fast As a Shark')
      await page.until(shows('track 3 Fast As a Shark'))
      // A relationship of the metadata, a foreign key without one, and the foreign keys of other tables.
      await page.until(`${shows('1 Rock')} && ${shows('2 Protected AAC audio file')}`)
      await clickText(page, '1 Rock')
      await page.until(shows('genre 1 Rock'))
      assert.equal(await page.evaluate(place), '3/tracks:3/genre')
      await clickText(page, 'All rows of tracks')
      await page.until(shows('the first 50 rows of track'))
      await page.reload()
      await page.until(shows('the first 50 rows of track'))
      await screenshot(page, 'related')
      await clickText(page, 'track 3 Fast As a Shark')
      await page.until(shows('1 Rock'))
      await page.press('Escape')
    },
  },
  {
    title: 'Alt with arrows goes along foreign keys and back',
    path: 'data/public/album',
    theme: 'dark',
    shows: hasText('Restless and Wild'),
    async act(page, { check }) {
      await page.click(cell(0, 3))
      await page.press('ArrowRight', ['alt'])
      await page.until(`${shows('artist 1 AC/DC')} && ${shows('1 For Those About To Rock')}`)
      await check(page)
      await page.press('ArrowRight', ['alt'])
      await page.until(`document.activeElement.matches('[data-link]')`)
      await page.press('ArrowDown', ['alt'])
      await page.press('ArrowRight', ['alt'])
      await page.until(shows('album 4 Let There Be Rock'))
      assert.equal(await page.evaluate(place), '1/artist/albums:4')
      await page.press('ArrowLeft', ['alt'])
      await page.until(`${shows('artist 1 AC/DC')} && !${shows('album 4 Let')}`)
      await page.press('ArrowLeft', ['alt'])
      await page.until(shows('one of artist by artist_id'))
      await page.press('Escape')
      await page.until(isClosed)
    },
  },
  {
    title: 'related rows at 320 px are a page of their own',
    path: 'data/public/album?at=1',
    width: 320,
    shows: shows('7 Let'),
    async act(page) {
      assert.equal(await page.evaluate(`document.querySelector('section[aria-label=Rows]')`), null)
      await page.click('[aria-label="Close related rows"]')
      await page.until(`document.querySelector('section[aria-label=Rows]') !== null`)
    },
  },
  {
    title: 'a related row that does not exist, and a way that leads nowhere',
    isKnown: true,
    path: 'data/public/album?at=9999/nothing',
    shows: shows('This row does not exist any more'),
  },
]
