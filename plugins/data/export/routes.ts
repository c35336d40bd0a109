// `GET /v1alpha1/rows.csv` and `rows.ndjson`: the rows of a table as a file, in the order of a cursor. Rows are read only
// as fast as the client takes them.

import { once } from 'node:events'
import { callerOf, disconnectSignal, type Route, type RouteCall, sendStreamHead } from '../../../sdk/http.ts'
import { badRequest, type Engine, type Session, TrellisError } from '../../../sdk/index.ts'
import { sourceName } from '../../../sdk/metadata.ts'
import { bindParams, isReadOnlyTransaction, type PrinterOptions, type Transaction } from '../../../sdk/sql.ts'
import { Caller } from '../caller.ts'
import type { TableOffers } from '../offered-tables.ts'
import { requireVariables } from '../run.ts'
import { idleMillis, mostFetched, wantedBytes } from '../tuning.ts'
import { describedExports } from './description.ts'
import { type Export, type Format, planExport, readParameters, tableOf } from './plan.ts'

type Parts = Pick<Engine, 'access' | 'database' | 'dialect' | 'sessionSettings' | 'settings'> & {
  readonly model: Engine['model']
}

const contentTypes: Readonly<Record<Format, string>> = {
  csv: 'text/csv; charset=utf-8; header=present',
  ndjson: 'application/x-ndjson; charset=utf-8',
}

/** Both endpoints. Each export holds a connection, so only a part of them may be exports at a time. */
export function exportRoutes(engine: Parts, offers: TableOffers): Route[] {
  const most = Math.max(1, Math.floor(engine.settings.connections / 4))
  let running = 0
  const counted = async (work: () => Promise<number>) => {
    if (running >= most) throw new TrellisError(503, 'too-many-exports', `the server runs ${most} exports already`)
    running++
    try {
      return await work()
    } finally {
      running--
    }
  }
  return (['csv', 'ndjson'] as const).map((format) => ({
    method: 'GET',
    url: `/v1alpha1/rows.${format}`,
    auth: 'session',
    about: {
      summary: `Sends the rows of a table as ${format === 'csv' ? 'CSV' : 'lines of JSON'}, as the role may read them.`,
      contentType: contentTypes[format].split(';')[0]!,
      paths: () => describedExports(format, contentTypes[format].split(';')[0]!),
    },
    handle: (call) => counted(() => send(call, format, engine, offers)),
  }))
}

async function send(call: RouteCall, format: Format, engine: Parts, offers: TableOffers): Promise<number> {
  const { session, request, reply } = call
  const asked = readParameters(request.query)
  const { access, database, dialect, model, settings } = engine
  const served = offers.modelFor(tableOf(asked), session, model) ?? model
  const source = sourceName(model.slices)
  const caller = new Caller({ session, dialect, settings, source, access: access.of(served, session) })
  const printing: PrinterOptions = {
    stringifyNumbers: settings.stringifyNumericTypes,
    serverVersion: database.serverVersion,
  }
  const planned = planExport(asked, format, { caller, printing })
  requireVariables(planned.statement.params, session)
  const name = `${asked.table.replaceAll(/[^\w.-]+/g, '_')}.${format}`
  const headers = {
    'content-type': contentTypes[format],
    'content-disposition': `attachment; filename="${name}"`,
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
    'x-request-id': request.id,
  }
  if (request.method === 'HEAD') return sendStreamHead(reply, headers)
  const target = new Target(call, headers)
  try {
    await database.transaction(
      (transaction) => copy(planned, target, { session, requestId: request.id, transaction, engine }),
      {
        readOnly: true,
        forReader: session.readOnly,
        caller: callerOf(call, settings),
        signal: target.signal,
      },
    )
  } catch (error) {
    if (session.readOnly || !isReadOnlyTransaction(error)) throw error
    throw badRequest('not-supported', 'a function that the rows need writes, and exports only read')
  }
  return target.end()
}

interface Copying {
  readonly session: Session
  readonly requestId: string
  readonly transaction: Transaction
  readonly engine: Parts
}

async function copy(
  { statement, head, texts }: Export,
  target: Target,
  { session, requestId, transaction, engine }: Copying,
): Promise<void> {
  await engine.sessionSettings.apply(session, transaction, requestId)
  // All rows are read: a plan that gives the first ones soon may take longer for all of them.
  await transaction.rows('set local cursor_tuple_fraction = 1')
  const values = bindParams(statement.params, { variables: {}, session })
  await transaction.rows(`declare "exported" no scroll cursor for ${statement.text}`, values)
  let wanted = 16
  for (let isFirst = true; ; isFirst = false) {
    const rows = (await transaction.rows<{ j: string }>(`fetch ${wanted} from "exported"`)).map(({ j }) => j)
    const text = texts(rows)
    await target.write(isFirst ? head + text : text)
    if (rows.length < wanted) return
    const fitting = Math.floor((wantedBytes / Math.max(1, text.length)) * rows.length)
    wanted = Math.min(Math.max(1, fitting), wanted * 2, mostFetched)
  }
}

/** The response, which begins with the first rows: until then, an error has its own status. */
class Target {
  readonly #call: RouteCall
  readonly #headers: Readonly<Record<string, string>>
  readonly #stuck = new AbortController()
  /** Aborts when the client has left, or has taken nothing for long: the export holds a connection. */
  readonly signal: AbortSignal
  #bytes = 0

  constructor(call: RouteCall, headers: Readonly<Record<string, string>>) {
    this.#call = call
    this.#headers = headers
    this.signal = AbortSignal.any([disconnectSignal(call.reply)(), this.#stuck.signal])
  }

  /** Resolves when the client takes more. */
  async write(text: string): Promise<void> {
    const { raw } = this.#open()
    this.#bytes += Buffer.byteLength(text)
    if (text === '' || raw.write(text)) return
    const timer = setTimeout(
      () => this.#stuck.abort(new TrellisError(499, 'client-gone', 'the client takes no more of the export')),
      idleMillis,
    )
    try {
      await once(raw, 'drain', { signal: this.signal })
    } catch (error) {
      throw this.signal.aborted ? this.signal.reason : error
    } finally {
      clearTimeout(timer)
    }
  }

  /** Ends the response; gives its size. */
  end(): number {
    this.#open().raw.end()
    return this.#bytes
  }

  #open() {
    const { reply } = this.#call
    if (!reply.sent) {
      reply.hijack()
      reply.raw.writeHead(200, this.#headers)
    }
    return reply
  }
}
