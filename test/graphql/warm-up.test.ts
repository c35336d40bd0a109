import assert from 'node:assert/strict'
import test, { type TestContext } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { definePlugin } from '../../sdk/index.ts'
import { startTrellis } from '../support/trellis.ts'
import { eventually } from '../support/waiting.ts'

/** An engine that tracks this many tables, and the number of tables whose row types were made since then. */
async function tracking(t: TestContext, tables: number) {
  const seen = new Set<string>()
  const plugin = definePlugin({
    name: 'seeing',
    register(engine) {
      const rowFields = (_: unknown, { name }: { readonly name: { readonly name: string } }) => {
        seen.add(name.name)
        return new Map()
      }
      engine.graphql.contribute({ name: 'seeing', rowFields })
    },
  })
  const sql = `do $$ begin for i in 1..${tables} loop
    execute format('create table item_%s (id int primary key, label text)', i); end loop; end $$`
  const trellis = await startTrellis(t, { sql, plugins: [plugin] })
  await trellis.op('track_tables', {})
  seen.clear()
  return { ...trellis, seen }
}

test('types of a large schema are made before a client asks for them', async (t) => {
  const { engine, graphql, seen } = await tracking(t, 320)
  const { made } = engine.graphql.plans
  await eventually(() => seen.size >= 100)
  assert.equal(engine.graphql.plans.made, made)
  assert.deepEqual(engine.graphql.cached(), [])
  assert.deepEqual(await graphql('{ item_7 { id } }'), { data: { item_7: [] } })
})

test('types of a large schema are made again after a collection of all garbage', async (t) => {
  const { engine, seen } = await tracking(t, 320)
  await eventually(() => seen.size >= 100)
  seen.clear()
  await engine.warmUp()
  assert.ok(seen.size >= 100)
})

test('the types of a small schema are made when a client asks for them', async (t) => {
  const { engine, graphql, seen } = await tracking(t, 20)
  await sleep(1000)
  await engine.warmUp()
  assert.equal(seen.size, 0)
  assert.deepEqual(await graphql('{ item_7 { id } }'), { data: { item_7: [] } })
})

test('no more types are made when the engine closes', async (t) => {
  const { engine, seen } = await tracking(t, 320)
  await eventually(() => seen.size > 0)
  await engine.close()
  const { size } = seen
  await sleep(200)
  assert.equal(seen.size, size)
})
