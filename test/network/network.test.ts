// Hosts whose certificates are not verified.

import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { test } from 'node:test'
import { hasOpenssl, makeAuthority } from '../support/certificates.ts'
import { atEnd } from '../support/cleanup.ts'
import { temporaryDirectory } from '../support/process.ts'
import { startTrellis } from '../support/trellis.ts'

test('a host of the allowlist may have a certificate of its own', {
  skip: hasOpenssl ? false : 'there is no openssl',
}, async (t) => {
  const { cert, key } = makeAuthority(temporaryDirectory(t), 'localhost')
  const server = createServer({ cert: readFileSync(cert), key: readFileSync(key) }, (_request, response) => {
    response.setHeader('content-type', 'application/json').end('{"ok": true}')
  })
  await new Promise<void>((resolve) => server.listen(0, resolve))
  atEnd(t, () => server.close())
  const { port } = server.address() as AddressInfo
  const { op, opError, graphql } = await startTrellis(t)
  await op('set_custom_types', { objects: [{ name: 'Ok', fields: [{ name: 'ok', type: 'Boolean!' }] }] })
  const definition = { handler: `https://localhost:${port}/`, output_type: 'Ok', type: 'query' }
  await op('create_action', { name: 'ask', definition })
  const asks = async () => JSON.stringify(await graphql('{ ask { ok } }'))
  const works = '{"data":{"ask":{"ok":true}}}'
  const fails = /http exception when calling webhook/
  assert.match(await asks(), fails)

  await op('add_host_to_tls_allowlist', { host: 'other.test' })
  assert.match(await asks(), fails)
  await op('add_host_to_tls_allowlist', { host: 'localhost', suffix: String(port + 1) })
  assert.match(await asks(), fails)
  await op('add_host_to_tls_allowlist', { host: 'LOCALHOST', suffix: `:${port}`, permissions: ['self-signed'] })
  assert.equal(await asks(), works)
  const { network } = await op<Record<string, unknown>>('export_metadata', {})
  assert.deepEqual(network, {
    tls_allowlist: [
      { host: 'other.test' },
      { host: 'localhost', suffix: String(port + 1) },
      { host: 'LOCALHOST', suffix: `:${port}`, permissions: ['self-signed'] },
    ],
  })

  await op('drop_host_from_tls_allowlist', { host: 'localhost', suffix: String(port) })
  assert.match(await asks(), fails, 'the open connection is used no more')
  await op('add_host_to_tls_allowlist', { host: 'localhost' })
  assert.equal(await asks(), works)
  await op('drop_host_from_tls_allowlist', { host: 'localhost' })
  assert.match(await asks(), fails)

  const refused = [
    [
      'add_host_to_tls_allowlist',
      { host: 'other.test' },
      '$.args',
      'already-exists',
      'the host "other.test" already exists in the allowlist',
    ],
    [
      'drop_host_from_tls_allowlist',
      { host: 'localhost' },
      '$.args',
      'not-exists',
      `the host "localhost" isn't present in the allowlist`,
    ],
    ['add_host_to_tls_allowlist', { host: '' }, '$.host', 'parse-failed', 'empty string not allowed'],
    ['add_host_to_tls_allowlist', { host: 'a', suffix: 'x' }, '$.suffix', 'parse-failed', '"x" is not valid here'],
    [
      'add_host_to_tls_allowlist',
      { host: 'a', permissions: ['any'] },
      '$.permissions[0]',
      'parse-failed',
      `Expected 'self-signed'`,
    ],
  ] as const
  for (const [type, args, path, code, error] of refused) {
    assert.deepEqual(await opError(type, args), { status: 400, body: { path, error, code } })
  }
})
