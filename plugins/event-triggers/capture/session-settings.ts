// What the function of a trigger sets for itself: an event reads the same whichever session writes the row. Each setting costs
// every row something, so only those are made on which a column's text depends.

import type { ColumnModel } from '../../../sdk/metadata.ts'
import { compile, id } from '../../../sdk/sql.ts'

type PgType = ColumnModel['type']

const floatDigits = { name: 'extra_float_digits', value: '1' }
const byteaOutput = { name: 'bytea_output', value: 'hex' }
const intervalStyle = { name: 'IntervalStyle', value: 'postgres' }
const dateStyle = { name: 'DateStyle', value: 'iso, mdy' }

/** A setting of a session, written as `pg_proc.proconfig` names it. */
export interface SessionSetting {
  readonly name: string
  readonly value: string
}

const dependent: ReadonlyMap<string, SessionSetting> = new Map([
  ...['float4', 'float8', 'point', 'line', 'lseg', 'box', 'path', 'polygon', 'circle'].map(
    (type) => [type, floatDigits] as const,
  ),
  ['bytea', byteaOutput],
  ['interval', intervalStyle],
  // JSON has dates and times in a form of its own, but for those within ranges.
  ...['daterange', 'tsrange', 'tstzrange', 'datemultirange', 'tsmultirange', 'tstzmultirange'].map(
    (type) => [type, dateStyle] as const,
  ),
])

const all: readonly SessionSetting[] = [floatDigits, byteaOutput, intervalStyle, dateStyle]

/** What may be of any type: rows, ranges that somebody made, and domains over those. */
const compound: ReadonlySet<string> = new Set(['c', 'd', 'r', 'm'])

function settingsOf({ name, schema, kind, isArray }: PgType): readonly SessionSetting[] {
  if (schema !== 'pg_catalog') return compound.has(kind) || isArray ? all : []
  const setting = dependent.get(isArray ? name.replace(/^_/, '') : name)
  return setting ? [setting] : []
}

/** The settings on which the text of such values depends. */
export function settingsFor(types: Iterable<PgType>): SessionSetting[] {
  const found = new Set([...types].flatMap(settingsOf))
  return all.filter((setting) => found.has(setting))
}

/** Where a trigger's function looks for what has no schema: the schemas are those of types whose operators it uses. */
export const searchPath = (schemas: readonly string[]): SessionSetting => ({
  name: 'search_path',
  value: ['pg_catalog', ...schemas.map((schema) => compile(id(schema)).text), 'pg_temp'].join(', '),
})

/** Whether a function has these settings, as `pg_proc.proconfig` has them: names are quoted there only where they must be. */
export function hasSettings(existing: readonly string[], wanted: readonly SessionSetting[]): boolean {
  const bare = (text: string) => text.replaceAll('"', '')
  const found = new Set(existing.map(bare))
  return wanted.length === existing.length && wanted.every(({ name, value }) => found.has(bare(`${name}=${value}`)))
}
