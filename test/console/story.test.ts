// From an empty server to another one with the same metadata, in one browser, without a mouse: each step uses the state that
// the one before left.

import assert from 'node:assert/strict'
import { browserTest } from '../support/chromium.ts'
import { Contract } from './contract.ts'
import { pasteDatabase, signIn, trackAll } from './story/beginning.ts'
import { createTrigger, followChange, redeliver } from './story/events.ts'
import { surviveServer } from './story/faults.ts'
import { importDocument, replay, revertRole } from './story/govern.ts'
import { askAsBoth, lookAsCustomer } from './story/identities.ts'
import { copyRule, makeIndex, makeRole } from './story/permissions.ts'
import { askThroughJoin, joinRemote, mendMetadata } from './story/remote.ts'
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
  ['one operation as two identities, side by side', askAsBoth],
  ['an event trigger, whose webhook is tested first', createTrigger],
  ['a change appears with its request, a failure and a success', followChange],
  ['three failures are delivered again', redeliver],
  ['a remote schema is joined to customers', joinRemote],
  ['a role asks through the join', askThroughJoin],
  ['a dropped table leaves inconsistent objects, which are mended', mendMetadata],
  ['the history takes the second role back', revertRole],
  ['the document is exported, cleared, and imported by its differences', importDocument],
  ['the recording gives another server the same document', replay],
  ['the server dies while it saves, and comes back with another secret: nothing typed is lost', surviveServer],
]

browserTest('the story of a new server, by the keyboard alone', async (t) => {
  const story = await startStory(t)
  const contract = new Contract(await story.description())
  for (const [title, step] of steps) await t.test(title, () => step(story))
  for (const request of story.page.sent) contract.check(request)
  assert.deepEqual(
    story.page.complaints.filter(
      (each) =>
        !/status of 401|ERR_(?:CONNECTION_REFUSED|EMPTY_RESPONSE|CONNECTION_RESET|INCOMPLETE_CHUNKED_ENCODING)/.test(
          each,
        ),
    ),
    [],
  )
})
