// Random queries, also sent as subscriptions. The first result equals the query's answer, and the last one equals its
// answer after random writes. When permissions are dropped, the subscription ends with the query's error.

import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { openApollo, type TestSocket } from '../subscriptions/clients.ts'
import { startTrellis, type TestTrellis } from '../support/trellis.ts'
import { ask, errorOf, sessionOf } from './ask.ts'
import { type Case, drawCase } from './case.ts'
import { deployed, prepare, qualified } from './deploy.ts'
import { hiddenRows } from './hidden-rows.ts'
import { type Json, parseExact } from './json.ts'
import { checkProperty, setting } from './property.ts'
import { type Rendered, render } from './render.ts'
import type { World } from './world.ts'

/** A query of one root field, and its role. */
interface Asked {
  readonly id: string
  readonly role: string | null
  readonly rendered: Rendered
}

/** Arguments that leave the choice among equal rows to the database. */
const leavesChoice = /limit|offset|distinct_on|Limit|Offset/

const asSubscription = (query: string): string =>
  query.startsWith('query') ? query.replace('query', 'subscription') : `subscription ${query}`

/** The same value for answers that differ only in the order of rows. */
const sorted = (value: Json): unknown => {
  if (Array.isArray(value)) return value.map(sorted).sort((a, b) => (text(a) < text(b) ? -1 : 1))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, sorted(member as Json)]))
}

const text = (value: unknown): string => JSON.stringify(value)
const canonical = (answer: string): string => text(sorted(JSON.parse(answer)))

class Subscribers {
  readonly #t: TestContext
  readonly #trellis: TestTrellis
  readonly #sockets = new Map<string | null, TestSocket>()

  constructor(t: TestContext, trellis: TestTrellis) {
    this.#t = t
    this.#trellis = trellis
  }

  async start({ id, role, rendered }: Asked, world: World): Promise<void> {
    let socket = this.#sockets.get(role)
    if (!socket) {
      const headers = { ...sessionOf(world, role), ...(role !== null && { 'x-service-role': role }) }
      socket = await openApollo(this.#t, this.#trellis.url, { payload: { headers } })
      this.#sockets.set(role, socket)
    }
    const payload = { query: asSubscription(rendered.query), variables: rendered.variables }
    socket.send({ type: 'start', id, payload })
  }

  /** The last result of a subscription. */
  last({ id, role }: Asked): Record<string, unknown> | undefined {
    return this.#sockets
      .get(role)
      ?.spoken()
      .findLast((message) => message.id === id && message.type !== 'complete')
  }

  async until(asked: Asked, isRight: (message: Record<string, unknown>) => boolean, what: string): Promise<void> {
    for (let i = 0; i < 400; i++) {
      const message = this.last(asked)
      if (message && isRight(message)) return
      await new Promise((resolve) => setTimeout(resolve, 15))
    }
    throw new Error(`${what}\n${asked.role}: ${text(asked.rendered)}\nreceived: ${text(this.last(asked))}`)
  }

  end(): void {
    for (const { socket } of this.#sockets.values()) socket.terminate()
  }
}

async function checkCase(t: TestContext, trellis: TestTrellis, { world, requests }: Case): Promise<number> {
  if (!(await deployed(world, trellis, false))) return 0
  const subscribers = new Subscribers(t, trellis)
  const answerOf = ({ rendered, role }: Asked) => ask(trellis, rendered, role, world)
  const isAnswer = async (asked: Asked, what: string) => {
    const expected = canonical(await answerOf(asked))
    await subscribers.until(asked, ({ payload }) => text(sorted(payload as Json)) === expected, `${what}: ${expected}`)
  }
  const all = requests.flatMap((request, i): Asked[] => {
    const [root, second] = request.roots
    const rendered = render(request, world, 0)
    if (
      request.root === 'mutation' ||
      !root ||
      second ||
      root.kind === 'typename' ||
      root.kind === 'entities' ||
      /query_root|@/.test(rendered.query)
    )
      return []
    return leavesChoice.test(rendered.query) ? [] : [{ id: String(i), role: request.role, rendered }]
  })
  for (const asked of all) await subscribers.start(asked, world)
  for (const asked of all) await isAnswer(asked, 'at first')
  for (const table of world.tables.filter(({ view }) => !view)) {
    await trellis
      .sql(`delete from ${qualified(table)} where ctid = any (array(select ctid from ${qualified(table)} limit 2))`)
      .catch(() => {})
  }
  for (const asked of all) await isAnswer(asked, 'after writes')
  const { body } = await trellis.request<{ tables: { select_permissions?: unknown }[] }>('/v1/query', {
    body: { type: 'export_metadata', args: {} },
  })
  for (const entry of body.tables.slice(0, 1)) delete entry.select_permissions
  await trellis.request('/v1/query', { body: { type: 'replace_metadata', args: body } })
  for (const asked of all) {
    const answer = await answerOf(asked)
    const { message } = errorOf(parseExact(answer))
    if (message === undefined) await isAnswer(asked, 'after a change of permissions')
    else {
      const expected = text(text(message).replace('query_root', 'subscription_root')).slice(1, -1)
      await subscribers.until(asked, (received) => text(text(received)).includes(expected), `refused: ${answer}`)
    }
  }
  subscribers.end()
  return all.length
}

test('random queries give the same answers as subscriptions, also after writes and changes of permissions', async (t) => {
  const settings = { liveQueriesRefetchInterval: 50 }
  const trellis = await startTrellis(t, { plugins: [hiddenRows], settings })
  await prepare(trellis)
  let compared = 0
  const seed = await checkProperty({
    runs: setting('SCHEMAS', 6),
    make: (draw) => drawCase(draw, setting('QUERIES', 60)),
    async check(value) {
      compared += await checkCase(t, trellis, value)
    },
  })
  t.diagnostic(`seed ${seed}: ${compared} subscriptions`)
  assert.ok(compared > 30, `${compared} subscriptions`)
})
