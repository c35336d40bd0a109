// The lists of entry files in ARCHITECTURE.md, compared with the functions that a request really calls.

import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { Session } from 'node:inspector/promises'
import { dirname, join, relative } from 'node:path'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { startLibrary } from '../support/library.ts'

const root = join(import.meta.dirname, '../..')
const page = readFileSync(join(root, 'ARCHITECTURE.md'), 'utf8')

/** The numbered files in the section of that title. */
function entryFiles(title: string): string[] {
  const [, section = ''] = page.split(`\n## ${title}\n`)
  const [own = ''] = section.split('\n## ')
  return [...own.matchAll(/^\d+\. `([^`]+)`/gm)].map(([, file]) => file!)
}

/** Folders that are reached through another one of the list, or hold helpers without a way of their own. */
const behind = [
  /^core\/(errors|json|names|concurrency|around|options|log|session|engine)$/,
  /^core\/(database|http|metadata|graphql)$/,
  /^core\/database\/(wire|sql|hearing)$/,
  /^core\/graphql\/schema$/,
  /^core\/metadata\/(document|naming)$/,
  /^core\/(catalog|compiler\/types)$/,
]

/** The files with functions that run in each of three runs of `act`; background work may add others to one of them. */
async function filesOf(act: (run: number) => Promise<unknown>): Promise<Set<string>> {
  const runs: Set<string>[] = []
  for (const run of [1, 2, 3]) runs.push(await filesOfOne(() => act(run)))
  const [first, ...others] = runs as [Set<string>, ...Set<string>[]]
  return new Set([...first].filter((file) => others.every((files) => files.has(file))))
}

async function filesOfOne(act: () => Promise<unknown>): Promise<Set<string>> {
  const inspector = new Session()
  inspector.connect()
  try {
    await inspector.post('Profiler.enable')
    await inspector.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false })
    await inspector.post('Profiler.takePreciseCoverage')
    await act()
    const { result } = await inspector.post('Profiler.takePreciseCoverage')
    const called = result.filter(({ url, functions }) => {
      const isOurs = url.startsWith('file:') && !url.includes('node_modules')
      return isOurs && functions.some(({ functionName, ranges }) => functionName !== '' && ranges[0]!.count > 0)
    })
    return new Set(called.map(({ url }) => relative(root, fileURLToPath(url))))
  } finally {
    inspector.disconnect()
  }
}

/** Compares a list of the page with the files of a request: folders of core without an entry are missing from the list. */
function compare(listed: readonly string[], files: ReadonlySet<string>, also: readonly RegExp[] = []): void {
  assert.ok(listed.length > 0 && listed.length <= 12, `${listed.length} entry files are listed`)
  assert.deepEqual(
    listed.filter((file) => !files.has(file)),
    [],
    'listed, but not entered',
  )
  const folders = new Set(listed.map(dirname))
  const unlisted = [...behind, ...also]
  const entered = [...files].filter((file) => file.startsWith('core/')).map(dirname)
  const missing = entered.filter((folder) => !folders.has(folder) && !unlisted.some((pattern) => pattern.test(folder)))
  assert.deepEqual([...new Set(missing)], [], 'entered, but not listed')
}

/** Without workers of queues: their polls are not part of a request, and could fall into each run. */
const settings = { eventsFetchBatchSize: 0, asyncActionsFetchInterval: 0 }

test('a GraphQL request with a cached plan enters the folders that the page lists', async (t) => {
  const { request } = await startLibrary(t, { settings })
  const ask = () => request('/v1/graphql', { body: { query: 'query { book { id title } }' } })
  for (const _ of [1, 2, 3]) await ask()
  // The model is read through the metadata service.
  const modelGetter = /^core\/(operations|metadata\/serving)$/
  compare(entryFiles('A GraphQL request'), await filesOf(ask), [modelGetter])
})

test('a metadata request enters the folders that the page lists', async (t) => {
  const { op } = await startLibrary(t, { settings })
  const create = (name: string) => op('create_query_collection', { name, definition: { queries: [] } })
  await create('first')
  compare(entryFiles('A metadata request'), await filesOf((run) => create(`again ${run}`)))
})

test('the page is short, and the files that it names exist', () => {
  assert.ok(Buffer.byteLength(page) < 10_000, 'ARCHITECTURE.md has to stay below 10 kB')
  const named = [...page.matchAll(/`((?:core|plugins|scripts|sdk|process)\/[^`]*\.\w+)`/g)].map(([, file]) => file!)
  assert.deepEqual(
    named.filter((file) => !existsSync(join(root, file))),
    [],
  )
})
