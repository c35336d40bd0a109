// The settings of a trigger's function: an event reads the same whichever session writes the row. Each setting costs time per row,
// so a function has only those that change the text of its columns.

import type { ColumnModel } from '../../../sdk/metadata.ts'
import { compile, id } from '../../../sdk/sql.ts'

type PgType = ColumnModel['type']

const floatDigits = { name: 'extra_float_digits', value: '1' }
const byteaOutput = { name: 'bytea_output', value: 'hex' }
const intervalStyle = { name: 'IntervalStyle', value: 'postgres' }
const dateStyle = { name: 'DateStyle', value: 'iso, mdy' }

/** A session setting, written as in `pg_proc.proconfig`. */
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
  // JSON has its own format for dates and times, except within ranges.
  ...['daterange', 'tsrange', 'tstzrange', 'datemultirange', 'tsmultirange', 'tstzmultirange'].map(
    (type) => [type, dateStyle] as const,
  ),
])

const all: readonly SessionSetting[] = [floatDigits, byteaOutput, intervalStyle, dateStyle]

/** Types that may contain any type: rows, user-defined ranges, and domains over them. */
const compound: ReadonlySet<string> = new Set(['c', 'd', 'r', 'm'])

function settingsOf({ name, schema, kind, isArray }: PgType): readonly SessionSetting[] {
  if (schema !== 'pg_catalog') return compound.has(kind) || isArray ? all : []
  const setting = dependent.get(isArray ? name.replace(/^_/, '') : name)
  return setting ? [setting] : []
}

/** The settings that change the text of such values. */
export function settingsFor(types: Iterable<PgType>): SessionSetting[] {
  const found = new Set([...types].flatMap(settingsOf))
  return all.filter((setting) => found.has(setting))
}

/** The search path of a trigger's function: the schemas of the types whose operators it uses. */
export const searchPath = (schemas: readonly string[]): SessionSetting => ({
  name: 'search_path',
  value: ['pg_catalog', ...schemas.map((schema) => compile(id(schema)).text), 'pg_temp'].join(', '),
})

/** Whether a function has these settings. `pg_proc.proconfig` quotes names only where needed. */
export function hasSettings(existing: readonly string[], wanted: readonly SessionSetting[]): boolean {
  const bare = (text: string) => text.replaceAll('"', '')
  const found = new Set(existing.map(bare))
  return wanted.length === existing.length && wanted.every(({ name, value }) => found.has(bare(`${name}=${value}`)))
}
