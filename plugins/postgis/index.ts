// Columns of PostGIS: geometries and geographies as GeoJSON, rasters as hexadecimal text, and their comparisons.

import { definePlugin } from '../../sdk/index.ts'
import { geographyOperators, geometryOperators, rasterOperators, sharedOperators } from './operators.ts'
import { geography, geometry, raster } from './types.ts'

export default definePlugin({
  name: 'postgis',
  register({ types, comparisons }) {
    types.add(geometry, geography, raster)
    comparisons.add(...sharedOperators, ...geometryOperators, ...geographyOperators, ...rasterOperators)
  },
})
