// Traces without a collector are passed on but not recorded.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { definePlugin } from '../../core/engine/plugin.ts'
import { startOther } from '../auth/other-server.ts'
import { startTrellis, type TestTrellis, type TrellisOptions } from '../support/trellis.ts'

const trace = '4bf92f3577b34da6a3ce929d0e0e4736'
const span = '00f067aa0ba902b7'
const sql = `
  create table person (id serial primary key, name text);
  create table seen (person_id integer, context json);
  create function note() returns trigger language plpgsql as $$
    begin
      insert into seen values (new.id, current_setting('service.tracecontext')::json);
      return new;
    end $$;
  create trigger notes after insert on person for each row execute function note();
`

/** An engine with a webhook for authentication. */
async function start(t: test.TestContext, options: TrellisOptions = {}) {
  const hook = await startOther(t, () => ({ body: { 'x-service-role': 'admin' } }))
  const settings = { adminSecret: 'sesame', authHook: hook.url, ...options.settings }
  const trellis = await startTrellis(t, { sql, ...options, settings })
  const headers = { 'x-service-admin-secret': 'sesame' }
  await trellis.op('track_table', 'person', { headers })
  return { trellis, hook, headers }
}

const insert = 'mutation { insert_person_one(object: { name: "Ann" }) { id } }'

async function contexts({ sql }: TestTrellis): Promise<string[]> {
  const rows = await sql<{ context: string }>('select context::text from seen order by person_id')
  return rows.map(({ context }) => context)
}

test('a request without a trace begins one, and the webhook and triggers receive it', async (t) => {
  const { trellis, hook } = await start(t)
  await trellis.graphql(insert)
  const { headers } = hook.received[0]!
  assert.match(String(headers['x-b3-traceid']), /^[0-9a-f]{16}$/)
  assert.match(String(headers['x-b3-spanid']), /^[0-9a-f]{16}$/)
  assert.match(String(headers['x-b3-parentspanid']), /^[0-9a-f]{16}$/)
  assert.deepEqual([headers.traceparent, headers['x-b3-sampled']], [undefined, undefined])
  const [context] = await contexts(trellis)
  const traceId = BigInt(`0x${headers['x-b3-traceid']}`)
  const spanId = BigInt(`0x${headers['x-b3-parentspanid']}`)
  assert.equal(context, `{"trace_id":${traceId},"span_id":${spanId}}`)
})

test('each request without a trace gets its own', async (t) => {
  const { trellis, hook } = await start(t)
  await Promise.all(Array.from({ length: 5 }, () => trellis.graphql('{ __typename }')))
  assert.equal(new Set(hook.received.map(({ headers }) => headers['x-b3-traceid'])).size, 5)
})

test("the client's trace is continued", async (t) => {
  const { trellis, hook } = await start(t)
  const given = { 'X-B3-TraceId': trace.slice(16), 'X-B3-SpanId': span, 'X-B3-Sampled': '0' }
  await trellis.graphql(insert, undefined, { headers: given })
  const { headers } = hook.received[0]!
  assert.equal(headers['x-b3-traceid'], trace.slice(16))
  assert.equal(headers['x-b3-sampled'], '0')
  assert.notEqual(headers['x-b3-spanid'], span)
  assert.equal(headers.traceparent, `00-${trace.slice(16).padStart(32, '0')}-${span}-00`)
  const [context] = await contexts(trellis)
  assert.ok(context?.startsWith(`{"trace_id":${BigInt(`0x${trace.slice(16)}`)},`), context)
})

test('W3C headers pass unchanged, because nothing is recorded in between', async (t) => {
  const { trellis, hook } = await start(t)
  const given = { traceparent: `00-${trace}-${span}-01`, tracestate: 'vendor=x' }
  await trellis.graphql(insert, undefined, { headers: given })
  const { headers } = hook.received[0]!
  assert.deepEqual([headers.traceparent, headers.tracestate], [given.traceparent, given.tracestate])
  assert.deepEqual([headers['x-b3-traceid'], headers['x-b3-sampled']], [trace, '1'])
  const context = JSON.parse((await contexts(trellis))[0]!)
  assert.deepEqual([context.traceparent, context.tracestate], [given.traceparent, given.tracestate])
})

test('an invalid trace is ignored', async (t) => {
  const { trellis, hook } = await start(t)
  const given = { traceparent: 'x'.repeat(2000), 'x-b3-traceid': 'ä', 'x-b3-spanid': '\t1', b3: 'd' }
  assert.deepEqual(await trellis.graphql('{ __typename }', undefined, { headers: given }), {
    data: { __typename: 'query_root' },
  })
  const { headers } = hook.received[0]!
  assert.match(String(headers['x-b3-traceid']), /^[0-9a-f]{16}$/)
  assert.deepEqual([headers.traceparent, headers.b3], [undefined, undefined])
})

test('operations of the metadata API pass the trace to triggers, also after a script', async (t) => {
  const { trellis, headers } = await start(t)
  const object = { type: 'insert', args: { table: 'person', objects: [{ name: 'Bob' }] } }
  const script = { type: 'run_sql', args: { sql: "insert into person (name) values ('Cid')" } }
  const traced = { headers: { ...headers, traceparent: `00-${trace}-${span}-01` } }
  await trellis.op('bulk', [object, script, object], traced)
  const all = await contexts(trellis)
  assert.equal(all.length, 3)
  for (const context of all) assert.equal(JSON.parse(context).traceparent, `00-${trace}-${span}-01`)
})

test('a later request belongs to the trace that it names', async (t) => {
  const other = await startOther(t, () => ({}))
  let send = async (_trace?: string): Promise<unknown> => null
  const sender = definePlugin({
    name: 'sender',
    register({ outgoing }) {
      send = (text) =>
        outgoing.send({ method: 'POST', url: other.url, timeout: 5000, ...(text !== undefined && { trace: text }) })
    },
  })
  const { trellis } = await start(t, { plugins: [sender] })
  await trellis.graphql(insert, undefined, { headers: { traceparent: `00-${trace}-${span}-01` } })
  await send((await contexts(trellis))[0])
  await send('{"trace_id": 18446744073709551615, "span_id": 255}')
  await send()
  const [stored, numbers, own] = other.received.map(({ headers }) => headers)
  assert.deepEqual([stored!['x-b3-traceid'], stored!.traceparent], [trace, `00-${trace}-${span}-01`])
  assert.deepEqual(
    [numbers!['x-b3-traceid'], numbers!['x-b3-parentspanid']!.length, numbers!.traceparent],
    ['f'.repeat(16), 16, undefined],
  )
  assert.match(String(own!['x-b3-traceid']), /^[0-9a-f]{16}$/)
})

test('the other dialect has a setting with its own name', async (t) => {
  const trellis = await startTrellis(t, {
    sql: sql.replace('service.tracecontext', 'hasura.tracecontext'),
    settings: { dialect: 'hasura' },
  })
  await trellis.op('track_table', 'person')
  await trellis.graphql(insert)
  assert.match((await contexts(trellis))[0]!, /^\{"trace_id":\d+,"span_id":\d+\}$/)
})
