// MongoDB as in production: users, TLS with a private authority, replica sets, a separate database.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { mongoStore } from '../../plugins/jobs/clock/mongo-store.ts'
import { mongoUrlRefusal, shownMongoUrl } from '../../plugins/jobs/clock/mongodb-url.ts'
import type { Job } from '../../plugins/jobs/index.ts'
import type { LogEntry } from '../../sdk/services.ts'
import { hasOpenssl } from '../support/certificates.ts'
import { administrator, startSecuredMongo } from '../support/secured-mongo.ts'
import { eventually } from '../support/waiting.ts'
import { startWith } from './worker.ts'

const skip = hasOpenssl ? false : 'there is no openssl'
const user = `${administrator.name}:${encodeURIComponent(administrator.password)}`

/** A job that runs each second, and how often it did. */
function ticking() {
  const due: number[] = []
  const job: Job = { name: 'tick', schedule: { every: 1000 }, run: ({ dueAt }) => void due.push(dueAt.getTime()) }
  return { due, job }
}

test('schedules are kept in a replica set, over TLS, by a user, in a database of that name', { skip }, async (t) => {
  const mongo = await startSecuredMongo(t)
  const { plain, tls, authority, replicaSet } = mongo
  const urls = {
    harbour: `mongodb://${user}@127.0.0.1:1,${plain}/harbour?authSource=admin&replicaSet=${replicaSet}`,
    trellis: `mongodb://${user}@${tls}/?authSource=admin&tls=true&tlsCAFile=${encodeURIComponent(authority)}&directConnection=true`,
  }
  for (const [database, mongodbUrl] of Object.entries(urls)) {
    const { due, job } = ticking()
    const { engine } = await startWith(t, [job], { settings: { mongodbUrl } })
    await eventually(() => due.length >= 2)
    await engine.close()
    const found = await mongo.asAdministrator((client) => client.db(database).listCollections().toArray())
    assert.match(found.map(({ name }) => name).join(), /^trellisJobs_[0-9a-f]{12}$/, database)
  }
})

test('a URL whose password is not percent-encoded is never shown', () => {
  for (const password of ['hu@sh', 'hu/sh', 'hu?sh', 'hu#sh', '12/34', '12?34']) {
    const url = `mongodb://clerk:${password}@127.0.0.1/jobs`
    assert.match(mongoUrlRefusal(url) ?? '', /^is not a URL such as .* must be percent-encoded$/, url)
    assert.equal(shownMongoUrl(url), '<redacted>')
  }
  assert.equal(shownMongoUrl(`mongodb://${user}@a:1,b/jobs?tls=true`), 'mongodb://redacted@a:1,b/jobs')
})

test('problems with MongoDB are logged without secrets', { skip }, async (t) => {
  const mongo = await startSecuredMongo(t)
  const { plain, tls, authority, otherAuthority } = mongo
  const secure = `authSource=admin&directConnection=true&tls=true&tlsCAFile=`
  const wrong: [string, RegExp][] = [
    [`mongodb://clerk:hush@${plain}/x?authSource=admin`, /^Authentication failed\.$/],
    [`mongodb://${user}@${plain}/x`, /^Authentication failed\.$/],
    [`mongodb://${plain}/x`, /^Command createIndexes requires authentication$/],
    [
      `mongodb://${user}@${tls}/x?${secure}${otherAuthority}`,
      /^unable to (get local issuer|verify the first) certificate/,
    ],
    [
      `mongodb://${user}@127.0.0.1:${tls.split(':')[1]}/x?${secure}${authority}`,
      /does not match certificate's altnames/,
    ],
    [
      `mongodb://${user}@${tls}/x?${secure}/none/authority.crt`,
      /^ENOENT: no such file or directory, open '\/none\/authority.crt'$/,
    ],
    [`mongodb://${user}@${plain}/x?authSource=admin&tls=true`, /before secure TLS connection was established$/],
    [`mongodb://${user}@${plain}/x?authSource=admin&replicaSet=rs1`, /^no primary of the replica set "rs1" was found$/],
    [`mongodb://${user}@nowhere.invalid/x`, /^getaddrinfo [A-Z_]+ nowhere\.invalid$/],
    [`mongodb+srv://${user}@nowhere.invalid/x`, /^querySrv [A-Z_]+ _mongodb\._tcp\.nowhere\.invalid$/],
  ]
  const said = wrong.map(async ([url, expected]) => {
    const store = mongoStore(
      `${url}${url.includes('?') ? '&' : '?'}serverSelectionTimeoutMS=1000`,
      async () => 'entries',
    )
    const error: Error = await store.open().then(
      () => assert.fail(`${url} can be used`),
      (reason) => reason,
    )
    await store.close()
    assert.match(store.shown(error), expected, url)
    assert.doesNotMatch(store.shown(error), /hush|hu\$sh|hu%24sh/)
  })
  await Promise.all(said)
})

test('a server that MongoDB rejects serves requests, logs the reason, and runs jobs once accepted', {
  skip,
}, async (t) => {
  const mongo = await startSecuredMongo(t)
  const entries: (string | null)[] = []
  const log = (entry: LogEntry) => {
    if (entry.type === 'jobs') entries.push(entry.detail.error)
  }
  const { due, job } = ticking()
  const mongodbUrl = `mongodb://late:hush@${mongo.plain}/jobs?authSource=admin`
  const settings = { mongodbUrl, enabledApis: ['graphql', 'metadata', 'developer'] }
  const observe = { isEnabled: () => true, log, flush: () => {} }
  const trellis = await startWith(t, [job], { settings, observe })
  const view = async () => {
    const { body } = await trellis.request<{ reachable: boolean; error: string | null }>('/dev/jobs', { role: 'admin' })
    return { reachable: body.reachable, error: body.error }
  }
  await eventually(() => entries.length > 0)
  assert.deepEqual(await view(), { reachable: false, error: 'Authentication failed.' })
  assert.deepEqual(await trellis.graphql('{ __typename }'), { data: { __typename: 'query_root' } })
  const roles: string[] = []
  await mongo.asAdministrator((client) => client.db('admin').command({ createUser: 'late', pwd: 'hush', roles }))
  await eventually(() => due.length >= 2)
  assert.deepEqual(await view(), { reachable: true, error: null })
  assert.deepEqual(entries, ['Authentication failed.', null])
})

test('a MongoDB that does not answer does not delay shutdown', { skip }, async (t) => {
  const mongo = await startSecuredMongo(t)
  const { due, job } = ticking()
  const mongodbUrl = `mongodb://${user}@${mongo.plain}/x?authSource=admin`
  const { engine } = await startWith(t, [job], { settings: { mongodbUrl } })
  await eventually(() => due.length >= 1)
  mongo.freeze()
  const before = due.length
  // It asks for due jobs, and waits.
  await sleep(1500)
  const started = performance.now()
  await engine.close()
  assert.ok(performance.now() - started < 20_000, `${performance.now() - started} ms`)
  assert.ok(due.length <= before + 1)
})
