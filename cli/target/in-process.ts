// The engine in this process, which listens on no port.

import { createEngine, type RunningEngine } from '../../core/engine/engine.ts'
import { defaultSettings, type GivenSettings } from '../../core/engine/options.ts'
import { messageOf } from '../../core/errors/thrown.ts'
import { silentObserver } from '../../core/log/observe.ts'
import { Failure } from '../exits.ts'
import type { Io } from '../io.ts'
import { ownConnections } from '../tuning.ts'
import { bodyOf, type Transport } from './answers.ts'

/** Starts an engine over a database; `place` names the database without its password. */
export async function startEngine(
  databaseUrl: string,
  io: Io,
  dialect: 'trellis' | 'hasura',
  more: GivenSettings = {},
): Promise<{ readonly transport: Transport; readonly engine: RunningEngine; readonly place: string }> {
  if (!/^postgres(ql)?:\/\//.test(databaseUrl) || !URL.canParse(databaseUrl)) {
    throw new Failure('usage', '--database-url needs a URL such as postgres://USER@HOST:5432/NAME')
  }
  const { host, pathname } = new URL(databaseUrl)
  const place = `postgres://${host}${pathname}`
  const settings = defaultSettings({
    ...{ databaseUrl, dialect, connections: ownConnections, callerShare: 100, retries: 0 },
    // A command delivers nothing: it may end in the middle of a delivery, and runs where webhooks may not be reachable.
    ...{ eventsFetchBatchSize: 0, asyncActionsFetchInterval: 0 },
    ...more,
  })
  const engine = await createEngine({ settings, plugins: await io.plugins(), observe: silentObserver }).catch(
    (error: unknown) => {
      throw new Failure('unreachable', `no engine can start on ${place}: ${messageOf(error).split('\n')[0]}`)
    },
  )
  const transport: Transport = {
    async send(method, path, body, { headers: more = {} } = {}) {
      const headers = { 'content-type': 'application/json', ...more }
      const payload = body === undefined ? {} : { payload: JSON.stringify(body) }
      const answer = await engine.app.inject({ method, url: path, headers, ...payload })
      return { status: answer.statusCode, body: answer.payload === '' ? null : bodyOf(answer.payload) }
    },
    close: () => engine.close(),
  }
  return { transport, engine, place }
}
