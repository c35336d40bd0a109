// Visits: a table of its own, an option, a timer, a service that other plugins use, a kind of log line.

import { definePlugin, option, serviceKey, Type } from 'trellis'

/** What plugins that depend on `visits` may use. */
export interface Visits {
  count(): Promise<number>
}

export const visits = serviceKey<Visits>('visits')

declare module 'trellis/registry' {
  interface LogKinds {
    visits: { readonly forgotten: number }
  }
}

export default definePlugin({
  name: 'visits',
  options: {
    visitsKept: option.whole(
      86_400,
      { minimum: 0 },
      { flag: 'visits-kept', variable: 'VISITS_KEPT', placeholder: 'SECONDS', description: 'how long visits are kept' },
    ),
    visitsInterval: option.whole(
      3600,
      { minimum: 1 },
      {
        flag: 'visits-interval',
        variable: 'VISITS_INTERVAL',
        placeholder: 'SECONDS',
        description: 'how often old visits are deleted',
      },
    ),
  },
  migrations: [
    { name: '1', sql: 'create table trellis.visit (at timestamptz not null default now(), role text not null)' },
    { name: '2', sql: 'create index on trellis.visit (at)' },
  ],
  register(engine) {
    const { database, observe, options } = engine
    engine.routes.add({
      method: 'POST',
      url: '/visits',
      auth: 'session',
      async handle({ session }) {
        await database.rows('insert into trellis.visit (role) values ($1)', [session.role])
        return { thanks: session.role }
      },
    })
    engine.provide(visits, {
      count: () =>
        database.transaction(
          async (transaction) => {
            const [row] = await transaction.rows<{ count: number }>('select count(*)::int as count from trellis.visit')
            return row?.count ?? 0
          },
          { readOnly: true },
        ),
    })
    engine.configuration.add({
      key: 'visits_kept',
      place: 1000,
      schema: Type.Integer(),
      value: () => options.visitsKept,
    })

    const forget = async () => {
      const old = 'delete from trellis.visit where at <= now() - make_interval(secs => $1) returning 1'
      const forgotten = (await database.rows(old, [options.visitsKept])).length
      observe.log({ type: 'visits', level: 'info', detail: { forgotten } })
    }
    let timer: NodeJS.Timeout | undefined
    let running: Promise<void> = Promise.resolve()
    const run = () => {
      running = running.then(forget).catch((error) => {
        observe.log({ type: 'unstructured', level: 'error', detail: `visits cannot be forgotten: ${error}` })
      })
    }
    engine.onReady(() => {
      timer = setInterval(run, options.visitsInterval * 1000)
    })
    engine.onClose(async () => {
      clearInterval(timer)
      await running
    })
  },
})
