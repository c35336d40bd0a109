// The PostgreSQL of the tests. `npm test` starts one and passes it to all files by variables; a file that runs alone
// starts its own. TRELLIS_TEST_DATABASE_URL alone names a PostgreSQL of the developer's.

import {
  type OwnedPostgres,
  startTemporary,
  type TestPostgres,
  templateVariable,
  urlVariable,
  withTemplate,
} from '../../sdk/testing/postgres.ts'

export {
  copyDatabase,
  dropDatabase,
  makeClusterDirectory,
  makeTemporaryDirectory,
  onServer,
  sharedPostgres,
  urlOfDatabase,
  urlVariable,
  withTemplate,
} from '../../sdk/testing/postgres.ts'

/** A PostgreSQL with a template that holds the schema `trellis`, as after a first start. */
export type { OwnedPostgres as TestPostgres }

/** Fixtures need a superuser's rights: foreign tables that lead back to their own server. */
const setup = ['alter role postgres superuser']

/** Starts the PostgreSQL for a run, or prepares the developer's. */
export async function startTestPostgres(): Promise<OwnedPostgres> {
  const given = process.env[urlVariable]
  return withTemplate(given === undefined ? await startTemporary(setup) : { url: given, stop: async () => {} })
}

/** Lets the processes that are started from here share a PostgreSQL. */
export function sharePostgres({ url, template }: TestPostgres): void {
  process.env[urlVariable] = url
  process.env[templateVariable] = template
}
