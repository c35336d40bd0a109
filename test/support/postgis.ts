// A PostgreSQL with PostGIS for the tests that need one: that of the tests when it has the extension, else an installed
// one, run over a cluster in a temporary directory. Without PostGIS, these tests are skipped with a message.

import { after, type TestContext, test } from 'node:test'
import pg from 'pg'
import { testDatabase, testPostgres } from './database.ts'
import { makePostgres } from './own-postgres.ts'
import { extensions, findPrograms } from './postgis-programs.ts'
import { onServer, type TestPostgres, urlOfDatabase, urlVariable, withTemplate } from './postgres.ts'
import { startTrellis, type TestTrellis, type TrellisOptions } from './trellis.ts'

type Server = Pick<TestPostgres, 'url' | 'template'>

/** The PostgreSQL that the tests were given, when it has the extensions. */
async function givenServer(): Promise<Server | null> {
  const url = process.env[urlVariable]
  if (url === undefined) return null
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    const { rows } = await client.query('select from pg_available_extensions where name = any ($1)', [extensions])
    return rows.length === extensions.length ? await testPostgres() : null
  } finally {
    await client.end()
  }
}

async function startServer(programs: string): Promise<TestPostgres> {
  const own = await makePostgres({ programs })
  await own.start()
  const server = await withTemplate({ url: own.url, stop: own.remove })
  // Creating the extensions takes far longer than copying them.
  await onServer(urlOfDatabase(own.url, server.template), creation('public'))
  return server
}

/** The SQL that creates the extensions in a schema. */
function creation(schema: string): string {
  const created = extensions.map((name) => `create extension if not exists ${name} schema ${schema};`).join(' ')
  if (schema === 'public') return created
  return `drop extension if exists ${extensions.toReversed().join(', ')}; create schema ${schema}; ${created}`
}

const given = await givenServer()
const programs = given ? null : findPrograms()
const reason = 'there is no PostgreSQL with PostGIS and its rasters here'

/** The reason why tests of PostGIS cannot run; false when they can. */
export const skipSpatial = given || programs ? false : reason

if (skipSpatial) {
  console.error(`\n!!! PostGIS is NOT tested: ${reason}.`)
  console.error('!!! On Debian: apt-get install postgresql-15-postgis-3, or the package of your version.\n')
}

let own: Promise<TestPostgres> | undefined

after(async () => (await own)?.stop())

/** A test that needs PostGIS; skipped without it. */
export const spatialTest = (name: string, run: (t: TestContext) => Promise<void>): void => {
  test(name, { skip: skipSpatial }, run)
}

/** An engine over a database with PostGIS. */
export async function startSpatial(
  t: TestContext,
  { schema = 'public', ...options }: TrellisOptions & { readonly schema?: string } = {},
): Promise<TestTrellis> {
  if (!given) own ??= startServer(programs!)
  const server = given ?? (await own!)
  const database = await testDatabase(t, { server, sql: creation(schema) })
  return startTrellis(t, { ...options, database })
}
