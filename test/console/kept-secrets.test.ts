import assert from 'node:assert/strict'
import { test } from 'node:test'
import { withoutSecrets, withSecrets } from '../../console/src/base/kept-secrets.ts'

const definition = (value: string) =>
  JSON.stringify({
    webhook: 'http://a',
    headers: [
      { name: 'authorization', value },
      { name: 'b', value_from_env: 'B' },
    ],
  })

test('values of headers are not kept, and those of the saved thing come back', () => {
  const saved = { name: 'told', text: definition('Bearer hush') }
  const typed = { name: 'told', text: definition('Bearer hush').replace('http://a', 'http://b') }
  const kept = withoutSecrets(typed, saved)
  assert.equal(JSON.stringify(kept).includes('hush'), false)
  assert.equal(kept?.hasLost, false)
  const back = withSecrets(kept!.values, saved)
  assert.deepEqual(JSON.parse(back.text), JSON.parse(typed.text))
})

test('a value of a header that was typed is lost, and the draft knows it', () => {
  const kept = withoutSecrets({ text: definition('Bearer new') }, { text: definition('Bearer old') })
  assert.equal(/new|old/.test(JSON.stringify(kept)), false)
  assert.equal(kept?.hasLost, true)
})

test('headers by their names and passwords in URLs are not kept either', () => {
  const typed = {
    definition: {
      request_transform: { request_headers: { add_headers: { 'x-key': 'hush' }, remove_headers: ['x-old'] } },
    },
    webhook: 'https://me:hush@hooks.example.com/a',
    sdl: 'type Query { headers: String }',
  }
  const kept = withoutSecrets(typed, typed)
  assert.deepEqual(kept, {
    values: {
      definition: {
        request_transform: { request_headers: { add_headers: { 'x-key': '' }, remove_headers: ['x-old'] } },
      },
      webhook: 'https://me:@hooks.example.com/a',
      sdl: 'type Query { headers: String }',
    },
    hasLost: false,
  })
  assert.deepEqual(withSecrets(kept!.values, typed), typed)
})

test('a text that is not whole is not kept where it may have a secret', () => {
  assert.equal(withoutSecrets({ text: '{"headers":[{"name":"a","value":"hu' }, { text: '{}' }), null)
  assert.deepEqual(withoutSecrets({ text: '{"webhook":"http' }, { text: '{}' })?.values, { text: '{"webhook":"http' })
})

test('a text without secrets stays as it was typed, with all digits', () => {
  const text = '{ "headers": [],\n "id": 12345678901234567890 }'
  assert.equal(withoutSecrets({ text }, { text: '{}' })?.values.text, text)
})
