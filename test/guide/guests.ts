// Guests: a table of its own, an option, a timer, a service that other plugins use, a kind of log line.

import { definePlugin, option, serviceKey, Type } from 'trellis'

/** The service for plugins that depend on `guests`. */
export interface Guests {
  count(): Promise<number>
}

export const guests = serviceKey<Guests>('guests')

declare module 'trellis/registry' {
  interface LogKinds {
    guests: { readonly forgotten: number }
  }
}

export default definePlugin({
  name: 'guests',
  options: {
    guestsKept: option.whole(
      86_400,
      { minimum: 0 },
      { flag: 'guests-kept', variable: 'GUESTS_KEPT', placeholder: 'SECONDS', description: 'how long guests are kept' },
    ),
    guestsInterval: option.whole(
      3600,
      { minimum: 1 },
      {
        flag: 'guests-interval',
        variable: 'GUESTS_INTERVAL',
        placeholder: 'SECONDS',
        description: 'how often old guests are deleted',
      },
    ),
  },
  migrations: [
    { name: '1', sql: 'create table trellis.guest (at timestamptz not null default now(), role text not null)' },
    { name: '2', sql: 'create index on trellis.guest (at)' },
  ],
  register(engine) {
    const { database, observe, options } = engine
    engine.routes.add({
      method: 'POST',
      url: '/guests',
      auth: 'session',
      async handle({ session }) {
        await database.rows('insert into trellis.guest (role) values ($1)', [session.role])
        return { thanks: session.role }
      },
    })
    engine.provide(guests, {
      count: () =>
        database.transaction(
          async (transaction) => {
            const [row] = await transaction.rows<{ count: number }>('select count(*)::int as count from trellis.guest')
            return row?.count ?? 0
          },
          { readOnly: true },
        ),
    })
    engine.configuration.add({
      key: 'guests_kept',
      place: 1000,
      schema: Type.Integer(),
      value: () => options.guestsKept,
    })
    engine.measures.add({
      name: 'guests_kept_seconds',
      help: 'How long guests are kept',
      kind: 'gauge',
      read: () => [{ value: options.guestsKept }],
    })

    const forget = async () => {
      const old = 'delete from trellis.guest where at <= now() - make_interval(secs => $1) returning 1'
      const forgotten = (await database.rows(old, [options.guestsKept])).length
      observe.log({ type: 'guests', level: 'info', detail: { forgotten } })
    }
    let timer: NodeJS.Timeout | undefined
    let running: Promise<void> = Promise.resolve()
    const run = () => {
      running = running.then(forget).catch((error) => {
        observe.log({ type: 'unstructured', level: 'error', detail: `guests cannot be forgotten: ${error}` })
      })
    }
    engine.onReady(() => {
      timer = setInterval(run, options.guestsInterval * 1000)
    })
    engine.onClose(async () => {
      clearInterval(timer)
      await running
    })
  },
})
