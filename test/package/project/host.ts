// A program with a Fastify of its own.

import Fastify from 'fastify'
import { silentObserver, trellis } from 'trellis/engine'
import notes from './notes.ts'

const databaseUrl = process.argv[2] ?? null
// Of a variable that is not set: not given.
const adminSecret = process.env.HOST_ADMIN_SECRET
const settings = { databaseUrl, adminSecret }
const app = Fastify()
app.get('/', () => 'mine')
app.register(trellis, { prefix: '/api', settings, plugins: [notes], observe: silentObserver })
const url = await app.listen({ port: 0, host: '127.0.0.1' })
const answers = ['/', '/api/v1/version', '/api/notes'].map(async (path) => (await fetch(url + path)).text())
console.log((await Promise.all(answers)).join(' '))
await app.close()
