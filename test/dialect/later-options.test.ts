// The table of 2.x options in docs/dialect.md: a server takes those that it calls served, and names those that it ignores.

import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { builtInOptions, parseSettings, readCommandLine } from '../support/built-in-options.ts'
import { testDatabase } from '../support/database.ts'
import { spawnTrellis } from '../support/process.ts'

const page = readFileSync(new URL('../../docs/dialect.md', import.meta.url), 'utf8')
const table = page.slice(page.indexOf('Options of 2.x:'), page.indexOf('## Names of the source'))

/** The variables of each row, and whether the row says that they are ignored. */
const rows = [...table.matchAll(/^\| (.+?) \| (.+) \|$/gm)].flatMap(([, names = '', effect = '']) => {
  const variables = [...names.matchAll(/`([A-Z][A-Z0-9_]+)`/g)].map(([, name]) => `HASURA_GRAPHQL_${name}`)
  return variables.map((variable) => ({ variable, isIgnored: effect.startsWith('ignored') }))
})

test('each variable of the table has an option, or is ignored as the table says', () => {
  assert.ok(rows.length > 20)
  const declared = new Set(
    builtInOptions.flatMap(({ declaration: { variable, laterVariable } }) =>
      [variable, laterVariable].flatMap((name) => (name === undefined ? [] : [`HASURA_GRAPHQL_${name}`])),
    ),
  )
  for (const { variable, isIgnored } of rows) assert.equal(declared.has(variable), !isIgnored, variable)
})

test('ignored variables are reported', () => {
  const ignored = rows.filter(({ isIgnored }) => isIgnored).map(({ variable }) => variable)
  const variables = Object.fromEntries(ignored.map((name) => [name, 'x']))
  const given = readCommandLine(['--dialect', 'hasura'])
  assert.deepEqual(parseSettings(given, { variables, readFile: () => null }).unknownVariables, ignored)
})

test('the banner of a server names ignored variables, and a flag without an option ends the start', async (t) => {
  const variables = { HASURA_GRAPHQL_METADATA_DEFAULTS: '{}', HASURA_GRAPHQL_ENABLE_MAINTENANCE_MODE: 'true' }
  const { url } = await testDatabase(t)
  const args = ['--dialect', 'hasura', '--server-port', '0', '--database-url', url]
  await spawnTrellis(t, args, variables).output(/Ignored +HASURA_GRAPHQL_METADATA_DEFAULTS: no such option\n/)
  const { code, stderr } = await spawnTrellis(t, ['--dialect', 'hasura', '--metadata-defaults', '{}'], {}).ended
  assert.equal(code, 1)
  assert.match(stderr, /Unknown option --metadata-defaults/)
})
