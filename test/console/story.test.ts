// From an empty server to another one with the same metadata, in one browser, without a mouse: each step uses the state that
// the one before left.

import assert from 'node:assert/strict'
import { browserTest } from '../support/chromium.ts'
import { pasteDatabase, signIn, trackAll } from './story/beginning.ts'
import { askAsBoth, lookAsCustomer } from './story/identities.ts'
import { copyRule, makeIndex, makeRole } from './story/permissions.ts'
import { editCells, filterRows } from './story/rows.ts'
import { type Story, startStory } from './story/stage.ts'

const steps: readonly (readonly [title: string, step: (story: Story) => Promise<void>])[] = [
  ['an empty server with a secret: sign in, and see the first steps', signIn],
  ['SQL makes the database', pasteDatabase],
  ['11 tables and 22 relationships are tracked in one request', trackAll],
  ['rows: filter, order and columns are there after a reload', filterRows],
  ['rows: two people edit a cell, and saved edits are taken back', editCells],
  ['a role gets its own invoices: 7 of 412', makeRole],
  ['the rule is copied to other tables, through a relationship', copyRule],
  ['the page makes an index for a rule that no index serves', makeIndex],
  ['the hidden invoice of another customer says why', lookAsCustomer],
  ['one operation as two identities', askAsBoth],
]

browserTest('the story of a new server, by the keyboard alone', async (t) => {
  const story = await startStory(t)
  for (const [title, step] of steps) await t.test(title, () => step(story))
  assert.deepEqual(
    story.page.complaints.filter((each) => !/status of 401/.test(each)),
    [],
  )
})
