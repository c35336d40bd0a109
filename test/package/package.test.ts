// The package as its users install it: packed, installed in another project, and used there.

import assert from 'node:assert/strict'
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { test } from 'node:test'
import { pathToFileURL } from 'node:url'
import { testDatabase } from '../support/database.ts'
import { spawnTrellis, temporaryDirectory } from '../support/process.ts'
import { install, pack, runIn, runTool, searchPath } from './installing.ts'

test('the package, installed in an empty project', async (t) => {
  const directory = temporaryDirectory(t)
  const tarball = await pack(directory)
  const project = join(directory, 'project')
  await install(tarball, project)
  const node = (...args: string[]) => runIn(project, process.execPath, ...args)
  const start = join(project, 'node_modules/trellis/dist/bin/start.js')

  await t.test('holds the needed files and no more', async () => {
    const names = (await runIn(project, 'tar', '-tzf', tarball)).trim().split('\n')
    const kinds =
      /^package\/(package\.json|[A-Z]+\.md|LICENSE|sdk\/api-report\.md|docs\/([\w-]+\/)?[\w-]+\.(md|png)|examples\/[\w-]+\.ts|examples\/profile\/\w+\.js|test\/guide\/[\w-]+\.ts|dist\/sbom\.cdx\.json|dist\/.+(\.js|\.js\.map|\.d\.ts|\.sql|\.html|\/assets\/[\w.-]+\.gz))$/
    assert.deepEqual(
      names.filter((name) => !kinds.test(name)),
      [],
    )
    assert.deepEqual(
      names.filter((name) => /\/graphiql\/(page|bundle)/.test(name)),
      [],
    )
    const manifest = JSON.parse(readFileSync(join(project, 'node_modules/trellis/package.json'), 'utf8'))
    assert.equal(manifest.devDependencies, undefined)
    assert.deepEqual(
      names.filter((name) => name.endsWith('.test.ts')),
      [],
    )
    assert.deepEqual(manifest.exports['./engine'], { types: './dist/sdk/engine.d.ts', default: './dist/sdk/engine.js' })
  })

  await t.test('links of its pages lead to its files, and all name one version of Node', () => {
    const installed = join(project, 'node_modules/trellis')
    const { engines } = JSON.parse(readFileSync(join(installed, 'package.json'), 'utf8'))
    const pages = ['README.md', ...readdirSync(join(installed, 'docs')).map((name) => `docs/${name}`)]
    for (const page of pages.filter((name) => name.endsWith('.md'))) {
      const text = readFileSync(join(installed, page), 'utf8')
      for (const [, target = ''] of text.matchAll(/\]\((?!https?:|#)([^)#\s]+)[^)]*\)/g)) {
        assert.ok(existsSync(join(installed, dirname(page), target)), `${page} links to ${target}`)
      }
      for (const [words, oldest] of text.matchAll(/Node (\d+\.\d+) or newer/g)) {
        assert.equal(`>=${oldest}.0`, engines.node, `${page}: ${words}`)
      }
    }
  })

  await t.test('the package is well-formed for all resolvers', async () => {
    await runTool(project, 'publint/src/cli.js', 'run', tarball, '--strict')
    // Each door takes seconds; the others are made like these.
    const doors = ['.', 'engine', 'testing', 'tables', 'graphql', 'package.json']
    const tool = '@arethetypeswrong/cli/dist/index.js'
    await runTool(project, tool, tarball, '--profile', 'esm-only', '--entrypoints', ...doors)
  })

  await t.test('the declarations hold for the strictest compiler, with a plugin and its types', async () => {
    await runTool(project, 'typescript/bin/tsc', '-p', '.')
  })

  await t.test('all its doors open', async () => {
    assert.match(await node('doors.ts'), /^\[[^\]]*\]\n$/)
  })

  await t.test("a plugin's own tests run", async () => {
    assert.match(await node('--test', 'notes.spec.ts'), /pass 1\n[\s\S]*fail 0/)
  })

  await t.test("an application's Fastify serves it below a prefix, and ends by itself", async (t) => {
    const { url } = await testDatabase(t)
    const { version } = JSON.parse(readFileSync(join(project, 'node_modules/trellis/package.json'), 'utf8'))
    assert.equal(await node('host.ts', url), `mine {"version":"v${version}"} []\n`)
  })

  await t.test('npx finds the program', async () => {
    assert.match(await runIn(project, 'npx', '--no', 'trellis', 'version'), /^v\d+\.\d+\.\d+\n$/)
  })

  await t.test('it serves over the embedded PostgreSQL, with a plugin, where no cache can be written', async (t) => {
    rmSync(join(project, 'node_modules/.cache'), { recursive: true, force: true })
    writeFileSync(join(project, 'node_modules/.cache'), 'in the way')
    const args = ['serve', '--server-port', '0', '--data-dir', join(directory, 'data'), '--plugin', './greeting.js']
    const command = [join(project, 'node_modules/.bin/trellis')]
    const server = spawnTrellis(t, args, { PATH: searchPath }, { cwd: project, command })
    const url = await server.ready()
    assert.deepEqual(await (await fetch(`${url}/greeting`)).json(), { hello: 'world' })
    const body = JSON.stringify({ query: '{ __typename }' })
    const answer = await fetch(`${url}/v1/graphql`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body,
    })
    assert.deepEqual(await answer.json(), { data: { __typename: 'query_root' } })
    const page = await fetch(url, { headers: { accept: 'text/html' } })
    const [, script = ''] = /src="([^"]+)"/.exec(await page.text()) ?? []
    assert.equal((await fetch(new URL(script, page.url))).headers.get('content-encoding'), 'gzip')
    server.kill('SIGTERM')
    assert.equal((await server.ended).code, 0)
  })

  await t.test('an older Node is refused in one line', async () => {
    const old = join(directory, 'old.mjs')
    const versions = `{ value: { ...process.versions, node: '22.17.0' } }`
    writeFileSync(old, `Object.defineProperty(process, 'versions', ${versions})`)
    await assert.rejects(
      node('--import', pathToFileURL(old).href, start, 'version'),
      /\nFatal Error: Node 22.17.0 is too old: install Node 22.18 or newer\n$/,
    )
  })
})
