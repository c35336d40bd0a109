import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { after, test } from 'node:test'
import { JoiningResponse } from '../../core/http/front/response.ts'

type Answer = (response: ServerResponse) => void

let answer: Answer = () => {}
const server = createServer({ ServerResponse: JoiningResponse }, (_request, response) => answer(response))
server.listen(0, '127.0.0.1')
await once(server, 'listening')
after(() => server.close())

const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`

async function ask(how: Answer, method = 'GET'): Promise<{ headers: Headers; body: Buffer }> {
  answer = how
  const response = await fetch(url, { method })
  return { headers: response.headers, body: Buffer.from(await response.arrayBuffer()) }
}

const bytes = Buffer.from(Array.from({ length: 256 }, (_, i) => i))

test('a body of any bytes and any length arrives unchanged', async () => {
  for (const body of [
    bytes,
    Buffer.from('Größe €😀'),
    Buffer.alloc(4096, 0xff),
    Buffer.alloc(4097, 0xfe),
    Buffer.alloc(0),
  ]) {
    const answered = await ask((response) => response.end(body))
    assert.deepEqual(answered.body, body)
    assert.equal(answered.headers.get('content-length'), String(body.length))
  }
})

test('a text is sent as UTF-8, or in the given encoding', async () => {
  assert.equal((await ask((response) => response.end('€'))).body.toString(), '€')
  assert.deepEqual((await ask((response) => response.end('ÿ', 'latin1'))).body, Buffer.from([255]))
})

test('bytes can end a body whose beginning is already sent', async () => {
  const answered = await ask((response) => {
    response.write('first ')
    response.end(bytes)
  })
  assert.deepEqual(answered.body, Buffer.concat([Buffer.from('first '), bytes]))
})

test('a HEAD request is answered without a body', async () => {
  const how: Answer = (response) => {
    response.writeHead(200, { 'content-length': bytes.length })
    response.end(bytes)
  }
  const { headers, body } = await ask(how, 'HEAD')
  assert.deepEqual([headers.get('content-length'), body.length], ['256', 0])
})

test('the callback for the end is called', async () => {
  for (const how of [
    (response: ServerResponse, done: () => void) => response.end(bytes, done),
    (response: ServerResponse, done: () => void) => response.end(bytes, 'utf8', done),
    (response: ServerResponse, done: () => void) => response.end(done),
  ]) {
    const told = Promise.withResolvers<void>()
    await ask((response) => how(response, told.resolve))
    await told.promise
  }
})

test('a small body is sent in one piece with the headers', async () => {
  answer = (response) => response.end(bytes)
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1')
  socket.write('GET / HTTP/1.1\r\nhost: a\r\n\r\n')
  const [first] = (await once(socket, 'data')) as [Buffer]
  assert.ok(first.subarray(-bytes.length).equals(bytes))
  socket.destroy()
})
