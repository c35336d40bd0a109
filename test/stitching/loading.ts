// Prints which modules of `@graphql-tools` are loaded before and after the first stitched schema: `loading.ts DATABASE_URL`.

import { registerHooks } from 'node:module'

const loaded: string[] = []
registerHooks({
  resolve(specifier, context, next) {
    if (specifier.startsWith('@graphql-tools/') && context.parentURL?.includes('/plugins/')) loaded.push(specifier)
    return next(specifier, context)
  },
})

const [{ startTrellis }, { definePlugin, graphql }, { remoteSchemas }] = [
  await import('../../sdk/testing.ts'),
  await import('../../sdk/doors/index.ts'),
  await import('../../plugins/remote-schemas/graphql.ts'),
]
const schema = graphql.buildSchema('type Query { now: Int }')
const clock = definePlugin({
  name: 'clock',
  dependencies: ['remote-schemas'],
  register: (engine) => engine.use(remoteSchemas).add({ name: 'clock', schema, rootValue: { now: 1 } }),
})
const trellis = await startTrellis({ databaseUrl: process.argv[2]!, plugins: [clock] })
await trellis.graphql('{ now }')
const before = [...loaded]
await trellis.operation('update_remote_schema', { name: 'clock', definition: { plugin: 'clock', hidden: true } })
await trellis.operation('add_remote_schema', { name: 'all', definition: { stitch: [{ remote_schema: 'clock' }] } })
await trellis.graphql('{ now }')
console.log(JSON.stringify({ before, after: loaded }))
await trellis.close()
process.exit()
