// A receiver with a short accept queue, in its own process. It answers one connection after the other and closes
// each.

import { createServer } from 'node:net'

const [busyMillis = '1'] = process.argv.slice(2)

function busy(millis: number): void {
  const end = performance.now() + millis
  while (performance.now() < end);
}

let count = 0
const server = createServer((socket) => {
  let text = ''
  socket.on('error', () => {})
  socket.on('data', (chunk) => {
    text += String(chunk)
    const [head, body = ''] = text.split('\r\n\r\n')
    if (!text.includes('\r\n\r\n') || body.length < Number(/content-length: (\d+)/i.exec(head!)?.[1] ?? 0)) return
    text = ''
    busy(Number(busyMillis))
    count++
    socket.end(`HTTP/1.0 200 OK\r\nContent-Length: ${String(count).length}\r\n\r\n${count}`)
  })
})
server.listen({ port: 0, host: '127.0.0.1', backlog: 5 }, () => {
  const address = server.address()
  process.send?.(typeof address === 'object' ? address?.port : null)
})
process.on('disconnect', () => process.exit())
