// Harbours by the sea: geometries, geographies and, beside them, rasters.

import type { TestContext } from 'node:test'
import { startSpatial } from '../support/postgis.ts'
import type { TestTrellis, TrellisOptions } from '../support/trellis.ts'

const tables = `
  create table public.sea (id serial primary key, name text not null, area geometry(Polygon, 4326));
  create table public.harbour (
    id serial primary key, name text, position geometry(Point, 4326), reach geography,
    sea_id integer references public.sea(id)
  );
  create table public.depth (id serial primary key, grid raster);
`

/** A sea of ten degrees by ten, with a harbour in it, one on its edge and one far away; two rasters of two by two. */
const rows = `
  insert into sea (name, area) values ('North', st_makeenvelope(0, 50, 10, 60, 4326));
  insert into harbour (name, position, reach, sea_id) values
    ('Inner', st_setsrid(st_makepoint(5.25, 55), 4326), st_makepoint(5.25, 55)::geography, 1),
    ('Edge', st_setsrid(st_makepoint(10, 55), 4326), st_makepoint(10, 55)::geography, 1),
    ('Far', st_setsrid(st_makepoint(100, 5), 4326), st_makepoint(100, 5)::geography, null),
    ('Lost', null, null, null);
  insert into depth (grid) values
    (st_addband(st_makeemptyraster(2, 2, 0, 2, 1, -1, 0, 0, 4326), '8BUI'::text, 7, 0)),
    (st_addband(st_makeemptyraster(2, 2, 50, 52, 1, -1, 0, 0, 4326), '8BUI'::text, 7, 0));
`

export interface HarbourOptions extends TrellisOptions {
  /** The schema of PostGIS. It is not on the search path unless it is `public`. */
  readonly schema?: string
  /** Without rows. */
  readonly empty?: boolean
}

/** An engine over the harbours, with `harbour.sea` and `sea.harbours`. */
export async function startHarbours(t: TestContext, { empty, ...options }: HarbourOptions = {}): Promise<TestTrellis> {
  const { schema = 'public' } = options
  const trellis = await startSpatial(t, options)
  const path = `set search_path to ${schema}, public`
  await trellis.sql(`${path}; ${tables} ${empty ? '' : rows} reset search_path`)
  await trellis.op('bulk', [
    ...['sea', 'harbour', 'depth'].map((table) => ({ type: 'track_table', args: table })),
    {
      type: 'create_object_relationship',
      args: { table: 'harbour', name: 'sea', using: { foreign_key_constraint_on: 'sea_id' } },
    },
    {
      type: 'create_array_relationship',
      args: {
        table: 'sea',
        name: 'harbours',
        using: { foreign_key_constraint_on: { table: 'harbour', column: 'sea_id' } },
      },
    },
  ])
  return trellis
}

/** The system in which GeoJSON is, as answers name it. */
const crs = { type: 'name', properties: { name: 'urn:ogc:def:crs:EPSG::4326' } }

/** A point as requests give it. */
export const point = (...coordinates: readonly number[]) => ({ type: 'Point', coordinates })

/** A point as it is answered. */
export const answeredPoint = (...coordinates: readonly number[]) => ({ type: 'Point', crs, coordinates })

/** A rectangle as requests give it. */
export const box = (west: number, south: number, east: number, north: number) => ({
  type: 'Polygon',
  coordinates: [
    [
      [west, south],
      [west, north],
      [east, north],
      [east, south],
      [west, south],
    ],
  ],
})

/** A rectangle as it is answered. */
export const answeredBox = (...corners: Parameters<typeof box>) => {
  const { type, coordinates } = box(...corners)
  return { type, crs, coordinates }
}
