// The cost of prepared statements in PostgreSQL: its processes keep the plans of statements, most of which are never
// used again.

import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { startChinook } from '../support/chinook.ts'
import type { TestTrellis } from '../support/trellis.ts'

/** Bytes that one process of PostgreSQL may hold for itself. */
const most = 64 * 1024 * 1024

const documents = 900
const runs = 12
const clients = 16

/** Three levels with arguments on each; every number has a text of its own. */
const document = (number: number): string => `query Artists${number}($after: Int!) {
  artist(where: {artist_id: {_gt: $after}}, order_by: {artist_id: asc}, limit: 2) {
    artist_id name
    albums(where: {title: {_ilike: "%${number}%"}}, order_by: {title: asc}) {
      album_${number}: album_id title
      tracks(where: {genre: {name: {_eq: "Rock"}}}, order_by: {track_id: desc}, limit: 3) {
        track_id name milliseconds genre { name }
      }
      tracks_aggregate { aggregate { count } }
    }
  }
}`

/** Private memory of the processes that serve a database, in bytes; null on systems without this figure. */
async function privateMemory({ sql }: TestTrellis): Promise<number[] | null> {
  const rows = await sql<{ pid: number }>(
    `select pid from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()`,
  )
  try {
    return rows.map(({ pid }) => {
      const text = readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8')
      const kilobytes = [...text.matchAll(/^Private_\w+: +(\d+) kB$/gm)].map(([, size]) => Number(size))
      return kilobytes.reduce((sum, size) => sum + size, 0) * 1024
    })
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ENOENT' || code === 'EACCES') return null
    throw error
  }
}

test(`${documents} documents of three levels, ${runs} runs each, leave PostgreSQL's processes small`, async (t) => {
  const trellis = await startChinook(t, { settings: { connections: 20 } })
  if ((await privateMemory(trellis)) === null) return t.skip('this system does not report the memory of processes')
  let next = 0
  const work = async () => {
    for (let number = next++; number < documents * runs; number = next++) {
      const { errors } = await trellis.graphql<{ errors?: unknown }>(document(number % documents), {
        after: number % 200,
      })
      assert.equal(errors, undefined)
    }
  }
  await Promise.all(Array.from({ length: clients }, work))
  const sizes = (await privateMemory(trellis))!
  assert.ok(sizes.length > 0)
  const tooLarge = sizes.filter((size) => size > most).map((size) => `${Math.round(size / 1024 / 1024)} MB`)
  assert.deepEqual(tooLarge, [])
})
