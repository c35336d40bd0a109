// The data of the throughput workloads: Chinook, enlarged, and the metadata that serves it.

import { readFileSync } from 'node:fs'
import type pg from 'pg'
import { inherited, minutesFunction } from '../requests/later-workloads.ts'
import { listener, rowCounts } from '../requests/workloads.ts'
import { withClient } from './database.ts'

const read = (path: string): string => readFileSync(new URL(path, import.meta.url), 'utf8')

/** Runs a script of several statements. Some of them cannot run in a transaction. */
async function runScript(client: pg.Client, text: string): Promise<void> {
  for (const statement of text.split(/;\s*$/m)) await client.query(statement)
}

/** Fills an empty database. A database that has the data stays unchanged. */
export async function loadChinook(databaseUrl: string): Promise<void> {
  await withClient(databaseUrl, async (client) => {
    const { rows } = await client.query(`select to_regclass('public.track') is not null as present`)
    if (!rows[0].present) await client.query(read('../../test/data/chinook/chinook.sql'))
    const counted = await client.query('select count(*)::int as count from track')
    if (counted.rows[0].count < rowCounts.track) await runScript(client, read('./enlarge.sql'))
    await client.query(eventTable)
    await client.query(minutesFunction)
  })
}

/** The table of the inserts; empty at the beginning of each run. */
const eventTable = `
  drop table if exists event;
  create table event (
    event_id bigint generated always as identity primary key,
    kind text not null,
    amount numeric not null,
    note text,
    created_at timestamptz not null default now()
  )`

const objectRelationship = (name: string, column: string) => ({
  name,
  using: { foreign_key_constraint_on: column },
})

const arrayRelationship = (name: string, table: string, column: string) => ({
  name,
  using: { foreign_key_constraint_on: { table, column } },
})

/** The metadata of Chinook that the workloads need. */
export const chinookMetadata = {
  version: 2,
  tables: [
    { table: 'artist', array_relationships: [arrayRelationship('albums', 'album', 'artist_id')] },
    {
      table: 'album',
      object_relationships: [objectRelationship('artist', 'artist_id')],
      array_relationships: [arrayRelationship('tracks', 'track', 'album_id')],
      select_permissions: [
        { role: listener.role, permission: { columns: '*', filter: { artist_id: { _eq: listener.artistVariable } } } },
        {
          role: inherited.other,
          permission: { columns: ['album_id', 'title'], filter: { album_id: { _lt: inherited.below } } },
        },
      ],
    },
    {
      table: 'track',
      object_relationships: [objectRelationship('album', 'album_id'), objectRelationship('genre', 'genre_id')],
      computed_fields: [{ name: 'minutes', definition: { function: 'track_minutes' } }],
      select_permissions: [
        {
          role: listener.role,
          permission: { columns: '*', filter: { album: { artist_id: { _eq: listener.artistVariable } } } },
        },
      ],
    },
    { table: 'genre' },
    { table: 'event' },
  ],
  inherited_roles: [{ role_name: inherited.role, role_set: [listener.role, inherited.other] }],
}
