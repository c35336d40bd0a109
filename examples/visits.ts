// Counts who visits, and forgets it: a table, a route, an option, and a job that runs at night on one of the instances that share the database.
// `npm start -- --plugin ./examples/visits.ts --keep-visits 7 --enabled-apis metadata,graphql,visits`

import { definePlugin, option, Type } from 'trellis'
import { jobs } from 'trellis/jobs'

export default definePlugin({
  name: 'visits',
  api: 'visits',
  enabledByDefault: false,
  dependencies: ['jobs'],
  options: {
    keepVisits: option.whole(
      30,
      { minimum: 1 },
      {
        flag: 'keep-visits',
        variable: 'KEEP_VISITS',
        placeholder: 'DAYS',
        description: 'days after which visits are forgotten',
      },
    ),
  },
  migrations: [
    {
      name: '0001-visits',
      sql: 'create table trellis.visit (page text not null, at timestamptz not null default now())',
    },
  ],
  register(engine) {
    const { database } = engine
    const forget = engine.use(jobs).declare({
      name: 'forget visits',
      schedule: { cron: '30 3 * * *', timezone: 'Europe/Berlin' },
      timeout: 3_600_000,
      async run({ signal }) {
        // In batches, so that a stop does not wait for long.
        for (let gone = 1000; gone === 1000 && !signal.aborted; ) {
          const rows = await database.rows(
            `delete from trellis.visit where ctid = any (array(
               select ctid from trellis.visit where at < now() - make_interval(days => $1) limit 1000)) returning 1`,
            [engine.options.keepVisits],
          )
          gone = rows.length
        }
      },
    })
    engine.routes.add(
      {
        method: 'POST',
        url: '/visits',
        auth: 'session',
        about: { body: Type.Object({ page: Type.String() }), summary: 'Somebody visits a page.' },
        handle: async ({ body }) => {
          await database.rows('insert into trellis.visit (page) values ($1)', [String(Object(body).page)])
          return { message: 'success' }
        },
      },
      {
        method: 'POST',
        url: '/visits/forget',
        auth: 'admin',
        about: { summary: 'Forgets old visits now.' },
        handle: async () => {
          await forget.wake()
          return { message: 'success' }
        },
      },
    )
  },
})
