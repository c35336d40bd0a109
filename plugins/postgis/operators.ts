// The comparison operators of PostGIS columns. Operators and functions are called by their full names, since
// the schema of PostGIS need not be on the search path.

import { builtInType } from '../../sdk/metadata.ts'
import {
  type ComparisonOperator,
  id,
  type OperandMember,
  type OperandObject,
  type Sql,
  sql,
  trusted,
  typeBeside,
} from '../../sdk/sql.ts'
import { call } from './types.ts'

const spatial = ['geometry', 'geography']
const all = [...spatial, 'raster']

const operator = (schema: string, symbol: string): Sql => sql`operator(${id(schema)}.${trusted(symbol)})`

const ordering = (name: string, symbol: string): ComparisonOperator => ({
  name,
  operand: 'scalar',
  types: spatial,
  sql: (column, [value], { schema }) => sql`${column} ${operator(schema, symbol)} ${value!}`,
})

const isEqual: ComparisonOperator['sql'] = (column, [value], { schema }) =>
  sql`${column} ${operator(schema, '=')} ${value!}`

const isAmong: ComparisonOperator['sql'] = (column, [list], { schema }) =>
  sql`${column} ${operator(schema, '=')} any (${list!})`

/** PostGIS has no `<>`. */
const negated =
  (comparison: ComparisonOperator['sql']): ComparisonOperator['sql'] =>
  (...operands) =>
    sql`not (${comparison(...operands)})`

/** The comparisons that all types have, as those of PostGIS are written. */
export const sharedOperators: readonly ComparisonOperator[] = [
  { name: '_eq', operand: 'scalar', types: all, sql: isEqual },
  { name: '_neq', operand: 'scalar', types: all, sql: negated(isEqual) },
  ordering('_gt', '>'),
  ordering('_lt', '<'),
  ordering('_gte', '>='),
  ordering('_lte', '<='),
  { name: '_in', operand: 'list', types: all, sql: isAmong },
  { name: '_nin', operand: 'list', types: all, sql: negated(isAmong) },
]

const relation = (name: string, type: string, description: string): ComparisonOperator => ({
  name,
  description,
  operand: 'scalar',
  types: [type],
  sql: (column, [value], own) => call(own, name.slice(1), [column, value!]),
})

/** A Float to GraphQL, though the functions take more digits. */
const distance: OperandMember = {
  name: 'distance',
  type: () => builtInType('float4'),
  sqlType: 'double precision',
  required: true,
}

const geometryMember = (name: string): OperandMember => ({
  name,
  type: (column) => typeBeside(column, 'geometry'),
  required: true,
})

const withinDistance: OperandObject = {
  name: 'st_d_within_input',
  members: [distance, geometryMember('from')],
}

const withinGeographicDistance: OperandObject = {
  name: 'st_d_within_geography_input',
  members: [
    distance,
    { name: 'from', type: (column) => column, required: true },
    { name: 'use_spheroid', type: () => builtInType('bool'), required: false, default: true },
  ],
}

export const geometryOperators: readonly ComparisonOperator[] = [
  relation('_st_contains', 'geometry', 'does the column contain the given geometry value'),
  relation('_st_crosses', 'geometry', 'does the column crosses the given geometry value'),
  relation('_st_equals', 'geometry', 'is the column equal to given geometry value. Directionality is ignored'),
  relation('_st_intersects', 'geometry', 'does the column spatially intersect the given geometry value'),
  relation(
    '_st_overlaps',
    'geometry',
    `does the column 'spatially overlap' (intersect but not completely contain) the given geometry value`,
  ),
  relation('_st_touches', 'geometry', 'does the column have atleast one point in common with the given geometry value'),
  relation('_st_within', 'geometry', 'is the column contained in the given geometry value'),
  {
    name: '_st_d_within',
    description: 'is the column within a distance from a geometry value',
    operand: withinDistance,
    types: ['geometry'],
    sql: (column, [tolerance, from], type) => call(type, 'st_dwithin', [column, from!, tolerance!]),
  },
  {
    name: '_st_3d_intersects',
    description: 'does the column spatially intersect the given geometry value in 3D',
    operand: 'scalar',
    types: ['geometry'],
    sql: (column, [value], type) => call(type, 'st_3dintersects', [column, value!]),
  },
  {
    name: '_st_3d_d_within',
    description: 'is the column within a 3D distance from a geometry value',
    operand: withinDistance,
    types: ['geometry'],
    sql: (column, [tolerance, from], type) => call(type, 'st_3ddwithin', [column, from!, tolerance!]),
  },
]

export const geographyOperators: readonly ComparisonOperator[] = [
  relation('_st_intersects', 'geography', 'does the column spatially intersect the given geography value'),
  {
    name: '_st_d_within',
    description: 'is the column within a distance from a geography value',
    operand: withinGeographicDistance,
    types: ['geography'],
    sql: (column, [tolerance, from, spheroid], type) =>
      call(type, 'st_dwithin', [column, from!, tolerance!, spheroid!]),
  },
]

const onRaster = (
  name: string,
  operand: ComparisonOperator['operand'],
  values: (operands: readonly Sql[]) => readonly Sql[],
): ComparisonOperator => ({
  name,
  operand,
  types: ['raster'],
  onlyGraphQL: true,
  sql: (column, operands, type) => call(type, 'st_intersects', [column, ...values(operands)]),
})

const band = (required: boolean): OperandMember => ({ name: 'nband', type: () => builtInType('int4'), required })

const bandAndGeometry: OperandObject = {
  name: 'st_intersects_nband_geom_input',
  members: [band(true), geometryMember('geommin')],
}

const geometryAndBand: OperandObject = {
  name: 'st_intersects_geom_nband_input',
  members: [geometryMember('geommin'), band(false)],
}

export const rasterOperators: readonly ComparisonOperator[] = [
  onRaster('_st_intersects_rast', 'scalar', (operands) => operands),
  onRaster('_st_intersects_nband_geom', bandAndGeometry, (operands) => operands),
  onRaster('_st_intersects_geom_nband', geometryAndBand, (operands) => operands),
]
