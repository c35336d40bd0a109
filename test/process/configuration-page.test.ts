import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { defaultText, flagText, helpText } from '../../process/help.ts'
import { builtInOptions as options } from '../support/built-in-options.ts'

const page = readFileSync(new URL('../../docs/configuration.md', import.meta.url), 'utf8')

/** The rows of the table of options: flag, variable, key, default and meaning. */
const documented = page
  .split('\n')
  .filter((line) => line.startsWith('| `-'))
  .map((line) =>
    line
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim().replaceAll('`', '')),
  )

const declared = options.map((option) => {
  const { variable = '-', description, secret } = option.declaration
  return [flagText(option), variable, option.key, defaultText(option), description + (secret ? '; secret' : '')]
})

test('the reference page has exactly the options that are declared', () => {
  assert.deepEqual(documented, declared)
})

test('no two options share a flag, a short flag or a variable', () => {
  const names = options.flatMap(({ declaration: { flag, short, variable } }) => [`--${flag}`, short, variable])
  const given = names.filter((name) => name !== undefined)
  assert.equal(new Set(given).size, given.length)
})

const allHelp = helpText(options, [], 'all')

test('help all names flag, variable, key and default of each option', () => {
  const words = allHelp.replace(/\s+/g, ' ')
  for (const option of options) {
    const { variable, description, secret } = option.declaration
    const name = `SERVICE_GRAPHQL_${variable}`
    const variables = `variable ${secret ? `${name} or ${name}_FILE` : name}, `
    const names = `${variable === undefined ? '' : variables}key ${option.key}`
    const entry = `${flagText(option)} ${description} [${names}, default ${defaultText(option)}]`
    assert.ok(words.includes(entry), entry)
  }
})

/** The flags that a help text explains. */
const explained = (text: string) => [...text.matchAll(/^ {2}(?:-\w, )?--([a-z0-9-]+)/gm)].map(([, flag]) => flag)

test('help shows ten options and names the groups, each of which shows its own', () => {
  const text = helpText(options)
  assert.equal(explained(text).length, 10)
  const groups = [...new Set(options.map(({ group }) => group))]
  for (const group of groups) assert.match(text, new RegExp(`\\b${group}\\b`))
  const ofGroups = groups.flatMap((group) => explained(helpText(options, [], group)))
  assert.deepEqual(
    ofGroups,
    options.map(({ declaration: { flag } }) => flag),
  )
  assert.deepEqual(explained(allHelp), ofGroups)
})
