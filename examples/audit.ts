// An audit log: each change of rows or of the metadata is recorded in its own transaction, so that neither exists without the other.
// `npm start -- --plugin ./examples/audit.ts`, then `curl localhost:8080/audit?before=1000`

import { badRequest, definePlugin } from 'trellis'

const page = 100

export default definePlugin({
  name: 'audit-log',
  migrations: [
    {
      name: '1',
      sql: `create table trellis.audit_entry (
        id bigint generated always as identity primary key, at timestamptz not null default now(),
        transaction bigint not null default txid_current(), role text not null, session jsonb not null,
        kind text not null, name text, content jsonb not null, ms real not null)`,
    },
  ],
  register(engine) {
    const { database } = engine
    engine.around({
      async change({ transaction, session, operation, request, metadata, extensions }, run) {
        const started = performance.now()
        const result = await run()
        // Arguments may contain secrets, for example headers of webhooks: only administrators read the log.
        const content = metadata ? metadata.args : { query: request?.query, variables: request?.variables }
        const [entry] = await transaction.rows(
          `insert into trellis.audit_entry (role, session, kind, name, content, ms)
           values ($1, $2, $3, $4, $5, $6) returning id`,
          [
            ...[session.role, JSON.stringify(session.variables)],
            ...[metadata ? 'operation' : 'mutation', metadata ? metadata.type : operation?.node.name?.value],
            ...[JSON.stringify(content), performance.now() - started],
          ],
        )
        extensions['audit'] = entry?.['id']
        return result
      },
    })
    engine.routes.add({
      method: 'GET',
      url: '/audit',
      auth: 'admin',
      about: { summary: 'The latest entries, or those before an id.' },
      handle({ request }) {
        const { before = '9'.repeat(19) } = request.query
        if (!/^\d{1,19}$/.test(String(before))) throw badRequest('invalid-params', '"before" has to be an id')
        const text = 'select * from trellis.audit_entry where id < $1::numeric order by id desc limit $2'
        return database.rows(text, [before, page])
      },
    })
  },
})
