// `sslmode` and certificates, against PostgreSQL itself.

import assert from 'node:assert/strict'
import { chmodSync, chownSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import os from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import pg from 'pg'
import { connectionConfig } from '../../core/database/wire/connection-config.ts'
import { DatabaseClient } from '../../core/database/wire/database-client.ts'
import { StartError } from '../../core/errors/start-error.ts'
import { silentObserver } from '../../core/log/observe.ts'
import { EmbeddedPostgres } from '../../process/embedded/embedded.ts'
import { readPostmaster } from '../../process/embedded/postmaster.ts'
import { type Certificate, hasOpenssl, makeAuthority, makeCertificate } from '../support/certificates.ts'
import { clientOf } from '../support/client.ts'
import { makeTemporaryDirectory } from '../support/postgres.ts'
import { spawnTrellis } from '../support/process.ts'

const skip = hasOpenssl ? false : 'there is no openssl'

const directory = makeTemporaryDirectory()
const files = join(directory, 'certificates')
let embedded: EmbeddedPostgres
let port = ''
let password = ''
let authority: Certificate
let stranger: Certificate
let user: Certificate

/** The connections that PostgreSQL accepts. */
async function allow(...lines: readonly string[]): Promise<void> {
  const data = join(directory, 'postgres')
  writeFileSync(join(data, 'pg_hba.conf'), `${['local all all trust', ...lines].join('\n')}\n`)
  const admin = new pg.Client({ connectionString: embedded.url })
  await admin.connect()
  const loaded = 'select pg_conf_load_time()::text as at'
  const { rows } = await admin.query(loaded)
  process.kill(readPostmaster(data)!.pid, 'SIGHUP')
  for (let now = rows; now[0].at === rows[0].at; now = (await admin.query(loaded)).rows);
  await admin.end()
}

before(async () => {
  if (skip) return
  mkdirSync(files, { mode: 0o755 })
  authority = makeAuthority(files, 'authority')
  stranger = makeAuthority(files, 'stranger')
  const server = makeCertificate(files, 'db.test', authority)
  user = makeCertificate(files, 'postgres', authority)
  const parameters = {
    ssl_cert_file: server.cert,
    ssl_key_file: server.key,
    ssl_ca_file: authority.cert,
    fsync: 'off',
  }
  chmodSync(server.key, 0o600)
  embedded = new EmbeddedPostgres({ directory, connections: 5, observe: silentObserver, parameters })
  await embedded.start()
  const url = new URL(readFileSync(join(directory, 'database-url'), 'utf8').trim())
  port = url.port
  password = url.password
  const owner = statSync(join(directory, 'postgres'))
  chownSync(server.key, owner.uid, owner.gid)
  writeFileSync(join(directory, 'postgres/postgresql.auto.conf'), 'ssl = on\n')
})

after(() => embedded?.stop('immediate'))

const urlWith = (query: string, host = 'localhost') =>
  `postgres://postgres:${password}@${host}:${port}/postgres?${query}`

/** Connects; returns whether the connection is encrypted, or the reason of the failure. */
async function outcome(query: string, host?: string): Promise<string> {
  const client = new DatabaseClient(connectionConfig(urlWith(query, host)))
  client.on('error', () => {})
  try {
    await client.connect()
    const { rows } = await client.query('select ssl from pg_stat_ssl where pid = pg_backend_pid()')
    return rows[0].ssl ? 'encrypted' : 'plain'
  } catch (error) {
    return (error as Error).message
  } finally {
    await client.end().catch(() => {})
  }
}

const noHostName = /Hostname\/IP does not match certificate's altnames|is not in the cert's/
const unknownAuthority =
  /self-signed certificate in certificate chain|unable to verify the first certificate|unable to get local issuer/
const unencryptedRefused = /^no pg_hba.conf entry .* no encryption$/

async function assertOutcomes(cases: Readonly<Record<string, string | RegExp>>): Promise<void> {
  for (const [query, expected] of Object.entries(cases)) {
    const found = await outcome(query)
    if (typeof expected === 'string') assert.equal(found, expected, query)
    else assert.match(found, expected, query)
  }
}

test('sslmode decides whether a connection is encrypted, and how the server is verified', { skip }, async () => {
  await allow('host all all all scram-sha-256')
  const root = `sslrootcert=${authority.cert}`
  const wrongRoot = `sslrootcert=${stranger.cert}`
  await assertOutcomes({
    '': 'encrypted',
    'sslmode=disable': 'plain',
    'sslmode=allow': 'plain',
    'sslmode=prefer': 'encrypted',
    'sslmode=require': 'encrypted',
    'sslmode=no-verify': 'encrypted',
    'ssl=true': 'encrypted',
    'ssl=false': 'plain',
    'sslnegotiation=direct': 'encrypted',
    'sslmode=require&channel_binding=require': 'encrypted',
    [`sslmode=prefer&${wrongRoot}`]: 'encrypted',
    [`sslmode=require&${root}`]: 'encrypted',
    [`sslmode=require&${wrongRoot}`]: unknownAuthority,
    [`sslmode=verify-ca&${root}`]: 'encrypted',
    [`sslmode=verify-ca&${wrongRoot}`]: unknownAuthority,
    [`sslmode=verify-full&${root}`]: noHostName,
    [`sslmode=verify-full&${wrongRoot}`]: unknownAuthority,
    'sslmode=verify-full&sslrootcert=system': unknownAuthority,
    'sslmode=verify-full': unknownAuthority,
  })
  assert.equal(await outcome(`sslmode=verify-full&${root}&hostaddr=127.0.0.1`, 'db.test'), 'encrypted')
  assert.match(await outcome(`sslmode=verify-full&${root}&hostaddr=127.0.0.1`, 'other.test'), noHostName)
})

test('if the server requires encryption, or forbids it, prefer and allow follow', { skip }, async () => {
  await allow('hostssl all all all scram-sha-256')
  await assertOutcomes({
    '': 'encrypted',
    'sslmode=allow': 'encrypted',
    'sslmode=prefer': 'encrypted',
    'sslmode=disable': unencryptedRefused,
  })
  await allow('hostnossl all all all scram-sha-256')
  await assertOutcomes({
    '': 'plain',
    'sslmode=prefer': 'plain',
    'sslmode=allow': 'plain',
    'sslmode=require': /^no pg_hba.conf entry .* SSL encryption$/,
  })
  await allow()
  await assertOutcomes({ 'sslmode=prefer': unencryptedRefused, 'sslmode=allow': /SSL encryption$/ })
})

test('a client certificate identifies the role', { skip }, async () => {
  await allow('hostssl all all all cert')
  await assertOutcomes({
    [`sslmode=require&sslcert=${user.cert}&sslkey=${user.key}`]: 'encrypted',
    [`sslcert=${user.cert}&sslkey=${user.key}`]: 'encrypted',
    'sslmode=require': /certificate/,
  })
})

test('a certificate that PostgreSQL refuses ends the start with its reason', { skip }, async (t) => {
  await allow('hostssl all all all cert')
  const unknown = makeCertificate(files, 'unknown', stranger)
  const certificate = `sslcert=${unknown.cert}&sslkey=${unknown.key}`
  // PostgreSQL refuses it when the client considers the handshake done, so the connection may end a moment later.
  for (let i = 0; i < 10; i++) assert.match(await outcome(certificate), /unknown ca/)
  const reasons: Readonly<Record<string, string>> = {
    [certificate]: 'tlsv1 alert unknown ca',
    [`sslcert=${unknown.cert}&sslkey=${user.key}`]: 'key values mismatch',
    [`sslcert=${user.key}&sslkey=${user.key}`]: 'no start line',
  }
  for (const [query, reason] of Object.entries(reasons)) {
    const { code, stderr } = await spawnTrellis(t, ['--database-url', urlWith(query)]).ended
    const certificates = 'check sslcert, sslkey and sslpassword in --database-url'
    assert.equal(
      stderr,
      `Fatal Error: The certificate for PostgreSQL at localhost:${port} cannot be used (${reason}): ${certificates}\n`,
    )
    assert.equal(code, 1)
  }
})

test('the certificate of a host that is given by address must name the address', { skip }, async () => {
  await allow('host all all all scram-sha-256')
  const query = `sslmode=verify-full&sslrootcert=${authority.cert}`
  const warnings: string[] = []
  const warned = ({ message }: Error) => void warnings.push(message)
  process.on('warning', warned)
  assert.match(await outcome(query, '127.0.0.1'), noHostName)
  assert.match(await outcome(`${query}&hostaddr=127.0.0.1`, '10.0.0.7'), /IP: 10\.0\.0\.7 is not in the cert's list/)
  process.off('warning', warned)
  assert.deepEqual(warnings, [])
})

test('everything that the server does goes over encrypted connections', { skip }, async (t) => {
  await allow('hostssl all all all scram-sha-256')
  for (const query of ['', 'sslmode=allow', 'sslmode=require', `sslmode=verify-ca&sslrootcert=${authority.cert}`]) {
    const args = ['--database-url', urlWith(query), '--server-host', '127.0.0.1', '--server-port', '0']
    const server = spawnTrellis(t, args)
    const { op, graphql } = clientOf(await server.ready())
    await op('run_sql', { sql: 'create table if not exists note (id serial primary key, body text); truncate note' })
    await op('clear_metadata', {})
    await op('track_table', 'note')
    for (let i = 0; i < 20; i++) await graphql('mutation { insert_note_one(object: { body: "x" }) { id } }')
    const { data } = await graphql<{ data: object }>('{ note_aggregate { aggregate { count } } }')
    assert.deepEqual(data, { note_aggregate: { aggregate: { count: 20 } } })
    server.kill('SIGTERM')
    assert.equal((await server.ended).code, 0)
  }
})

test('a server without encryption is accepted if encryption is not required', { skip }, async () => {
  writeFileSync(join(directory, 'postgres/postgresql.auto.conf'), 'ssl = off\n')
  await allow('host all all all scram-sha-256')
  await assertOutcomes({
    '': 'plain',
    'sslmode=prefer': 'plain',
    'sslmode=allow': 'plain',
    'sslmode=require': 'The server does not support SSL connections',
  })
})

test('an unsupported parameter of a URL is refused by its name', () => {
  const cases: Readonly<Record<string, string>> = {
    'sslmode=none': 'sslmode "none" is none of disable, allow, prefer, require, verify-ca, verify-full',
    'sslmode=verify-ca': 'sslmode=verify-ca needs the certificate to trust as sslrootcert',
    'sslmode=verify-ca&sslrootcert=system': 'sslrootcert=system needs sslmode=verify-full',
    'sslmode=verify-ca&sslrootcert=/nowhere': 'sslrootcert: /nowhere cannot be read (ENOENT)',
    'sslmode=prefer&sslnegotiation=direct': 'sslnegotiation=direct needs sslmode=require or a stricter one',
    'ssl_min_protocol_version=SSLv2': 'ssl_min_protocol_version "SSLv2" is not a TLS version',
    'ssl_min_protocol_version=constructor': 'ssl_min_protocol_version "constructor" is not a TLS version',
    'connect_timeout=soon': 'connect_timeout "soon" is not a number of seconds',
    'target_session_attrs=read-only': 'target_session_attrs=read-only is not supported in its URL',
    'service=x': 'service=x is not supported in its URL',
    'host=a,b&port=1,2,3': 'Expecting one port, or one for each host: there are 3 ports for a,b',
    'host=a,b&target_session_attrs=prefer-standby':
      'target_session_attrs=prefer-standby is not supported with several hosts',
    'hostaddr=1.1.1.1,1.1.1.2': 'Expecting one hostaddr: give a list of hosts as host',
  }
  for (const [query, reason] of Object.entries(cases)) {
    assert.throws(
      () => connectionConfig(`postgres://h/d?${query}`),
      (error: Error) => {
        assert.ok(error instanceof StartError)
        assert.equal(error.message, `Database URL: ${reason} (--database-url)`)
        return true
      },
    )
  }
})

test('a certificate without its key is refused by name', { skip }, () => {
  const { message } = new StartError(`Database URL: sslcert=${user.cert} needs its key as sslkey (--database-url)`)
  assert.throws(() => connectionConfig(urlWith(`sslcert=${user.cert}`)), { message })
})

test('environment variables fill parameters that a URL leaves out, and the last of two values counts', (t) => {
  const config = (query: string) => connectionConfig(`postgres://u:p@h:1/d?${query}`)
  const variables = {
    PGCHANNELBINDING: 'require',
    PGSSLNEGOTIATION: 'direct',
    PGSSLMODE: 'verify-full',
    PGSSLMINPROTOCOLVERSION: 'TLSv1.3',
    PGCONNECT_TIMEOUT: '3',
  }
  for (const [name, value] of Object.entries(variables)) {
    process.env[name] = value
    t.after(() => delete process.env[name])
  }
  const { ssl, sslnegotiation, connectionTimeoutMillis, ...rest } = config('')
  assert.deepEqual(
    { ssl, sslnegotiation, connectionTimeoutMillis },
    { ssl: { minVersion: 'TLSv1.3' }, sslnegotiation: 'direct', connectionTimeoutMillis: 3000 },
  )
  assert.equal(rest.enableChannelBinding, true)
  assert.equal(config('connect_timeout=4').connectionTimeoutMillis, 4000)
  assert.equal(config('sslnegotiation=postgres&sslmode=require&sslmode=disable').ssl, false)
})

test('a user without a home, as of a container, has no certificates there', (t) => {
  const homeless = t.mock.method(os, 'homedir', () => {
    throw new Error('no such user')
  })
  syncBuiltinESMExports()
  t.after(() => {
    homeless.mock.restore()
    syncBuiltinESMExports()
  })
  const { ssl } = connectionConfig('postgres://app@db.test/shop?sslmode=require')
  assert.equal(homeless.mock.callCount() > 0, true)
  assert.ok(typeof ssl === 'object' && !('cert' in ssl))
})

test('other parameters of a URL have the meaning of libpq', () => {
  const config = (query: string) => connectionConfig(`postgres://u:p@h:1/d${query}`)
  const { connectionString, connectionTimeoutMillis, keepAlive, keepAliveInitialDelayMillis } = config('')
  assert.deepEqual(
    { connectionString, connectionTimeoutMillis, keepAlive, keepAliveInitialDelayMillis },
    {
      connectionString: 'postgres://u:p@h:1/d',
      connectionTimeoutMillis: 10_000,
      keepAlive: true,
      keepAliveInitialDelayMillis: 5_000,
    },
  )
  assert.equal(config('?connect_timeout=3').connectionTimeoutMillis, 3000)
  assert.equal(config('?keepalives=0').keepAlive, false)
  assert.equal(config('?keepalives_idle=60').keepAliveInitialDelayMillis, 60_000)
  const client = new DatabaseClient(config('?application_name=a%20b&options=-c%20geqo%3Doff&sslmode=disable&dbname=e'))
  const { application_name, options } = (client as unknown as { connectionParameters: Record<string, string> })
    .connectionParameters as Record<string, string>
  assert.deepEqual(
    [client.host, client.port, client.database, application_name, options],
    ['h', 1, 'e', 'a b', '-c geqo=off'],
  )
})
