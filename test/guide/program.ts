import { createEngine } from 'trellis/engine'
import glossary from './glossary.ts'

const engine = await createEngine({
  settings: { databaseUrl: process.env['DATABASE_URL'] ?? null, serverPort: 0, glossaryTitle: 'Words' },
  plugins: [glossary],
})
const port = await engine.listen()
const answer = await fetch(`http://localhost:${port}/glossary`)
console.log(await answer.text())
await engine.close()
