// `clean_output`: a dump without the lines that every dump has, fit to be a migration.

import type { Dialect, Settings } from '../../sdk/index.ts'

/** Lines of the preamble, which is the same in every dump. */
const preamble = [
  /^SET (statement_timeout|lock_timeout|idle_in_transaction_session_timeout|transaction_timeout) = 0;$/,
  /^SET client_encoding = 'UTF8';$/,
  /^SET standard_conforming_strings = on;$/,
  /^SELECT pg_catalog\.set_config\('search_path', '', false\);$/,
  /^SET xmloption = content;$/,
  /^SET client_min_messages = warning;$/,
  /^SET row_security = off;$/,
  /^SET default_tablespace = '';$/,
  /^SET default_with_oids = false;$/,
  /^SET default_table_access_method = heap;$/,
  /^CREATE SCHEMA public;$/,
  /^COMMENT ON SCHEMA public IS 'standard public schema';$/,
  // Since PostgreSQL 17.6 a dump is fenced against commands of psql in names.
  /^\\(un)?restrict \w+$/,
]

/** Version 2 keeps this line of the preamble: bodies of functions may name objects that are created after them. */
const checksBodies = /^SET check_function_bodies = false;$/

const isBlank = (line: string): boolean => line.trim() === ''

/** The dump without blank lines, comments, the preamble and the engine's own triggers. */
export function cleanDump(
  dump: Buffer,
  { triggerPrefix }: Pick<Dialect, 'triggerPrefix'>,
  { graphqlInterface }: Pick<Settings, 'graphqlInterface'>,
): string {
  const ownTriggers = new RegExp(`^CREATE TRIGGER "?${triggerPrefix}`)
  const dropped = [/^--/, ...preamble, ownTriggers, ...(graphqlInterface === '2' ? [] : [checksBodies])]
  const lines = dump.toString('utf8').split('\n')
  const kept = lines.filter((line) => !isBlank(line) && !dropped.some((pattern) => pattern.test(line)))
  return kept.map((line) => `${line}\n`).join('')
}
