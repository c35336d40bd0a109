// `POST /v1alpha1/pg_dump`: the served database as SQL, by PostgreSQL's own program.

import { definePlugin } from '../../sdk/index.ts'
import { pgDumpRoute } from './routes.ts'

export default definePlugin({
  name: 'pg-dump',
  api: 'pgdump',
  register(engine) {
    const stopping = new AbortController()
    engine.onClose(() => stopping.abort())
    engine.routes.add(pgDumpRoute(engine.settings, engine.dialect, stopping.signal))
  },
})
