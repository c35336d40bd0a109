// Root's server in a home that no other user may enter, as on a fresh machine: PostgreSQL runs as another user.

import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { findRunnable } from '../../process/embedded/runnable-programs.ts'
import { clientOf } from '../support/client.ts'
import { embeddedPid, serverCommand, spawnTrellis, temporaryDirectory } from '../support/process.ts'

const isRoot = process.geteuid?.() === 0 && process.platform === 'linux'
const skip = isRoot ? false : 'only root starts PostgreSQL as another user'

/** A directory below one that only root may enter. */
function privateDirectory(t: TestContext): string {
  const home = temporaryDirectory(t)
  chmodSync(home, 0o700)
  const directory = join(home, 'checkout')
  mkdirSync(directory)
  return directory
}

const serving = (directory: string) => ['--data-dir', directory, '--server-host', '127.0.0.1', '--server-port', '0']

/** Starts a program without some of root's capabilities. */
const without = (...capabilities: readonly string[]): readonly string[] => [
  'setpriv',
  `--bounding-set=${capabilities.map((name) => `-${name}`).join()}`,
]
const mayDrop = spawnSync('setpriv', [...without('kill').slice(1), 'true']).status === 0
const skipDropping = isRoot && mayDrop ? false : 'only root with setpriv gives capabilities up'

/** Starts a server, stores a row, ends it, and reads the row with the next one. */
async function assertKeepsRows(t: TestContext, directory: string, prefix: readonly string[] = []): Promise<void> {
  const start = () => spawnTrellis(t, serving(directory), {}, { command: [...prefix, ...serverCommand] })
  const first = start()
  await clientOf(await first.ready()).op('run_sql', { sql: 'create table kept as select 7 as n' })
  const pid = embeddedPid(directory)
  assert.match(readFileSync(`/proc/${pid}/status`, 'utf8'), /^CapEff:\t0+$/m)
  assert.notEqual(statSync(`/proc/${pid}`).uid, 0)
  first.kill('SIGTERM')
  assert.equal((await first.ended).code, 0)
  assert.equal(embeddedPid(directory), null)
  const second = clientOf(await start().ready())
  assert.deepEqual((await second.op<{ result: unknown }>('run_sql', { sql: 'select n from kept' })).result, [
    ['n'],
    ['7'],
  ])
}

test('data in a private home is served, by a PostgreSQL without any capability', { skip }, async (t) => {
  await assertKeepsRows(t, privateDirectory(t))
})

test('a PostgreSQL that a killed server left in a private home is ended by the next start', { skip }, async (t) => {
  const directory = privateDirectory(t)
  const first = spawnTrellis(t, serving(directory))
  await first.ready()
  const left = embeddedPid(directory)
  first.kill('SIGKILL')
  await first.ended
  const second = spawnTrellis(t, serving(directory))
  await second.ready()
  assert.match(second.stdout, new RegExp(`ended PostgreSQL \\(process ${left}\\) that an earlier server left running`))
})

test('root serves without the capabilities that changing the user does not need', {
  skip: skipDropping,
}, async (t) => {
  await assertKeepsRows(t, privateDirectory(t), without('kill', 'setpcap', 'sys_admin', 'fowner', 'dac_read_search'))
})

for (const [capability, name] of [
  ['chown', 'CAP_CHOWN'],
  ['dac_override', 'CAP_DAC_OVERRIDE'],
  ['setuid', 'CAP_SETUID'],
] as const) {
  test(`root without ${name} gets one line that names it`, { skip: skipDropping }, async (t) => {
    const directory = privateDirectory(t)
    const command = [...without(capability), ...serverCommand]
    const { code, stderr } = await spawnTrellis(t, serving(directory), {}, { command }).ended
    const reason = `root may not start it as another user here, for lack of ${name}`
    const ways = 'grant that, start as another user, or use --database-url'
    assert.deepEqual([code, stderr], [1, `Fatal Error: PostgreSQL cannot run as root, and ${reason}: ${ways}\n`])
    assert.deepEqual(readdirSync(directory), [])
  })
}

test('a cluster that belongs to root is refused with advice', { skip }, async (t) => {
  const directory = temporaryDirectory(t)
  const cluster = join(directory, 'postgres')
  mkdirSync(cluster)
  writeFileSync(join(cluster, 'PG_VERSION'), '18\n')
  const { code, stderr } = await spawnTrellis(t, serving(directory)).ended
  const ways = 'give it to another user with chown -R, choose another directory with --data-dir, or use --database-url'
  const line = `Fatal Error: PostgreSQL cannot run as root, which owns ${cluster}: ${ways}\n`
  assert.deepEqual([code, stderr], [1, line])
})

/** Installs a package with a program that only root reaches; returns the program's path. */
function privateProgram(t: TestContext): string {
  const installation = join(privateDirectory(t), 'native')
  for (const folder of ['bin', 'share']) mkdirSync(join(installation, folder), { recursive: true, mode: 0o700 })
  const program = join(installation, 'bin/postgres')
  writeFileSync(program, '#!/bin/sh\ncat "$(dirname "$0")/../share/version"\n')
  chmodSync(program, 0o700)
  writeFileSync(join(installation, 'share/version'), 'postgres (PostgreSQL) 18.0', { mode: 0o600 })
  writeFileSync(join(installation, '../package.json'), '{"version": "18.0.0"}')
  return program
}

const user = { uid: 54321, gid: 54321 }

test('programs in a private home are copied once to a directory where their user can run them', { skip }, async (t) => {
  const program = privateProgram(t)
  const place = temporaryDirectory(t)
  const copy = join(place, 'trellis-postgresql-18.0.0')
  assert.equal(await findRunnable(program, user, [place]), join(copy, 'bin'))
  const made = statSync(copy).ino
  assert.equal(await findRunnable(program, user, [place]), join(copy, 'bin'))
  assert.equal(statSync(copy).ino, made)
  assert.deepEqual(readdirSync(place), ['trellis-postgresql-18.0.0'])
})

test('a copy that another user may have written is ignored', { skip }, async (t) => {
  const program = privateProgram(t)
  const [first, second] = [temporaryDirectory(t), temporaryDirectory(t)]
  const planted = join(first, 'trellis-postgresql-18.0.0')
  mkdirSync(planted)
  chmodSync(planted, 0o777)
  assert.equal(await findRunnable(program, user, [first, second]), join(second, 'trellis-postgresql-18.0.0/bin'))
  assert.ok(!existsSync(join(planted, 'bin')))
})

test('if no copy can be run, one line gives the reason and advice', { skip }, async (t) => {
  const program = privateProgram(t)
  const place = privateDirectory(t)
  await assert.rejects(findRunnable(program, user, [place]), {
    name: 'StartError',
    message: `PostgreSQL runs as user 54321 here, who cannot run ${program} (EACCES), and no copy of it in ${place}: install in a directory that every user may enter, start as another user, or use --database-url`,
  })
})

test('programs that their user can run stay where they are', { skip }, async (t) => {
  assert.equal(await findRunnable('/bin/ls', user, [temporaryDirectory(t)]), '/bin')
})
