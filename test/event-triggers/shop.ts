// A shop whose orders are sent to a webhook.

import type { TestContext } from 'node:test'
import { type OtherAnswer, type Received, startOther } from '../auth/other-server.ts'
import type { OperationOptions } from '../support/client.ts'
import { startTrellis, type TestTrellis, type TrellisOptions } from '../support/trellis.ts'
import { eventually } from '../support/waiting.ts'

const sql = `create table orders (
  id bigint primary key, total numeric, state text, details json, placed_at timestamptz default '2020-01-02T03:04:05Z')`

/** The payload for a webhook. */
export interface SentEvent {
  readonly id: string
  readonly created_at: string
  readonly trigger: { readonly name: string }
  readonly table: { readonly schema: string; readonly name: string }
  readonly event: {
    readonly op: string
    readonly data: { readonly old: Record<string, unknown> | null; readonly new: Record<string, unknown> | null }
    readonly session_variables: Record<string, string> | null
    readonly trace_context: Record<string, unknown> | null
  }
  readonly delivery_info: { readonly current_retry: number; readonly max_retries: number }
}

export interface Shop extends TestTrellis {
  readonly hook: { readonly url: string; readonly received: Received[]; stop(): Promise<void> }
  /** The events at the webhook, once there are that many. */
  events(count: number): Promise<SentEvent[]>
  /** Makes an event trigger on the orders. */
  trigger(args?: object, options?: OperationOptions): Promise<void>
}

/** Starts it; `answer` is the webhook's. */
export async function startShop(
  t: TestContext,
  options: TrellisOptions & { readonly answer?: (request: Received) => OtherAnswer | null | Promise<OtherAnswer> } = {},
): Promise<Shop> {
  const hook = await startOther(t, options.answer ?? (() => ({ body: { ok: true } })))
  const trellis = await startTrellis(t, { ...options, sql: options.database ? '' : `${sql};${options.sql ?? ''}` })
  if (!options.database) await trellis.op('track_table', 'orders')
  return {
    ...trellis,
    hook,
    events: (count) =>
      eventually(() => hook.received.length >= count && hook.received.map(({ body }) => JSON.parse(body))),
    trigger: async (args = {}, more) => {
      const all = { columns: '*' }
      const given = {
        name: 'order',
        table: 'orders',
        insert: all,
        update: all,
        delete: all,
        webhook: hook.url,
        ...args,
      }
      await trellis.op('create_event_trigger', given, more)
    },
  }
}
