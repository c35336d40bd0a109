// The database of the rows about neighbours, and the requests that they send.

import { singleInsert, trackByPrimaryKey, type Workload } from '../requests/workloads.ts'
import { chinookMetadata } from '../support/chinook.ts'
import { withClient } from '../support/database.ts'
import { type LoadResult, requestBytes, runLoad } from '../support/load.ts'
import { ask, operate, type Trellis } from '../support/trellis.ts'

const path = '/v1/graphql'

/** A function that takes time without using the processor, and rows to lock. */
const schema = `
  create or replace function nap(seconds float8) returns setof genre language plpgsql stable as $$
    begin
      perform pg_sleep(seconds);
      return query select * from genre order by genre_id limit 1;
    end $$;
  drop table if exists account, spare;
  create table account (account_id int primary key, balance numeric not null);
  insert into account select n, 0 from generate_series(1, 100) n;
  create table spare (spare_id int primary key);`

const metadata = {
  ...chinookMetadata,
  tables: [...chinookMetadata.tables, { table: 'account' }],
  functions: [{ function: { schema: 'public', name: 'nap' } }],
}

/** Creates the objects of the rows; `trellis` is one of the servers of the database. */
export async function makeNeighbourWorld(databaseUrl: string, trellis: Trellis): Promise<void> {
  await withClient(databaseUrl, (client) => client.query(schema))
  await operate(trellis.port, 'replace_metadata', metadata)
}

/** Changes the metadata without affecting other requests of the rows. */
export async function changeMetadata({ port }: Trellis): Promise<void> {
  await operate(port, 'track_table', 'spare')
  await operate(port, 'untrack_table', { table: 'spare' })
}

/** Each request contains a different name, so that its plan is not cached. */
let known = 0

/** A name for a field that no request has used. */
export const newName = (): string => `field_${process.pid}_${++known}`

/** A read of this duration. */
export const napQuery = (seconds: number, name: string) => ({
  query: `{ ${name}: nap(args: {seconds: ${seconds}}) { genre_id } }`,
})

/** Milliseconds until the answer; throws if the answer is an error. */
export async function timeRequest(
  { port }: Trellis,
  body: unknown,
  headers: Readonly<Record<string, string>> = {},
): Promise<number> {
  const began = performance.now()
  await ask(port, { path, body, headers })
  return performance.now() - began
}

/** Repeats one request. */
export const runSame = ({ port }: Trellis, body: unknown, connections: number, seconds: number): Promise<LoadResult> =>
  runLoad({ port, requests: [requestBytes(path, body)] }, { connections, seconds })

const distinctRequests = 500

function runWorkload(workload: Workload) {
  const requests = Array.from({ length: distinctRequests }, (_, index) => requestBytes(path, workload.request(index)))
  return ({ port }: Trellis, connections: number, seconds: number): Promise<LoadResult> =>
    runLoad({ port, requests }, { connections, seconds })
}

/** Repeats a read of a row by its primary key. */
export const runShortReads = runWorkload(trackByPrimaryKey)

/** Repeats an insert of a row. */
export const runInserts = runWorkload(singleInsert)

/** An insert that the server has not planned yet. */
export const insertEvent = (name: string) => ({
  query: `mutation { ${name}: insert_event_one(object: {kind: "held", amount: 1}) { kind amount } }`,
})

/** A change of one row. */
export const creditAccount = (id: number) => ({
  query: `mutation ($id: Int!) { update_account_by_pk(pk_columns: {account_id: $id}, _inc: {balance: 1}) { account_id } }`,
  variables: { id },
})
