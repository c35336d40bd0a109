// The Chinook sample database, tracked with all relationships of its foreign keys.

import { readFileSync } from 'node:fs'
import type { TestContext } from 'node:test'
import { startTrellis, type TestTrellis, type TrellisOptions } from './trellis.ts'

/** The SQL of its tables and rows. */
export const chinook = readFileSync(new URL('../data/chinook/chinook.sql', import.meta.url), 'utf8')

export const chinookTables = [
  'album',
  'artist',
  'customer',
  'employee',
  'genre',
  'invoice',
  'invoice_line',
  'media_type',
  'playlist',
  'playlist_track',
  'track',
] as const

/** (table, column, object relationship, target, array relationship of the target). */
const foreignKeys = [
  ['album', 'artist_id', 'artist', 'artist', 'albums'],
  ['customer', 'support_rep_id', 'support_rep', 'employee', 'customers'],
  ['employee', 'reports_to', 'manager', 'employee', 'reports'],
  ['invoice', 'customer_id', 'customer', 'customer', 'invoices'],
  ['invoice_line', 'invoice_id', 'invoice', 'invoice', 'lines'],
  ['invoice_line', 'track_id', 'track', 'track', 'invoice_lines'],
  ['playlist_track', 'playlist_id', 'playlist', 'playlist', 'playlist_tracks'],
  ['playlist_track', 'track_id', 'track', 'track', 'playlist_tracks'],
  ['track', 'album_id', 'album', 'album', 'tracks'],
  ['track', 'genre_id', 'genre', 'genre', 'tracks'],
  ['track', 'media_type_id', 'media_type', 'media_type', 'tracks'],
] as const

/** The metadata operations that track everything. */
export const trackChinook = [
  ...chinookTables.map((table) => ({ type: 'track_table', args: { schema: 'public', name: table } })),
  ...foreignKeys.flatMap(([table, column, object, target, array]) => [
    {
      type: 'create_object_relationship',
      args: { table, name: object, using: { foreign_key_constraint_on: column } },
    },
    {
      type: 'create_array_relationship',
      args: { table: target, name: array, using: { foreign_key_constraint_on: { table, column } } },
    },
  ]),
]

/** An engine over Chinook with everything tracked. */
export async function startChinook(t: TestContext, options: TrellisOptions = {}): Promise<TestTrellis> {
  const trellis = await startTrellis(t, { ...options, sql: chinook })
  await trellis.op('bulk', trackChinook)
  return trellis
}
