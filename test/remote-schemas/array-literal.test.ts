// Array literals in session variables are parsed as PostgreSQL parses them.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { arrayItems } from '../../plugins/remote-schemas/ask/array-literal.ts'
import { TrellisError } from '../../sdk/index.ts'
import fc from '../support/fast-check.ts'
import { startTrellis } from '../support/trellis.ts'

const piece = fc.constantFrom(
  ...[
    'a',
    'B',
    '{a,b}',
    '{a}',
    'null',
    'NULL',
    ',',
    '{',
    '}',
    '"',
    '\\',
    ' ',
    '\t',
    '\n',
    '\u00a0',
    'é',
    '1',
    '=',
    '[1:2]',
    '[0:0]=',
  ],
)

test('any array that PostgreSQL prints is parsed back', async (t) => {
  const { sql } = await startTrellis(t)
  const text = fc.array(piece, { maxLength: 6 }).map((pieces) => pieces.join(''))
  const lists = fc.sample(fc.array(fc.option(text), { maxLength: 4 }), 300)
  const pairs = lists.flatMap((list) => (list.length > 0 ? [list, [list, list]] : [list]))
  const rows = await sql(
    `select array(select value from json_array_elements_text(list) with ordinality as e (value, place) order by place)::text as one,
        list::text as list from unnest($1::json[]) as list where json_typeof(list -> 0) is distinct from 'array'`,
    [pairs.map((pair) => JSON.stringify(pair))],
  )
  for (const { one, list } of rows as { one: string; list: string }[]) {
    assert.deepEqual(arrayItems(one), JSON.parse(list), one)
    if (one !== '{}') assert.deepEqual(arrayItems(`[3:4]={${one},${one}}`), [JSON.parse(list), JSON.parse(list)])
  }
})

test('a text that begins like an array is parsed or refused as in PostgreSQL', async (t) => {
  const { sql } = await startTrellis(t)
  const inner = fc.array(piece, { maxLength: 8 }).map((pieces) => pieces.join(''))
  const texts = fc.sample(
    fc.oneof(
      inner.map((text) => `{${text}}`),
      inner.map((text) => `{${text}`),
    ),
    2000,
  )
  await sql(`create function read(given text) returns text language plpgsql as $$
    begin return array_to_json(given::text[])::text; exception when others then return null; end $$`)
  const rows = await sql('select given, read(given) as read from unnest($1::text[]) as given', [texts])
  for (const { given, read } of rows as { given: string; read: string | null }[]) {
    if (read === null) {
      assert.throws(() => arrayItems(given), TrellisError, given)
      continue
    }
    // Empty arrays have no dimensions in PostgreSQL.
    const items = arrayItems(given)
    if (read !== '[]') assert.deepEqual(items, JSON.parse(read), given)
  }
})

test('other texts are single values', () => {
  for (const text of ['', 'a', 'a,b', '[1,2]', '[1:2]', '"{a}"']) assert.equal(arrayItems(text), null)
})
