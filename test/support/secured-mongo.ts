// A server with MongoDB's protocol as in production: with users, TLS, and the name of a replica set. It is FerretDB,
// also when other tests use a MongoDB.

import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { rmSync } from 'node:fs'
import type { TestContext } from 'node:test'
import { MongoClient } from 'mongodb'
import { makeAuthority, makeCertificate } from './certificates.ts'
import { atEnd } from './cleanup.ts'
import { testDatabase } from './database.ts'
import { freePort, listening } from './mongo.ts'
import { buildFerret } from './mongo-programs.ts'
import { makeTemporaryDirectory } from './postgres.ts'

export interface SecuredMongo {
  /** Hosts with their ports: without TLS, and with a certificate for `localhost`. */
  readonly plain: string
  readonly tls: string
  /** The files of the authority that signed the certificate, and of another one. */
  readonly authority: string
  readonly otherAuthority: string
  readonly replicaSet: string
  /** Makes it silent on all connections. */
  freeze(): void
  /** Runs a function as its administrator. */
  asAdministrator<T>(work: (client: MongoClient) => Promise<T>): Promise<T>
}

/** Its administrator, a user of the database `admin`. */
export const administrator = { name: 'clerk', password: 'hu$sh/es' }
const replicaSet = 'rs0'

/** Starts one; fails where it cannot be built. */
export async function startSecuredMongo(t: TestContext): Promise<SecuredMongo> {
  const program = await buildFerret()
  if (program === null) throw new Error('FerretDB cannot be built: there is no Go')
  const directory = makeTemporaryDirectory()
  atEnd(t, () => rmSync(directory, { recursive: true, force: true }))
  const authority = makeAuthority(directory, 'authority')
  const { cert, key } = makeCertificate(directory, 'localhost', authority)
  const [port, tlsPort] = [await freePort(), await freePort()]
  const { url } = await testDatabase(t)
  const plain = `127.0.0.1:${port}`
  const child = spawn(
    program,
    [
      ...[`--postgresql-url=${url}`, `--listen-addr=${plain}`, `--repl-set-name=${replicaSet}`],
      ...[`--listen-tls=127.0.0.1:${tlsPort}`, `--listen-tls-cert-file=${cert}`, `--listen-tls-key-file=${key}`],
      ...['--test-enable-new-auth', '--setup-database=admin'],
      ...[`--setup-username=${administrator.name}`, `--setup-password=${administrator.password}`],
      ...['--telemetry=disable', '--debug-addr=-', '--state-dir=-', '--log-level=error'],
    ],
    { stdio: 'ignore' },
  )
  atEnd(t, () => end(child))
  await listening(tlsPort, child)
  const { name, password } = administrator
  const adminUrl = `mongodb://${name}:${encodeURIComponent(password)}@${plain}/admin`
  return {
    ...{ plain, tls: `localhost:${tlsPort}`, replicaSet },
    authority: authority.cert,
    otherAuthority: makeAuthority(directory, 'other').cert,
    freeze: () => void child.kill('SIGSTOP'),
    async asAdministrator(work) {
      const client = new MongoClient(adminUrl)
      try {
        return await work(client)
      } finally {
        await client.close()
      }
    },
  }
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const exited = once(child, 'exit')
  child.kill('SIGKILL')
  await exited
}
