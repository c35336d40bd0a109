// Responses as the RFCs permit them: content codings, charsets, interim responses, trailers.

import assert from 'node:assert/strict'
import { createServer as createHttpServer, type RequestListener } from 'node:http'
import { type AddressInfo, createServer } from 'node:net'
import { type TestContext, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { brotliCompressSync, createGzip, deflateRawSync, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib'
import { dialects } from '../../core/names/dialect.ts'
import { asUtf8 } from '../../core/outgoing/answer/content-coding.ts'
import { InterimAnswers } from '../../core/outgoing/answer/interim-answers.ts'
import { OutgoingClient, OutgoingError, type OutgoingRequest } from '../../core/outgoing/client.ts'
import fc from '../support/fast-check.ts'

function client(t: TestContext) {
  const outgoing = new OutgoingClient(dialects.trellis)
  t.after(() => outgoing.close())
  const send = (url: string, more: Partial<OutgoingRequest> = {}) =>
    outgoing.send({ method: 'GET', url, timeout: 10_000, ...more })
  const failure = (url: string, reason: OutgoingError['reason'], message: RegExp, more?: Partial<OutgoingRequest>) =>
    assert.rejects(send(url, more), (error) => {
      assert.ok(error instanceof OutgoingError, String((error as Error).stack))
      assert.equal(error.reason, reason)
      assert.match(error.message, message)
      return true
    })
  return { outgoing, send, failure }
}

async function serve(t: TestContext, listener: RequestListener): Promise<string> {
  const server = createHttpServer(listener)
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  t.after(() => {
    server.closeAllConnections()
    server.close()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
}

/** A server that answers each request with these bytes, piece by piece. */
async function serveRaw(t: TestContext, pieces: readonly (string | Buffer)[]): Promise<string> {
  const server = createServer((socket) => {
    socket.on('error', () => {})
    socket.on('data', async () => {
      for (const piece of pieces) {
        socket.write(piece)
        await sleep(5)
      }
    })
    t.after(() => socket.destroy())
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  t.after(() => server.close())
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
}

const text = JSON.stringify({ hello: 'wörld', list: Array.from({ length: 5000 }, (_, i) => i) })

const packed: Readonly<Record<string, Buffer>> = {
  gzip: gzipSync(text),
  'X-GZip': gzipSync(text),
  deflate: deflateSync(text),
  Deflate: deflateRawSync(text),
  br: brotliCompressSync(text),
  zstd: zstdCompressSync(text),
  'gzip, br': brotliCompressSync(gzipSync(text)),
  'identity,deflate , gzip': gzipSync(deflateSync(text)),
  identity: Buffer.from(text),
  none: Buffer.from(text),
}

test('gzip is requested, and a response in any coding is decoded', async (t) => {
  const asked: (string | undefined)[] = []
  const url = await serve(t, ({ headers, url: path = '' }, response) => {
    asked.push(headers['accept-encoding'])
    const coding = decodeURIComponent(path.slice(1))
    response.writeHead(200, { 'content-encoding': coding }).end(packed[coding])
  })
  const { send } = client(t)
  for (const coding of Object.keys(packed)) {
    const { body, headers } = await send(url + encodeURIComponent(coding))
    assert.equal(body.toString(), text, coding)
    assert.equal(headers['content-encoding'], coding)
  }
  assert.deepEqual([...new Set(asked)], ['gzip'])
})

test('codings may be in several headers, and a configured header sets the requested one', async (t) => {
  const asked: (string | undefined)[] = []
  const url = await serve(t, ({ headers }, response) => {
    asked.push(headers['accept-encoding'])
    response.setHeader('Content-Encoding', ['deflate', 'br'])
    response.end(brotliCompressSync(deflateSync('ok')))
  })
  const { body } = await client(t).send(url, { headers: { 'Accept-Encoding': 'br' } })
  assert.equal(body.toString(), 'ok')
  assert.deepEqual(asked, ['br'])
})

test('the size limit applies to the decoded response', async (t) => {
  const url = await serve(t, (_, response) => {
    const gzip = createGzip()
    response.writeHead(200, { 'content-encoding': 'gzip' })
    gzip.pipe(response)
    gzip.end(Buffer.alloc(50 * 2 ** 20))
  })
  const { send, failure } = client(t)
  await failure(url, 'too-large', /^the answer is longer than 1000000 bytes$/, { maxResponseSize: 1_000_000 })
  const cut = await send(url, { maxResponseSize: 1000, cutsResponse: true })
  assert.deepEqual([cut.body.length, cut.isCut], [1000, true])
  assert.equal((await send(url)).body.length, 50 * 2 ** 20)
})

test('a response that cannot be decoded is an error, except for callers that read only its beginning', async (t) => {
  const broken: Readonly<Record<string, [coding: string, body: Buffer]>> = {
    unknown: ['compress', Buffer.from('abc')],
    wrong: ['gzip', Buffer.from('{"a":1}')],
    short: ['gzip', packed['gzip']!.subarray(0, 100)],
    nested: [Array.from({ length: 6 }, () => 'gzip').join(), Buffer.from('abc')],
  }
  const url = await serve(t, ({ url: path = '' }, response) => {
    const [coding, body] = broken[path.slice(1)]!
    response.writeHead(200, { 'content-encoding': coding }).end(body)
  })
  const { send, failure } = client(t)
  await failure(`${url}unknown`, 'unreadable', /^the answer has the content coding "compress", which is not supported$/)
  await failure(`${url}nested`, 'unreadable', /^the answer has too many content codings$/)
  await failure(`${url}wrong`, 'unreadable', /^the answer cannot be unpacked \(gzip\): incorrect header check$/)
  await failure(`${url}short`, 'unreadable', /^the answer cannot be unpacked \(gzip\): unexpected end of file$/)
  for (const path of Object.keys(broken)) {
    assert.equal((await send(url + path, { cutsResponse: true })).status, 200, path)
  }
  assert.equal((await send(`${url}unknown`, { cutsResponse: true })).body.toString(), 'abc')
})

test('an empty response is empty in any coding', async (t) => {
  const url = await serve(t, (_, response) => response.writeHead(200, { 'content-encoding': 'gzip' }).end())
  assert.equal((await client(t).send(url)).body.length, 0)
})

test('a stream is requested uncompressed, and decoded if it is compressed', async (t) => {
  const asked: (string | undefined)[] = []
  const url = await serve(t, async ({ headers }, response) => {
    asked.push(headers['accept-encoding'])
    response.writeHead(200, { 'content-encoding': 'gzip' })
    const gzip = createGzip()
    gzip.pipe(response)
    gzip.write('first')
    gzip.flush()
  })
  const { outgoing } = client(t)
  const { body } = await outgoing.open({ method: 'POST', url, timeout: 5000 })
  for await (const chunk of body) {
    assert.equal(chunk.toString(), 'first')
    break
  }
  assert.deepEqual(asked, ['identity'])
  const unknown = await serve(t, (_, response) => response.writeHead(200, { 'content-encoding': 'lzma' }).end('x'))
  const stream = await outgoing.open({ method: 'POST', url: unknown, timeout: 5000 })
  await assert.rejects(stream.body[Symbol.asyncIterator]().next(), { reason: 'unreadable' })
})

test('a byte order mark is removed; a charset counts only if the bytes are not UTF-8', () => {
  const read = (bytes: Buffer, type?: string) => asUtf8(bytes, type).toString()
  assert.equal(read(Buffer.from('\uFEFF{}')), '{}')
  assert.equal(read(Buffer.from('{"ä":1}'), 'application/json; charset=ISO-8859-1'), '{"ä":1}')
  assert.equal(read(Buffer.from('{"ä":1}', 'latin1'), 'application/json; Charset="iso-8859-1"'), '{"ä":1}')
  assert.equal(read(Buffer.from('\uFEFF{"ä":1}', 'utf16le'), 'application/json;charset=UTF-16'), '{"ä":1}')
  assert.equal(read(Buffer.from('{}'), 'application/json; charset=unknown'), '{}')
  assert.deepEqual(asUtf8(Buffer.from([0xff]), 'text/plain; charset=unknown'), Buffer.from([0xff]))
  assert.deepEqual(asUtf8(Buffer.from([0xff]), 'application/octet-stream'), Buffer.from([0xff]))
})

test('interim responses are skipped, however they are split', async (t) => {
  const interim = [
    'HTTP/1.1 100 Continue\r\n\r\n',
    'HTTP/1.1 103 Early Hints\r\nLink: </a>; rel=preload\r\n\r\n',
    'HTTP/1.1 100 Continue\r\nX-A: b\r\n\r\n',
    'HTTP/1.1 102 Processing\r\n\r\n',
  ]
  const final = 'HTTP/1.1 200 OK\r\nContent-Length: 12\r\n\r\nHTTP/1.1 100'
  const { send } = client(t)
  const check = async (pieces: readonly string[]) => {
    const url = await serveRaw(t, pieces)
    for (let i = 0; i < 2; i++) {
      const { status, headers, body } = await send(url)
      assert.deepEqual(
        [status, headers['x-a'], headers['link'], String(body)],
        [200, undefined, undefined, 'HTTP/1.1 100'],
      )
    }
  }
  await check([...interim, final])
  await check([interim.join('') + final])
  await check(['HTTP/1.1 10', '0 Continue\r\n\r', '\nHTTP/1.1 200 OK\r\nContent-Length: 12\r\n\r\n', 'HTTP/1.1 100'])
})

test('removing interim responses leaves the rest unchanged, however it is split', () => {
  const heads = fc.array(fc.constantFrom('HTTP/1.1 100 Continue\r\n\r\n', 'HTTP/1.0 103 x\r\nA: b\r\n\r\n'), {
    maxLength: 3,
  })
  const rest = fc.constantFrom(
    'HTTP/1.1 200 OK\r\n\r\nHTTP/1.1 100 Continue\r\n\r\n',
    'HTTP/1.1 101 x\r\n\r\n',
    'HTTP/1',
    'x',
  )
  const cuts = fc.array(fc.nat(120), { maxLength: 6 })
  fc.assert(
    fc.property(heads, rest, cuts, (interim, answer, places) => {
      const bytes = Buffer.from(interim.join('') + answer)
      const ends = [...places.map((place) => Math.min(place, bytes.length)), bytes.length].sort((a, b) => a - b)
      const answers = new InterimAnswers()
      let from = 0
      let isFirst = true
      const received = ends.flatMap((to) => {
        const piece = bytes.subarray(from, to)
        from = to
        if (piece.length === 0) return []
        const left = answers.rest(piece, isFirst)
        isFirst = false
        return [left]
      })
      const expected = answer === 'HTTP/1' ? '' : answer
      assert.equal(Buffer.concat(received).toString(), expected)
    }),
  )
})

test('trailers are not part of the response, and a truncated response is an error', async (t) => {
  const { send, failure } = client(t)
  const trailed = await serveRaw(t, [
    'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nTrailer: X-Sum\r\n\r\n2;ext=1\r\nok\r\n0\r\nX-Sum: 1\r\n\r\n',
  ])
  for (let i = 0; i < 2; i++) {
    const { body, headers } = await send(trailed)
    assert.deepEqual([String(body), headers['x-sum']], ['ok', undefined])
  }
  const short = await serve(t, (_, response) => {
    response.writeHead(200, { 'content-length': '9' })
    response.write('abc', () => response.destroy())
  })
  await failure(short, 'connection', /./)
})
