// The rules of imports that `npm run check` holds.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { importRefusals } from '../../scripts/import-rules.ts'

/** Lines of the check for these imports, written as `from -> to`. */
function refusals(...imports: readonly string[]): string[] {
  const parsed = imports.map((line) => {
    const [from, to] = line.split(' -> ') as [string, string]
    return { from, to, isType: false }
  })
  return importRefusals(parsed, (plugin) => (plugin === 'relay' ? ['tables'] : []))
}

test('a folder of core may import the folders below it', () => {
  assert.deepEqual(refusals('core/graphql/engine.ts -> core/compiler/plan/plan.ts'), [])
})

test('an import against the order of folders fails the check', () => {
  assert.deepEqual(refusals('core/compiler/plan/plan.ts -> core/graphql/engine.ts'), [
    'core/compiler/plan/plan.ts may not import core/graphql/engine.ts',
  ])
})

test('an import against the order within a folder fails the check', () => {
  assert.deepEqual(refusals('core/graphql/read/values.ts -> core/graphql/run/execute.ts'), [
    'core/graphql/read/values.ts may not import core/graphql/run/execute.ts',
  ])
})

test('a folder of core that has no place in the order fails the check', () => {
  assert.deepEqual(refusals('core/extras/extra.ts -> core/errors/errors.ts'), [
    'core/extras/extra.ts may not import core/errors/errors.ts',
  ])
})

test('files and folders that import each other in a circle fail the check', () => {
  assert.deepEqual(refusals('plugins/a/b.ts -> plugins/a/c.ts', 'plugins/a/c.ts -> plugins/a/b.ts'), [
    'these files import each other in a circle: plugins/a/b.ts, plugins/a/c.ts',
  ])
  const between = refusals('core/http/a.ts -> core/auth/b.ts', 'core/auth/c.ts -> core/http/d.ts')
  assert.deepEqual(between, [
    'core/auth/c.ts may not import core/http/d.ts',
    'these folders import each other in a circle: core/auth, core/http',
  ])
})

test('a plugin imports public files of its declared dependencies, and core through the SDK', () => {
  assert.deepEqual(refusals('plugins/relay/a.ts -> plugins/tables/graphql.ts', 'plugins/relay/a.ts -> sdk/sql.ts'), [])
  assert.deepEqual(
    refusals(
      'plugins/relay/a.ts -> plugins/tables/entries.ts',
      'plugins/tables/a.ts -> plugins/data/index.ts',
      'plugins/relay/a.ts -> core/json/json.ts',
    ),
    [
      'plugins/relay/a.ts may not import plugins/tables/entries.ts',
      'plugins/tables/a.ts may not import plugins/data/index.ts',
      'plugins/relay/a.ts may not import core/json/json.ts',
    ],
  )
})
