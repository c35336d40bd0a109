// The types of PostGIS. Its functions are in the schema of the types, which need not be on the search path.

import { parseFailed } from '../../sdk/index.ts'
import type { PgType } from '../../sdk/metadata.ts'
import { type Codec, id, join, type Sql, sql, type TypeSupport, trusted } from '../../sdk/sql.ts'
import { geoJsonText } from './geojson.ts'

/** A call of a function of PostGIS. */
export const call = ({ schema }: PgType, name: string, values: readonly Sql[]): Sql =>
  sql`${id(schema, name)}(${join(values)})`

const geoJsonCodec = (type: PgType): Codec => ({
  type: type.name,
  encode: (value) => geoJsonText(value, type.name),
  decode: (text) => sql`${call(type, 'st_geomfromgeojson', [text])}::${trusted(type.sql)}`,
})

/**
 * Up to 15 decimals, and the reference system in its long form. The detour by `json` refuses values that GeoJSON
 * cannot hold: a coordinate that is not a number would make the whole answer unreadable.
 */
const geoJson = (value: Sql, type: PgType): Sql =>
  sql`${call(type, 'st_asgeojson', [value, sql`15`, sql`4`])}::json::text`

export const geometry: TypeSupport = {
  name: 'geometry',
  codec: geoJsonCodec,
  json: geoJson,
  casts: ['geography'],
}

export const geography: TypeSupport = {
  name: 'geography',
  codec: geoJsonCodec,
  json: geoJson,
  casts: ['geometry'],
}

const hexadecimal = /^(?:[0-9a-f]{2})*$/i

function rasterText(value: unknown): string {
  if (typeof value !== 'string') throw parseFailed('expecting String for raster')
  if (hexadecimal.test(value)) return value
  throw parseFailed('invalid hexadecimal representation of raster well known binary format')
}

export const raster: TypeSupport = {
  name: 'raster',
  codec: (type) => ({
    type: type.name,
    encode: rasterText,
    decode: (text) => call(type, 'st_rastfromhexwkb', [text]),
  }),
  json: (value) => sql`'"' || (${value})::text || '"'`,
  ordered: false,
}
