import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { dialects } from '../../core/names/dialect.ts'
import { differences, requestSurfaces } from './surfaces.ts'
import { startWorld, words } from './world.ts'

for (const word of words) {
  test(`every surface of requests has the names of x-${word}-`, async (t) => {
    const world = await startWorld(t, word)
    for (const { name, ask, expected } of requestSurfaces) assert.deepEqual(await ask(world), expected(word), name)
  })

  test(`other rules of the dialect of x-${word}-`, async (t) => {
    const world = await startWorld(t, word)
    await world.trellis.sql(`insert into book values (3, 'Fog', '7')`)
    for (const { name, ask, expected } of differences) assert.deepEqual(await ask(world), expected(word), name)
  })
}

const root = join(import.meta.dirname, '../..')

/** Files that may spell a dialect's names, with the reason: descriptions of options, names of columns. */
const spelling = new Map([
  ['core/names/dialect.ts', /./],
  ['process/help.ts', /With --dialect hasura'|dialects\.hasura\.environmentPrefix/],
  [
    'core/engine/options.ts',
    /'names in requests and responses: trellis, or hasura|choice\(\['trellis', 'hasura'\]|'service-default', 'hasura-default'/,
  ],
  ['core/graphql/options.ts', /as in dialect hasura/],
  ['plugins/config/routes.ts', /key: 'dialect', .* value: \(\) => dialect\.name/],
  ['plugins/remote-schemas/index.ts', /'with --dialect hasura, keep the data/],
  // A column and a member that tools know by these names.
  ['plugins/v1-tables/views.ts', /hasura_uuid|hasura_fields/],
])

test('one module has the names of the dialects and their differences', () => {
  const found = globSync('{core,plugins,sdk,process,bin}/**/*.ts', { cwd: root }).flatMap((file) =>
    readFileSync(join(root, file), 'utf8')
      .split('\n')
      .filter((line) => /hasura|x-service|service_graphql|dialect\.name\b/i.test(line))
      .filter((line) => !spelling.get(file)?.test(line))
      .map((line) => `${file}: ${line.trim()}`),
  )
  assert.deepEqual(found, [])
})

test('the dialects differ in every name, except for the place of claims in tokens', () => {
  const { trellis, hasura } = dialects
  const same = Object.keys(trellis).filter(
    (key) => trellis[key as keyof typeof trellis] === hasura[key as keyof typeof hasura],
  )
  assert.deepEqual(same, ['claimsNamespace'])
})
