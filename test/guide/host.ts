import Fastify from 'fastify'
import { trellis } from 'trellis/engine'
import glossary from './glossary.ts'

const app = Fastify()
app.get('/', () => 'mine')
await app.register(trellis, {
  prefix: '/api',
  settings: { databaseUrl: process.env['DATABASE_URL'] ?? null },
  plugins: [glossary],
})
const url = await app.listen({ port: 0 })
console.log(await (await fetch(`${url}/api/glossary`)).text())
await app.close()
