// A schema of this process beside a bare server that executes it. A stitched schema beside a bare gateway of the same
// library over the same two servers.

import assert from 'node:assert/strict'
import { fileURLToPath } from 'node:url'
import { type LoadOptions, requestBytes, runLoad } from '../support/load.ts'
import { type Surroundings, startProgram } from '../support/processes.ts'
import { ask, operate, startTrellis } from '../support/trellis.ts'
import { localQuery, stitch, stitchedQuery } from './stitching-schemas.ts'

/** The most that a request may take, as a multiple of the bare server's. */
export const stitchingTargets = { local: 1.2, stitched: 1.3 } as const

/** Requests a second in each round. */
interface Pair {
  readonly bare: readonly number[]
  readonly trellis: readonly number[]
}

export interface StitchingResult {
  readonly local: Pair
  readonly stitched: Pair
}

const serverFile = new URL('./stitching-server.ts', import.meta.url)
const pluginFile = fileURLToPath(new URL('./stitching-plugin.ts', import.meta.url))

async function startServer(args: readonly string[], surroundings: Surroundings): Promise<number> {
  const program = startProgram(serverFile, args, surroundings, 'ipc')
  return new Promise<number>((listening, failed) => {
    program.child.once('message', (port) => listening(Number(port)))
    program.child.once('exit', () => failed(new Error(`the server of ${args[0]} ended: ${program.errors()}`)))
  })
}

const graphql = '/v1/graphql'
const urlOf = (port: number) => `http://127.0.0.1:${port}/`

/** Measures both in turn, round after round. */
export async function measureStitching(
  databaseUrl: string,
  { rounds, ...load }: LoadOptions & { readonly rounds: number },
  surroundings: Surroundings,
): Promise<StitchingResult> {
  const [people, orders] = [await startServer(['people'], surroundings), await startServer(['orders'], surroundings)]
  const gateway = await startServer(['gateway', urlOf(people), urlOf(orders)], surroundings)
  const trellis = await startTrellis(['--database-url', databaseUrl, '--plugin', pluginFile], surroundings)
  const add = (name: string, definition: object) => operate(trellis.port, 'add_remote_schema', { name, definition })
  await add('people', { url: urlOf(people), hidden: true })
  await add('orders', { url: urlOf(orders), hidden: true })
  const measure = async (bare: number, body: unknown): Promise<Pair> => {
    const [direct, through] = [await ask(bare, { path: '/', body }), await ask(trellis.port, { path: graphql, body })]
    assert.deepEqual(through, direct)
    const rate = async (port: number, path: string) => {
      const { requests, seconds } = await runLoad({ port, requests: [requestBytes(path, body)] }, load)
      return requests / seconds
    }
    const found = { bare: [] as number[], trellis: [] as number[] }
    for (let round = -1; round < rounds; round++) {
      const rates = [await rate(bare, '/'), await rate(trellis.port, graphql)] as const
      if (round < 0) continue
      found.bare.push(rates[0])
      found.trellis.push(rates[1])
    }
    return found
  }
  const local = await measure(people, localQuery)
  await operate(trellis.port, 'update_remote_schema', { name: 'local', definition: { plugin: 'local', hidden: true } })
  await add('shop', { stitch })
  const stitched = await measure(gateway, stitchedQuery)
  for (const name of ['shop', 'people', 'orders', 'local']) {
    await operate(trellis.port, 'remove_remote_schema', { name })
  }
  await trellis.stop()
  return { local, stitched }
}
