// Tides of stations, each a root field, from other servers: a slice with a source.

import {
  badRequest,
  definePlugin,
  type FieldMap,
  fieldMap,
  GraphQLName,
  graphql,
  operation,
  type SchemaScope,
  type SliceDefinition,
  type Source,
  type Static,
  Type,
} from 'trellis'

const Station = Type.Object({ name: GraphQLName, url: Type.String() })
type Station = Static<typeof Station>

declare module 'trellis/registry' {
  interface DocumentSlices {
    tide_stations: Station[]
  }
  interface ModelSlices {
    tide_stations: ReadonlyMap<string, number>
  }
}

const refOf = ({ name }: Station) => ({ kind: 'tide_station', name })

const tides: Source<{ url: string }, { level: number }> = {
  key: 'tides',
  wanted: ({ tide_stations: stations }) => stations.map(({ name, url }) => ({ id: name, definition: { url } })),
  async fetch({ url }, signal) {
    const response = await fetch(url, { signal })
    if (!response.ok) throw badRequest('remote-error', `the station answers ${response.status}`)
    return (await response.json()) as { level: number }
  },
  timeout: 5000,
}

const slice: SliceDefinition<'tide_stations'> = {
  schema: Type.Array(Station),
  empty: [],
  entryKey: ({ name }) => name,
  resolve(stations, context) {
    const levels = new Map<string, number>()
    for (const station of stations) {
      const object = { ref: refOf(station), type: 'tide_station', definition: station }
      const told = context.source('tides', station.name)
      if (told.kind === 'failure') context.report(object, told.reason)
      else if (context.claimRootFields(object, { query: [`tide_${station.name}`] })) {
        levels.set(station.name, (told.value as { level: number }).level)
      }
    }
    return levels
  },
}

const addStation = operation({
  type: 'add_tide_station',
  args: Station,
  check: 'object',
  object: refOf,
  sources: ({ name, url }) => [{ key: 'tides', id: name, definition: { url } }],
  handle({ metadata }, station) {
    metadata.tide_stations.push(station)
  },
})

function tideFields({ model }: SchemaScope): FieldMap {
  const levels = [...(model.slices.tide_stations ?? [])]
  const type = graphql.GraphQLFloat
  return fieldMap(
    Object.fromEntries(
      levels.map(([name, level]) => {
        return [`tide_${name}`, () => ({ type, extensions: { root: { kind: 'resolved', resolve: () => level } } })]
      }),
    ),
  )
}

export default definePlugin({
  name: 'tides',
  dependencies: ['graphql'],
  register(engine) {
    engine.metadata.source(tides)
    engine.metadata.slice('tide_stations', slice)
    engine.operations.add(addStation)
    engine.graphql.contribute({ name: 'tides', query: tideFields })
  },
})
