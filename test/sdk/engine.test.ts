// Programs that run an engine.

import assert from 'node:assert/strict'
import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { createEngine, silentObserver } from '../../sdk/engine.ts'
import { atEnd } from '../support/cleanup.ts'
import { testDatabase } from '../support/database.ts'
import { embeddedPid, spawnTrellis, temporaryDirectory } from '../support/process.ts'

const door = new URL('../../sdk/engine.ts', import.meta.url).href
const contract = new URL('../../sdk/index.ts', import.meta.url).href

/** Runs a program in a directory of its own. */
function program(t: TestContext, text: string) {
  const directory = temporaryDirectory(t)
  writeFileSync(join(directory, 'program.ts'), text.replace('DOOR', door))
  const child = spawnTrellis(t, [], {}, { cwd: directory, command: [process.execPath, 'program.ts'] })
  return { directory: join(directory, '.trellis'), child }
}

const serving = `
import { createEngine, silentObserver } from 'DOOR'
const engine = await createEngine({ observe: silentObserver })
console.log((await engine.app.inject('/healthz')).body)`

test('without a database the embedded one runs, until the engine is closed; then the program ends by itself', async (t) => {
  const { directory, child } = program(
    t,
    `${serving}
const closing = performance.now()
await engine.close()
process.on('exit', () => console.log(performance.now() - closing < 20_000))`,
  )
  assert.deepEqual(await child.ended, { code: 0, signal: null, stdout: 'OK\ntrue\n', stderr: '' })
  assert.equal(embeddedPid(directory), null)
})

test('the embedded database ends with a program that does not close its engine', async (t) => {
  const { directory, child } = program(t, serving)
  await child.output(/OK/)
  assert.notEqual(embeddedPid(directory), null)
  child.kill('SIGKILL')
  await child.ended
  for (const started = Date.now(); embeddedPid(directory) !== null; await sleep(50)) {
    assert.ok(Date.now() - started < 60_000)
  }
})

test('a start that fails ends the embedded database', async (t) => {
  const { directory, child } = program(
    t,
    `import { createEngine, silentObserver } from 'DOOR'
import { definePlugin } from '${contract}'
const broken = definePlugin({ name: 'broken', register() { throw new Error('no luck') } })
await createEngine({ observe: silentObserver, plugins: [broken] }).catch(({ message }) => console.log(message))`,
  )
  const { code, stdout } = await child.ended
  assert.equal(code, 0)
  assert.match(stdout, /^plugin "broken" failed to start: no luck/)
  assert.equal(existsSync(directory), true)
  assert.equal(embeddedPid(directory), null)
})

test('a database may be named by its parts', async (t) => {
  const { url } = await testDatabase(t)
  const { hostname, port, username, password, pathname, searchParams } = new URL(url)
  const database = {
    databaseHost: searchParams.get('host') ?? hostname,
    databasePort: Number(searchParams.get('port') ?? port),
    databaseUser: decodeURIComponent(username),
    databasePassword: decodeURIComponent(password) || null,
    databaseName: pathname.slice(1),
  }
  const engine = await createEngine({ settings: database, observe: silentObserver })
  atEnd(t, () => engine.close())
  const payload = { type: 'run_sql', args: { sql: 'select current_database()' } }
  const { body } = await engine.app.inject({ method: 'POST', url: '/v1/query', payload })
  assert.deepEqual(JSON.parse(body).result, [['current_database'], [database.databaseName]])

  const incomplete = createEngine({ settings: { ...database, databasePort: null }, observe: silentObserver })
  await assert.rejects(incomplete, { message: /^Fatal Error : Invalid options. Expecting all database connection/ })
})

test('unusable settings and plugins are refused before a database is created', async (t) => {
  const { directory, child } = program(
    t,
    `import { createEngine } from 'DOOR'
const broken = [
  { dialect: 'other' }, { databaseURL: 'postgres://h/d' }, { connections: 'many' }, { dataDir: 5 }, { databaseUrl: 5 },
  { logLevel: 'loud' }, { config: 'trellis.config.yaml' }, { authHook: 'http://localhost:1/' }, { plugins: ['./nothing.js'] }, { plugins: './nothing.js' },
]
for (const settings of broken) {
  await createEngine({ settings }).then(() => console.log('started'), ({ message }) => console.log(message))
}
const misplaced = { adminSecret: 'not passed over' }
await createEngine(misplaced).then(() => console.log('started'), ({ message }) => console.log(message))`,
  )
  const { code, stdout } = await child.ended
  assert.equal(code, 0)
  const missing = /^plugin ".\/nothing.js" cannot be loaded/
  const refusals = [
    /^Fatal Error:- Setting dialect: Only expecting trellis \/ hasura$/,
    /^Fatal Error:- Settings: there is no option "databaseURL", did you mean "databaseUrl"\?$/,
    /^Fatal Error:- Setting connections: Only expecting a whole number/,
    /^Fatal Error:- Setting dataDir: Only expecting a text$/,
    /^Fatal Error:- Setting databaseUrl: Only expecting a text, or a JSON object$/,
    /^Fatal Error:- Setting logLevel: Valid log levels: /,
    /^Fatal Error:- Setting config: an embedded engine reads no configuration file/,
    /^Fatal Error : --auth-hook .* requires --admin-secret/,
    ...[missing, missing],
    /^Fatal Error:- Option adminSecret: it belongs into settings$/,
  ]
  const lines = stdout.trimEnd().split('\n')
  assert.equal(lines.length, refusals.length, stdout)
  for (const [i, refusal] of refusals.entries()) assert.match(lines[i]!, refusal)
  assert.equal(existsSync(directory), false)
})
