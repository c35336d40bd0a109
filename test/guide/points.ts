// Points of PostgreSQL as `{x, y}`, and an operator on them.

import { builtInType, type ComparisonOperator, definePlugin, parseFailed, sql, type TypeSupport } from 'trellis'

function pointText(value: unknown): string {
  const { x, y } = (value ?? {}) as { x?: unknown; y?: unknown }
  if (typeof x === 'number' && typeof y === 'number') return JSON.stringify({ x, y })
  throw parseFailed('a point has an x and a y')
}

const point: TypeSupport = {
  name: 'point',
  codec: (type) => ({
    type: type.name,
    encode: pointText,
    decode: (text) => sql`(select point(x, y) from json_to_record(${text}::json) as r (x float8, y float8))`,
  }),
  json: (value) => sql`'{"x":' || ((${value})[0])::text || ',"y":' || ((${value})[1])::text || '}'`,
  ordered: false,
}

const above: ComparisonOperator = {
  name: '_above',
  description: 'is the point higher?',
  types: ['point'],
  operand: { type: () => builtInType('float8') },
  sql: (column, [height]) => sql`(${column})[1] > ${height!}`,
}

export default definePlugin({
  name: 'points',
  register(engine) {
    engine.types.add(point)
    engine.comparisons.add(above)
  },
})
