import assert from 'node:assert/strict'
import { test } from 'node:test'
import { found } from '../../console/src/shell/finding.ts'

const words = ['invoice', 'customer', 'track', 'genre', 'playlist', 'album', 'artist', 'employee', 'media', 'lyric']

/** Many names of tables. */
const many = Array.from({ length: 20_000 }, (_, at) => {
  const title = `${words[at % 10]}_${words[Math.floor(at / 10) % 10]}_${at}`
  return { title, kind: 'table' }
})

const titlesOf = (commands: readonly { readonly title: string }[]) => commands.map(({ title }) => title)

test('signs choose a kind, and the best names come first', () => {
  const few = [
    { title: 'track_genre', kind: 'table' },
    { title: 'genre', kind: 'table' },
    { title: 'genre_editor', kind: 'role' },
    { title: 'Record genres', kind: 'command' },
  ]
  assert.deepEqual(titlesOf(found(few, 'genre')).slice(0, 1), ['genre'])
  assert.deepEqual(titlesOf(found(few, '@genre')), ['genre_editor'])
  assert.deepEqual(titlesOf(found(few, '> genre')), ['Record genres'])
  assert.deepEqual(titlesOf(found(few, '@')), ['genre_editor'])
  assert.deepEqual(titlesOf(found(few, 'nothing')), [])
})

test('a name among 20,000 is found, however many fit, within 50 ms for a key', () => {
  assert.equal(found(many, 'invoice_customer_10010')[0]?.title, 'invoice_customer_10010')
  assert.equal(found(many, 'inv cust 19910')[0]?.title, 'invoice_customer_19910')
  assert.equal(found(many, 'e').length, 50)
  const times: number[] = []
  for (const text of ['i', 'in', 'inv', 'invo', 'invoice', 'invoice c', 'invoice cust', 'track_99', 'a r t', 'zzz']) {
    const start = performance.now()
    found(many, text)
    times.push(performance.now() - start)
  }
  assert.ok(times.toSorted((a, b) => a - b)[5]! < 50, times.join(' '))
})
