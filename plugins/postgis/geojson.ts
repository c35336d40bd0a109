// GeoJSON as requests give it, checked and brought into the form that PostGIS is handed.

import { parseFailed } from '../../sdk/index.ts'
import { jsonType } from '../../sdk/services.ts'
import { numberText, requireDouble, undecodable } from '../../sdk/sql.ts'

/** PostGIS itself gives up far earlier. */
const maxDepth = 100

/** The text of a GeoJSON object without the members that PostGIS ignores; throws `parse-failed` for anything else. */
export function geoJsonText(value: unknown, typeName: string): string {
  const members = objectOf(value, 'Geometry')
  const shape = geometry(members, typeName, 0)
  const crs = optional(members, 'crs')
  return JSON.stringify(crs === undefined ? shape : { ...shape, crs: referenceSystem(crs) })
}

type Members = Readonly<Record<string, unknown>>

function objectOf(value: unknown, what: string): Members {
  if (jsonType(value) !== 'Object') throw undecodable(what, 'Object', value)
  return value as Members
}

function required(members: Members, name: string): unknown {
  if (!Object.hasOwn(members, name)) throw parseFailed(`key "${name}" not found`)
  return members[name]
}

const optional = (members: Members, name: string): unknown =>
  Object.hasOwn(members, name) ? (members[name] ?? undefined) : undefined

function textOf(value: unknown): string {
  if (typeof value !== 'string') throw undecodable('Text', 'String', value)
  return value
}

function arrayOf(value: unknown, what = '[]'): readonly unknown[] {
  if (!Array.isArray(value)) throw undecodable(what, 'Array', value)
  return value
}

type Reader = (coordinates: unknown) => unknown

const listOf =
  (read: Reader): Reader =>
  (value) =>
    arrayOf(value).map(read)

/** Two or three numbers; further ones are ignored. */
function position(value: unknown): readonly unknown[] {
  const numbers = arrayOf(value, 'Position').slice(0, 3)
  if (numbers.length < 2) throw parseFailed('A Position needs at least 2 elements')
  for (const number of numbers) {
    const text = numberText(number)
    if (text === null) throw undecodable('Double', 'Number', number)
    requireDouble(text)
  }
  return numbers
}

function lineString(value: unknown): readonly unknown[] {
  const positions = arrayOf(value)
  if (positions.length < 2) throw parseFailed('A LineString needs at least 2 Positions')
  return positions.map(position)
}

function linearRing(value: unknown): readonly unknown[] {
  const positions = arrayOf(value).map(position)
  if (positions.length < 4) throw parseFailed('A LinearRing needs at least 4 Positions')
  if (!isSamePlace(positions[0]!, positions.at(-1)!)) {
    throw parseFailed('the first and last locations have to be equal for a LinearRing')
  }
  return positions
}

const isSamePlace = (a: readonly unknown[], b: readonly unknown[]): boolean =>
  a.length === b.length && a.every((number, i) => Number(numberText(number)) === Number(numberText(b[i])))

const polygon = listOf(linearRing)

const readers: ReadonlyMap<string, Reader> = new Map([
  ['Point', position],
  ['MultiPoint', listOf(position)],
  ['LineString', lineString],
  ['MultiLineString', listOf(lineString)],
  ['Polygon', polygon],
  ['MultiPolygon', listOf(polygon)],
])

function geometry(members: Members, typeName: string, depth: number): object {
  if (depth > maxDepth) throw parseFailed(`the value for type ${typeName} is nested too deeply`)
  const type = textOf(required(members, 'type'))
  if (type === 'GeometryCollection') {
    const parts = arrayOf(required(members, 'geometries'))
    return { type, geometries: parts.map((part) => geometry(objectOf(part, 'Geometry'), typeName, depth + 1)) }
  }
  const read = readers.get(type)
  if (!read) throw parseFailed(`unexpected geometry type: ${type}`)
  return { type, coordinates: read(required(members, 'coordinates')) }
}

function referenceSystem(value: unknown): object {
  const members = objectOf(value, 'CRS')
  const type = textOf(required(members, 'type'))
  if (type !== 'name' && type !== 'link') throw parseFailed(`unexpected crs type: ${type}`)
  const properties = objectOf(required(members, 'properties'), 'CRS')
  if (type === 'name') return { type, properties: { name: textOf(required(properties, 'name')) } }
  const format = optional(properties, 'type')
  const href = textOf(required(properties, 'href'))
  return { type, properties: format === undefined ? { href } : { href, type: textOf(format) } }
}
