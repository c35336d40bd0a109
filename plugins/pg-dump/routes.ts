import type { Route } from '../../sdk/http.ts'
import { type Dialect, type Settings, Type } from '../../sdk/index.ts'
import { decode } from '../../sdk/metadata.ts'
import { currentDatabaseUrl } from '../../sdk/sql.ts'
import { checkArguments } from './arguments.ts'
import { cleanDump } from './clean.ts'
import { runPgDump } from './program.ts'

const PgDumpBody = Type.Object({
  opts: Type.Array(Type.String()),
  clean_output: Type.Optional(Type.Boolean()),
})

/** The dump; administrators only. `stopping` ends a program that still runs when the server stops. */
export const pgDumpRoute = (settings: Settings, dialect: Dialect, stopping: AbortSignal): Route => ({
  method: 'POST',
  url: '/v1alpha1/pg_dump',
  auth: 'admin',
  about: {
    summary: 'Dumps the database as SQL.',
    body: PgDumpBody,
    result: Type.String(),
    contentType: 'application/sql',
  },
  async handle({ body, reply }) {
    const { opts, clean_output = false } = decode(PgDumpBody, body)
    checkArguments(opts)
    const gone = new AbortController()
    reply.raw.once('close', () => gone.abort())
    const dump = await runPgDump(
      currentDatabaseUrl(settings.databaseUrl ?? ''),
      opts,
      AbortSignal.any([stopping, gone.signal]),
    )
    reply.header('content-type', 'application/sql; charset=utf-8')
    return clean_output ? cleanDump(dump, dialect, settings) : dump
  },
})
