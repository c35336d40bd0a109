// Programs that run an engine.

import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { embeddedPid, spawnTrellis, temporaryDirectory } from '../support/process.ts'

const door = new URL('../../sdk/engine.ts', import.meta.url).href

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
await createEngine({ observe: silentObserver, settings: { plugins: ['./nothing.js'] } }).catch(({ message }) => console.log(message))`,
  )
  const { code, stdout } = await child.ended
  assert.equal(code, 0)
  assert.match(stdout, /^plugin ".\/nothing.js" cannot be loaded/)
  assert.equal(embeddedPid(directory), null)
})
