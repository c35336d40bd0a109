import assert from 'node:assert/strict'
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { atEnd } from '../support/cleanup.ts'
import { makeTemporaryDirectory } from '../support/postgres.ts'
import { startTrellis } from '../support/trellis.ts'

/** Makes `pg_dump` a shell script of that text, or no program at all. */
function replaceProgram(t: TestContext, script: string | null): void {
  const { PATH } = process.env
  const directory = join(makeTemporaryDirectory(), 'bin')
  mkdirSync(directory)
  if (script !== null) writeFileSync(join(directory, 'pg_dump'), `#!/bin/sh\n${script}\n`, { mode: 0o755 })
  process.env.PATH = script === null ? directory : `${directory}:${PATH}`
  atEnd(t, () => {
    process.env.PATH = PATH
    rmSync(directory, { recursive: true })
  })
}

const url = '/v1alpha1/pg_dump'

test('the dump of the program is the answer', async (t) => {
  const trellis = await startTrellis(t)
  replaceProgram(t, 'for argument in "$@"; do echo "$argument"; done; echo "-- comment"')
  const answer = await trellis.request(url, { body: { opts: ['-O', '--schema', 'public; echo x'] } })
  assert.equal(answer.status, 200)
  assert.equal(answer.headers.get('content-type'), 'application/sql; charset=utf-8')
  const { username, pathname } = new URL(trellis.database.url)
  const [connection, ...rest] = answer.text.split('\n')
  assert.match(connection!, new RegExp(`^--dbname=postgres(ql)?://${username}@.*${pathname}`))
  assert.deepEqual(rest, ['--no-password', '--encoding=utf8', '-O', '--schema', 'public; echo x', '-- comment', ''])
  const cleaned = await trellis.request(url, { body: { opts: [], clean_output: true } })
  assert.equal(cleaned.text, '')
})

test('the program is given the password where no other user sees it', async (t) => {
  const trellis = await startTrellis(t)
  replaceProgram(t, 'echo "$PGPASSWORD"; echo "$*" >&2; exec env')
  const { text } = await trellis.request(url, { body: { opts: [] } })
  const { password } = new URL(trellis.database.url)
  const [given, ...variables] = text.split('\n')
  assert.equal(given, decodeURIComponent(password))
  const names = variables.map((line) => line.split('=')[0])
  assert.deepEqual(
    names.filter((name) => name?.startsWith('SERVICE_') || name?.startsWith('TRELLIS_')),
    [],
  )
  replaceProgram(t, 'echo "$*"')
  const { text: args } = await trellis.request(url, { body: { opts: [] } })
  assert.ok(password === '' || !args.includes(password))
})

test('the program dumps the served database, even if variables name another', async (t) => {
  const trellis = await startTrellis(t)
  const variables = {
    PGHOST: 'db.test',
    PGPORT: '5433',
    PGUSER: 'clerk',
    PGSSLMODE: 'require',
    PGSSLROOTCERT: '/root.crt',
  }
  for (const [name, value] of Object.entries(variables)) {
    const { [name]: former } = process.env
    process.env[name] = value
    atEnd(t, () => {
      if (former === undefined) delete process.env[name]
      else process.env[name] = former
    })
  }
  replaceProgram(t, 'exec env')
  const { text } = await trellis.request(url, { body: { opts: [] } })
  const lines = text.split('\n')
  for (const [name, value] of Object.entries(variables)) assert.ok(lines.includes(`${name}=${value}`), name)
})

test('errors of the program are reported', async (t) => {
  const trellis = await startTrellis(t)
  replaceProgram(t, 'echo half; echo "no such schema" >&2; exit 1')
  const { status, body } = await trellis.request(url, { body: { opts: [] } })
  const error = 'error while executing pg_dump: no such schema'
  assert.deepEqual([status, body], [500, { path: '$', error, code: 'unexpected' }])
})

test('a server without the program reports that', async (t) => {
  const trellis = await startTrellis(t)
  replaceProgram(t, null)
  const { status, body } = await trellis.request(url, { body: { opts: [] } })
  const internal = 'there is no program pg_dump: install the client programs of PostgreSQL where the server runs'
  const error = 'internal exception while executing pg_dump'
  assert.deepEqual([status, body], [500, { path: '$', error, code: 'unexpected', internal }])
})

test('a program that still runs ends with the request', async (t) => {
  const trellis = await startTrellis(t)
  replaceProgram(t, 'exec sleep 60')
  const signal = AbortSignal.timeout(300)
  const body = JSON.stringify({ opts: [] })
  await assert.rejects(fetch(trellis.url + url, { method: 'POST', body, signal }))
  const started = performance.now()
  await trellis.engine.close()
  assert.ok(performance.now() - started < 30_000)
})

test('the endpoint is for administrators, reads its body strictly, and goes with its API', async (t) => {
  const trellis = await startTrellis(t)
  const refused = async (body: unknown, expected: object, options = {}) => {
    const answer = await trellis.request(url, { ...options, body })
    assert.deepEqual([answer.status, answer.body], [400, expected])
  }
  const access = { path: '$', error: 'You have to be an admin to access this endpoint', code: 'access-denied' }
  await refused({ opts: [] }, access, { role: 'guest' })
  await refused({}, { path: '$', error: `the key 'opts' was not present`, code: 'parse-failed' })
  const wrong = 'parsing Text failed, expected String, but encountered Number'
  await refused({ opts: ['-s', 1] }, { path: '$.opts[1]', error: wrong, code: 'parse-failed' })
  const argument = 'the argument "-f/tmp/x" of pg_dump is not allowed here'
  await refused({ opts: ['-f/tmp/x'] }, { path: '$.opts[0]', error: argument, code: 'not-supported' })
  const closed = await startTrellis(t, { settings: { enabledApis: ['metadata', 'graphql'] } })
  assert.equal((await closed.request(url, { body: { opts: [] } })).status, 404)
})
