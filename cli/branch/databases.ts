// Branches as databases beside the original. The comment of such a database names its original and its branch, so that no other
// database is ever dropped.

import pg from 'pg'
import { codeOf, messageOf } from '../../core/errors/thrown.ts'
import { Failure } from '../exits.ts'
import { leaveToOriginal } from './belongings.ts'
import { databaseOf } from './name.ts'

/** The server of the original, by a connection to no database that has to be free. */
export interface Branches {
  /** Names the original for people, without its password. */
  readonly label: string
  list(): Promise<readonly { readonly branch: string; readonly database: string; readonly size: string }[]>
  /** Copies the original, or a template; returns the URL of the copy without its password. */
  create(branch: string, template: string | null): Promise<string>
  /** Drops the copy, also while somebody uses it. */
  drop(branch: string): Promise<string>
  close(): Promise<void>
}

const urlOf = (given: URL, database: string): URL => {
  const url = new URL(given)
  url.pathname = `/${encodeURIComponent(database)}`
  return url
}

function shown(url: URL): string {
  const plain = new URL(url)
  plain.password = ''
  return plain.href
}

const commentOf = (original: string, branch: string): string => `trellis branch of ${original}: ${branch}`

/** Connects to the server of a database. */
export async function branchesOf(databaseUrl: string): Promise<Branches> {
  if (!/^postgres(ql)?:\/\//.test(databaseUrl) || !URL.canParse(databaseUrl)) {
    throw new Failure('usage', '--database-url needs a URL such as postgres://USER@HOST:5432/NAME')
  }
  const url = new URL(databaseUrl)
  const original = decodeURIComponent(url.pathname.slice(1))
  if (original === '') throw new Failure('usage', '--database-url has to name the database')
  const client = await connect(urlOf(url, original === 'postgres' ? 'template1' : 'postgres'))
  const found = async (branch: string): Promise<string | null> => {
    const text = `select datname from pg_database where shobj_description(oid, 'pg_database') = $1`
    const { rows } = await client.query<{ datname: string }>(text, [commentOf(original, branch)])
    return rows[0]?.datname ?? null
  }
  return {
    label: shown(url),
    async list() {
      const { rows } = await client.query<{ branch: string; database: string; size: string }>(
        `select substr(shobj_description(oid, 'pg_database'), length($1) + 1) as branch, datname as database,
                pg_size_pretty(pg_database_size(oid)) as size
           from pg_database where starts_with(shobj_description(oid, 'pg_database'), $1) order by 1`,
        [commentOf(original, '')],
      )
      return rows
    },
    async create(branch, template) {
      const existing = await found(branch)
      if (existing !== null) throw new Failure('failed', `the branch ${branch} has a copy already: ${existing}`)
      const database = databaseOf(original, branch)
      await copyDatabase(client, { from: template ?? original, to: database })
      try {
        const comment = pg.escapeLiteral(commentOf(original, branch))
        await client.query(`comment on database ${pg.escapeIdentifier(database)} is ${comment}`)
        const copy = await connect(urlOf(url, database))
        await leaveToOriginal(copy).finally(() => copy.end())
      } catch (error) {
        // Half a copy would deliver the events of the original.
        await client.query(`drop database ${pg.escapeIdentifier(database)}`)
        throw error
      }
      return shown(urlOf(url, database))
    },
    async drop(branch) {
      const database = await found(branch)
      if (database === null) throw new Failure('failed', `the branch ${branch} has no copy of ${original}`)
      const name = pg.escapeIdentifier(database)
      await client.query(`alter database ${name} allow_connections false`)
      await client.query('select pg_terminate_backend(pid) from pg_stat_activity where datname = $1', [database])
      await client.query(`drop database ${name}`)
      return database
    },
    close: () => client.end(),
  }
}

interface Copying {
  readonly from: string
  readonly to: string
}

async function copyDatabase(client: pg.Client, { from, to }: Copying): Promise<void> {
  try {
    await client.query(`create database ${pg.escapeIdentifier(to)} template ${pg.escapeIdentifier(from)}`)
  } catch (error) {
    if (codeOf(error) === '55006') {
      const advice = 'stop its servers for the moment of the copy, or name an unused copy with --template'
      throw new Failure('conflict', `${from} is in use, and PostgreSQL copies only unused databases: ${advice}`)
    }
    throw new Failure('failed', `${from} cannot be copied: ${messageOf(error)}`)
  }
}

async function connect(url: URL): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url.href })
  client.on('error', () => {})
  try {
    await client.connect()
  } catch (error) {
    throw new Failure('unreachable', `${shown(url)} cannot be reached: ${messageOf(error)}`)
  }
  return client
}
