// All code of the guide for plugin authors is compiled and run: it stands in files that tests run, and its requests have the
// answers on the page.

import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import type { Plugin } from 'trellis'
import { startTrellis, type TestTrellis } from 'trellis/testing'
import { type Block, blocksOf } from './blocks.ts'
import { builtInTable } from './built-in-plugins.ts'

const root = join(import.meta.dirname, '../..')
const pages = ['', '-reference', '-graphql', '-columns', '-recipes'].map((end) => `docs/plugins${end}.md`)
const linesOf = (file: string) => readFileSync(join(root, file), 'utf8').split('\n')
const sources = globSync(['examples/*.ts', 'test/guide/*.ts', 'test/access/*.test.ts'], { cwd: root }).map(linesOf)

/** Whether the lines stand below each other in a file, all of them indented by the same. */
function standsIn(lines: readonly string[], file: readonly string[]): boolean {
  const [first = ''] = lines
  return file.some((line, start) => {
    if (!line.endsWith(first)) return false
    const indent = line.slice(0, line.length - first.length)
    return indent.trim() === '' && lines.every((each, i) => file[start + i] === (each === '' ? '' : indent + each))
  })
}

for (const page of pages) {
  test(`the code of ${page} stands in files that are compiled and run`, () => {
    const blocks = blocksOf(readFileSync(join(root, page), 'utf8')).filter(({ language }) => language === 'ts')
    assert.ok(blocks.length > 0)
    const invented = blocks.filter(({ lines }) => !sources.some((file) => standsIn(lines, file)))
    const named = invented.map(({ line, lines }) => `${page}:${line}: ${lines[0]}`)
    assert.deepEqual(named, [])
  })
}

/** A request of the guide, by its line for the shell. */
async function ask(trellis: TestTrellis, line: string) {
  const [, path, body] = /^curl localhost:8080(\S+)(?: -d '(.+)')?$/.exec(line) ?? assert.fail(`cannot read: ${line}`)
  return (await trellis.request(path!, body === undefined ? {} : { body })).body
}

/** Sends the requests of blocks that one server serves; each block of JSON is the last answer before it. */
async function replay(t: TestContext, blocks: readonly Block[]) {
  const { served } = blocks[0]!
  const { default: plugin }: { default: Plugin } = await import(join(root, served!.file))
  const trellis = await startTrellis({ plugins: [plugin], settings: served!.settings })
  t.after(() => trellis.close())
  let answer: unknown
  for (const { language, lines } of blocks) {
    if (language === 'json') assert.deepEqual(answer, JSON.parse(lines.join('\n')))
    else for (const line of lines) answer = await ask(trellis, line)
  }
}

for (const page of pages) {
  test(`the JSON of ${page} is valid`, () => {
    for (const { language, lines } of blocksOf(readFileSync(join(root, page), 'utf8'))) {
      if (language === 'json') JSON.parse(lines.join('\n'))
    }
  })

  test(`the requests of ${page} have the answers on the page`, async (t) => {
    const shown = blocksOf(readFileSync(join(root, page), 'utf8')).filter(({ served }) => served !== null)
    const servers = Map.groupBy(shown, ({ served }) => served)
    for (const blocks of servers.values()) await replay(t, blocks)
  })
}

test('the list of built-in plugins is that of the plugins themselves', () => {
  const page = linesOf('docs/plugins-reference.md')
  const [head = ''] = builtInTable()
  const start = page.indexOf(head)
  assert.deepEqual(page.slice(start, page.indexOf('', start)), builtInTable())
})
