import assert from 'node:assert/strict'
import { AsyncLocalStorage } from 'node:async_hooks'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { pathToFileURL } from 'node:url'
import { Apis } from '../../core/engine/apis.ts'
import { loadPlugins, orderPlugins, PluginError, pluginFailure } from '../../core/engine/plugins.ts'
import { definePlugin, operation, type Plugin, Type } from '../../sdk/index.ts'
import { type TestDatabase, testDatabase } from '../support/database.ts'
import { startTrellis } from '../support/trellis.ts'

/** A directory with these files. */
function directoryWith(t: TestContext, files: Readonly<Record<string, string>>): string {
  const directory = mkdtempSync(join(tmpdir(), 'trellis-plugins-'))
  t.after(() => rmSync(directory, { recursive: true, force: true }))
  for (const [name, text] of Object.entries(files)) {
    const file = join(directory, name)
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, text)
  }
  return directory
}

const pluginText = (name: string) => `
  import { definePlugin } from 'trellis'
  export default definePlugin({ name: '${name}', register() {} })
`

const namesOf = async (sources: readonly string[], directory: string) =>
  (await loadPlugins(sources, directory)).map(({ plugin }) => plugin.name)

test('a plugin is loaded from a file, a directory or a package in any location', async (t) => {
  const directory = directoryWith(t, {
    'one.ts': pluginText('one'),
    'folder/index.ts': pluginText('two'),
    'built/package.json': '{"name": "built", "type": "module", "main": "dist/main.js"}',
    'built/dist/main.js': pluginText('three'),
    'node_modules/@scope/four/package.json':
      '{"name": "@scope/four", "type": "module", "exports": {".": {"types": "./no.d.ts", "import": "./four.js"}, "./extra": "./extra.js"}}',
    'node_modules/@scope/four/four.js': pluginText('four'),
    'node_modules/@scope/four/extra.js': pluginText('five'),
    'node_modules/six/index.mjs': pluginText('six'),
    'my plugin.cjs': `module.exports = require('trellis').definePlugin({ name: 'seven', register() {} })`,
    'compiled.cjs': `
      Object.defineProperty(exports, '__esModule', { value: true })
      exports.default = require('trellis').definePlugin({ name: 'eight', register() {} })
    `,
  })
  const absolute = join(directory, 'one.ts')
  assert.deepEqual(await namesOf([absolute, './folder', './built'], directory), ['one', 'two', 'three'])
  const url = pathToFileURL(join(directory, 'my plugin.cjs')).href
  assert.deepEqual(await namesOf([url, './my plugin.cjs', './compiled.cjs'], directory), ['seven', 'seven', 'eight'])
  assert.deepEqual(await namesOf(['one.ts', '@scope/four', '@scope/four/extra', 'six'], directory), [
    ...['one', 'four', 'five', 'six'],
  ])
})

test('an error of loading names the plugin and the reason', async (t) => {
  const directory = directoryWith(t, {
    'syntax.ts': 'export default {}\nconst a = ;',
    'throws.ts': 'throw new Error("no luck today")',
    'enum.ts': 'enum Colour { red }\nexport default Colour',
    'nothing.ts': 'export const plugin = {}',
    'object.ts': 'export default { name: "object", register() {} }',
    'needs.ts': 'import "not-installed"',
    'empty/readme.txt': '',
  })
  const refused: Readonly<Record<string, RegExp>> = {
    './syntax.ts': /^plugin "\.\/syntax\.ts" cannot be loaded: Expression expected/,
    './throws.ts': /^plugin "\.\/throws\.ts" cannot be loaded: no luck today \(.*throws\.ts:1:7\)$/,
    './enum.ts': /^plugin "\.\/enum\.ts" cannot be loaded: .*enum/,
    './nothing.ts': /^plugin "\.\/nothing\.ts" is not a plugin: its default export must come from definePlugin/,
    './object.ts': /^plugin "\.\/object\.ts" is not a plugin/,
    './needs.ts': /^plugin "\.\/needs\.ts" cannot be loaded: Cannot find package 'not-installed'/,
    './absent.ts': /^plugin "\.\/absent\.ts" cannot be loaded: there is no file .*absent\.ts$/,
    './empty': /^plugin "\.\/empty" cannot be loaded: .*empty has no module to import$/,
    absent:
      /^plugin "absent" cannot be loaded: there is no package absent in .* \(npm install it, or write a path as \.\/absent\)$/,
    '@scope/absent': /^plugin "@scope\/absent" cannot be loaded: there is no package @scope\/absent/,
  }
  for (const [source, message] of Object.entries(refused)) {
    await assert.rejects(loadPlugins([source], directory), (error: Error) => {
      assert.ok(error instanceof PluginError, error.stack)
      assert.match(error.message, message)
      assert.doesNotMatch(error.message, /\n/)
      return true
    })
  }
})

test('an error of a plugin names the position in its files', async (t) => {
  const directory = directoryWith(t, {
    'my pl\u00fcgins/first.ts': `
      import { definePlugin } from 'trellis'
      import { refuse } from './second.ts'
      export default definePlugin({ name: 'first', register: () => refuse() })
    `,
    'my pl\u00fcgins/second.ts': `export const refuse = () => {\n  throw new Error('not today')\n}`,
  })
  const [loaded] = await loadPlugins(['./my pl\u00fcgins/first.ts'], directory)
  const register = () => loaded!.plugin.register(null as never)
  assert.throws(register, (error: Error) => {
    const { message } = pluginFailure(loaded!, error)
    assert.match(
      message,
      /^plugin "first" \(\.\/my pl\u00fcgins\/first\.ts\) failed to start: not today \(.*second\.ts:2:9\)$/,
    )
    return true
  })
})

const value = (name: string, dependencies: readonly string[] = []) => ({
  plugin: definePlugin({ name, dependencies, register() {} }),
  source: null,
})

test('plugins register after their dependencies, otherwise in the given order', () => {
  const ordered = orderPlugins([value('d', ['c']), value('a'), value('b', ['a']), value('c', ['b'])])
  assert.deepEqual(
    ordered.map(({ plugin }) => plugin.name),
    ['a', 'b', 'c', 'd'],
  )
})

test('a missing dependency, a cycle and a duplicate name are refused with all names', () => {
  assert.throws(() => orderPlugins([{ ...value('a', ['z']), source: './a.ts' }]), {
    message: 'plugin "a" (./a.ts) needs plugin "z", which is not loaded',
  })
  assert.throws(() => orderPlugins([value('a', ['b']), value('b', ['c']), value('c', ['b'])]), {
    message: 'plugins depend on each other: plugin "b" -> plugin "c" -> plugin "b"',
  })
  assert.throws(() => orderPlugins([value('a'), { ...value('a'), source: './other.ts' }]), {
    message: 'plugin "a" (./other.ts) has the name of another one: plugin "a"',
  })
})

test('the known APIs are those of the interface and those of plugins', () => {
  const register = () => {}
  const plugins = [
    definePlugin({ name: 'x', api: 'Notes', register }),
    definePlugin({ name: 'y', register }),
    definePlugin({ name: 'z', api: 'developer', enabledByDefault: false, register }),
  ]
  assert.deepEqual(new Apis(plugins, null).enabled, ['notes', 'metadata'])
  const chosen = new Apis(plugins, ['NOTES', 'pgdump'])
  assert.equal(chosen.isEnabled('notes'), true)
  assert.equal(chosen.isEnabled('metadata'), false)
  assert.throws(() => new Apis([], ['metadata', 'notes']), {
    message: 'Only expecting list of comma separated API types metadata,graphql,pgdump,developer,config',
  })
  assert.throws(() => new Apis(plugins, ['other']), {
    message: 'Only expecting list of comma separated API types metadata,graphql,pgdump,developer,config,notes',
  })
})

const slice = { schema: Type.Array(Type.String()), empty: [] as never }
const broken: Readonly<Record<string, { plugin: Plugin; message: RegExp }>> = {
  'throws in register': {
    plugin: definePlugin({
      name: 'broken',
      register() {
        throw new Error('no luck\ntoday')
      },
    }),
    message: /^plugin "broken" failed to start: no luck$/,
  },
  'rejects in register': {
    plugin: definePlugin({ name: 'broken', register: () => Promise.reject(new Error('later')) }),
    message: /^plugin "broken" failed to start: later$/,
  },
  'declares an operation that exists': {
    plugin: definePlugin({
      name: 'broken',
      register: ({ operations }) => operations.add(operation({ type: 'track_table', args: Type.Any(), handle() {} })),
    }),
    message: /^plugin "broken" failed to start: operation "track_table" .*"tables" and "broken"$/,
  },
  'declares a part of the metadata that exists': {
    plugin: definePlugin({ name: 'broken', register: ({ metadata }) => metadata.slice('tables', slice) }),
    message: /^plugin "broken" failed to start: metadata slice "tables" .*plugin "broken"/,
  },
  'cannot resolve its part of the metadata': {
    plugin: definePlugin({
      name: 'broken',
      register({ metadata }) {
        const resolve = () => {
          throw new TypeError('nothing fits')
        }
        metadata.slice('notes', { ...slice, resolve })
      },
    }),
    message: /^plugin "broken" failed to resolve the metadata "notes": nothing fits$/,
  },
  'declares a route that exists': {
    plugin: definePlugin({
      name: 'broken',
      register: ({ routes }) => routes.add({ method: 'GET', url: '/healthz', auth: 'none', handle() {} }),
    }),
    message: /^plugin "broken" failed to start: route GET \/healthz is declared by plugin "health" already$/,
  },
  'declares a route that cannot be mounted': {
    plugin: definePlugin({
      name: 'broken',
      register: ({ routes }) => routes.add({ method: 'GET', url: 'no-slash', auth: 'none', handle() {} }),
    }),
    message: /^plugin "broken" failed to start: .*path/i,
  },
  'declares a route of an unknown API': {
    plugin: definePlugin({
      name: 'broken',
      register: ({ routes }) => routes.add({ method: 'GET', url: '/b', api: 'nobodys', auth: 'none', handle() {} }),
    }),
    message: /^plugin "broken" failed to start: route GET \/b is of API "nobodys", which no plugin declares$/,
  },
  'gives a contribution a name that is taken': {
    plugin: definePlugin({
      name: 'broken',
      register({ graphql }) {
        graphql.contribute({ name: 'mine' })
        graphql.contribute({ name: 'mine' })
      },
    }),
    message: /^plugin "broken" failed to start: GraphQL contribution "mine" is declared already$/,
  },
  'throws when the server is ready': {
    plugin: definePlugin({
      name: 'broken',
      register: ({ onReady }) =>
        onReady(() => {
          throw new Error('not ready')
        }),
    }),
    message: /^plugin "broken" failed to start: not ready$/,
  },
}

/** The number of other connections to a database. A closed one takes a moment to disappear. */
async function openConnections(database: TestDatabase): Promise<number> {
  const [row] = await database.sql<{ open: number }>(
    'select count(*)::int as open from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()',
  )
  return row!.open
}

for (const [title, { plugin, message }] of Object.entries(broken)) {
  test(`a plugin that ${title} fails the start under its name, and nothing keeps running`, async (t) => {
    const database = await testDatabase(t)
    await assert.rejects(startTrellis(t, { database, plugins: [plugin] }), (error: Error) => {
      assert.ok(error instanceof PluginError, error.stack)
      assert.match(error.message, message)
      return true
    })
    while ((await openConnections(database)) > 0) await sleep(20)
  })
}

test('hooks run after the first model is built, and at the end while the database still answers', async (t) => {
  const seen: string[] = []
  const plugin = definePlugin({
    name: 'hooks',
    dependencies: ['metadata'],
    register(engine) {
      engine.onReady(() => {
        seen.push(`ready at version ${engine.model.resourceVersion}`)
      })
      engine.onClose(() => {
        seen.push('closed first')
      })
      engine.onClose(async () => {
        await engine.database.rows('select 1')
        seen.push('closed last, with the database')
      })
    },
  })
  const { engine } = await startTrellis(t, { plugins: [plugin] })
  assert.equal(seen.length, 1)
  assert.match(seen[0] ?? '', /^ready at version \d+$/)
  await engine.close()
  await engine.close()
  assert.deepEqual(seen.slice(1), ['closed last, with the database', 'closed first'])
})

test('Fastify knows the plugins and serves what routes do not cover', async (t) => {
  const plugin = definePlugin({
    name: 'raw',
    register({ app }) {
      app.get('/raw', (_request, reply) => reply.type('text/csv').send('a,b'))
      app.post('/typed', { schema: { body: { type: 'object', required: ['a'] } } }, (request) => request.body)
    },
  })
  const trellis = await startTrellis(t, { plugins: [plugin] })
  assert.equal(trellis.engine.app.hasPlugin('raw'), true)
  assert.equal((await trellis.request('/raw')).text, 'a,b')
  const headers = { 'content-type': 'application/json' }
  assert.deepEqual((await trellis.request('/typed', { body: { a: 1 }, headers })).body, { a: 1 })
  const refused = await trellis.request('/typed', { body: {}, headers })
  assert.deepEqual(
    [refused.status, refused.body],
    [400, { path: '$', error: "body must have required property 'a'", code: 'bad-request' }],
  )
})

test('Fastify hooks run around the routes of plugins, and keep their data of a request', async (t) => {
  const kept = new AsyncLocalStorage<string>()
  const answered: number[] = []
  const hooks = definePlugin({
    name: 'hooks',
    register({ app, routes }) {
      app.addHook('onRequest', ({ headers }, _reply, done) => kept.run(String(headers['x-kept']), done))
      app.addHook('onResponse', async (_request, { statusCode }) => void answered.push(statusCode))
      const handle = async () => [kept.getStore() ?? null]
      routes.add({ method: 'POST', url: '/kept', api: null, auth: 'none', handle })
    },
  })
  const guard = definePlugin({
    name: 'guard',
    register({ app }) {
      app.addHook('preHandler', async ({ body }) => {
        if (String(body) === '"stop"') throw Object.assign(new Error('stopped'), { statusCode: 403 })
      })
    },
  })
  const headers = { 'x-kept': 'this' }
  for (const plugins of [[hooks], [hooks, guard]]) {
    const trellis = await startTrellis(t, { plugins })
    assert.deepEqual((await trellis.request('/kept', { body: '"go"', headers })).body, ['this'])
    const { status } = await trellis.request('/kept', { body: '"stop"', headers })
    assert.equal(status, plugins.includes(guard) ? 403 : 200)
  }
  assert.deepEqual(answered, [200, 200, 200, 403])
})
