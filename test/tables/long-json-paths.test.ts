// JSON paths of a megabyte, which roles may send where they filter a `jsonb` column.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startTrellis } from '../support/trellis.ts'

test('a JSON path is checked in time proportional to its length', async (t) => {
  const { graphql, op } = await startTrellis(t, { sql: 'create table box (id int primary key, labels jsonb)' })
  await op('track_table', 'box')
  const query = 'query ($path: String!) { box(where: {labels: {_jsonb_path_exists: $path}}) { id } }'
  const paths: readonly (readonly [string, RegExp])[] = [
    ['/*a'.repeat(300_000), /unterminated|syntax error|end of jsonpath/],
    [`"${'\\"'.repeat(450_000)}`, /unterminated/],
    [`$.a${' '.repeat(900_000)}.b`, /^{"data":{"box":\[\]}}$/],
  ]
  for (const [path, answer] of paths) {
    const start = performance.now()
    assert.match(JSON.stringify(await graphql(query, { path })), answer)
    // Several minutes, if each of the comments that do not end was read to the end of the text.
    assert.ok(performance.now() - start < 10_000, path.slice(0, 10))
  }
})
