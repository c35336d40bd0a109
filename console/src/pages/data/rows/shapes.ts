// Shapes of PostGIS: the grid has them in the hexadecimal form that PostgreSQL prints, the server's APIs take GeoJSON.

const kinds = ['point', 'line', 'polygon', 'multipoint', 'multiline', 'multipolygon', 'collection'] as const

/** Whether a type is one of PostGIS's, as `geometry(Point,4326)`. */
export const isShape = (type: string | undefined): boolean => /^(?:\w+\.)?geo(?:metry|graphy)\b/.test(type ?? '')

/** Whether a shape is in the hexadecimal form. */
export const isHexadecimal = (value: string | null | undefined): boolean => value?.startsWith('0') ?? false

/** The kind of a shape, in either form. */
export function kindOf(value: string): string {
  if (!isHexadecimal(value)) return /"type"\s*:\s*"(\w+)"/.exec(value)?.[1]?.toLowerCase() ?? 'shape'
  const bytes = [1, 2, 3, 4].map((at) => Number.parseInt(value.slice(at * 2, at * 2 + 2), 16))
  // The second field, whose bytes have the order that the first one says.
  const code = value.startsWith('01') ? bytes[0]! : bytes[3]!
  return kinds[code - 1] ?? 'shape'
}
