// The rules of language that `npm run check` holds.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { faultsOfComments, faultsOfPage, faultsOfTitles } from '../../scripts/language-rules.ts'

const long = `This sentence ${'goes on and '.repeat(20)}ends.`

test('a page whose sentence is over the limit fails the check', () => {
  assert.deepEqual(
    faultsOfPage(`# Title\n\nA short sentence. ${long}\n`).map(({ line, advice }) => ({ line, advice })),
    [{ line: 3, advice: 'split the sentence: it has 63 words' }],
  )
})

test('a comment with a construction that hides its subject fails the check', () => {
  const source = `const a = 1\n// The value is none of these.\n/** Whoever is late waits. */\n\n// A text that is no number.\n`
  assert.deepEqual(
    faultsOfComments(source).map(({ line, advice }) => ({ line, advice })),
    [
      { line: 2, advice: 'say "is not a …" or "there is no …"' },
      { line: 3, advice: 'name the subject' },
      { line: 3, advice: 'start with a noun' },
      { line: 5, advice: 'say "is not a …"' },
    ],
  )
})

test('a title of a test that hides its subject fails the check', () => {
  const call = 'test'
  const source = `${call}('what is late waits for others', () => {})\n${call}(\`a late \${name} waits\`, () => {})\n`
  assert.deepEqual(
    faultsOfTitles(source).map(({ line, advice }) => ({ line, advice })),
    [{ line: 1, advice: 'start with a noun' }],
  )
})

test('code, tables and headings are not prose', () => {
  const page = `# Whoever is late\n\n| a | is none |\n\n\`\`\`\nis none\n\`\`\`\n\n- \`is none\` is code.\n`
  assert.deepEqual(faultsOfPage(page), [])
  assert.deepEqual(faultsOfComments(`const text = 'is none'\n`), [])
})
