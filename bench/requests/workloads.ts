// The requests of the bench. A workload is one entry of the list: the request of a client, and the fastest known
// statement for the same answer. The limit runs that statement.

import { dialects } from '../../core/names/dialect.ts'

/** One kind of request. */
export interface Workload {
  readonly name: string
  readonly title: string
  /** The request with this number; equal numbers give equal requests. */
  readonly request: (index: number) => GraphQLRequest
  /** The headers of the request with this number; absent: none. */
  readonly headers?: (index: number) => Headers
  readonly limit: LimitStatement
  /** Concurrent requests; absent: the standard number. */
  readonly connections?: number
  /** The number of different requests; absent: the standard number. */
  readonly distinct?: number
  readonly targets: Targets
}

/** The targets of Trellis, relative to the limit. */
export interface Targets {
  /** At least. */
  readonly throughput: number
  /** At most; absent: no target. */
  readonly p99?: number
}

export interface GraphQLRequest {
  readonly query: string
  readonly variables: Variables
}

export type Headers = Readonly<Record<string, string>>

type Variables = Readonly<Record<string, unknown>>

/** SQL with one row, whose only column `answer` has the finished answer. */
export interface LimitStatement {
  readonly text: string
  /** Names of the variables or headers for `$1`, `$2`…; lists and objects are passed as JSON. */
  readonly parameters: readonly string[]
  /**
   * The name of a header whose value replaces `{field}` in the text: each value makes another statement, and none is
   * prepared.
   */
  readonly field?: string
}

/** Rows of the enlarged Chinook. */
export const rowCounts = { track: 500_000, artist: 39_325 } as const

const goldenRatio = 0.618033988749895

/** Numbers from 0 to below `count`, evenly spread for any number of draws. */
export const spread = (index: number, count: number): number => Math.floor(((index * goldenRatio) % 1) * count)

const trackColumns = 'track_id name album_id media_type_id genre_id composer milliseconds unit_price'

/** The shortest read. */
export const trackByPrimaryKey: Workload = {
  name: 'W1',
  title: 'a track by primary key, 8 columns',
  targets: { throughput: 1.2 },
  request: (index) => ({
    query: `query Track($id: Int!) { track_by_pk(track_id: $id) { ${trackColumns} } }`,
    variables: { id: 1 + spread(index, rowCounts.track) },
  }),
  limit: {
    parameters: ['id'],
    text: `
      select format(
        '{"data":{"track_by_pk":{"track_id":%s,"name":%s,"album_id":%s,"media_type_id":%s,"genre_id":%s,"composer":%s,"milliseconds":%s,"unit_price":%s}}}',
        t.track_id, json_scalar(t.name), coalesce(t.album_id::text, 'null'), t.media_type_id,
        coalesce(t.genre_id::text, 'null'), coalesce(json_scalar(t.composer)::text, 'null'), t.milliseconds,
        case when t.unit_price = 'NaN' then '"NaN"' else t.unit_price::text end) as answer
      from track t where t.track_id = $1`,
  },
}

const trackList: Workload = {
  name: 'W2',
  title: 'a list of 100 tracks, 8 columns',
  targets: { throughput: 1 },
  request: (index) => ({
    query: `query Tracks($after: Int!) {
      track(where: {track_id: {_gt: $after}}, order_by: {track_id: asc}, limit: 100) { ${trackColumns} }
    }`,
    variables: { after: spread(index, rowCounts.track - 100) },
  }),
  limit: {
    parameters: ['after'],
    text: `
      select '{"data":{"track":[' || coalesce(string_agg(
        '{"track_id":' || s.track_id || ',"name":' || json_scalar(s.name)::text
        || ',"album_id":' || coalesce(s.album_id::text, 'null') || ',"media_type_id":' || s.media_type_id
        || ',"genre_id":' || coalesce(s.genre_id::text, 'null')
        || ',"composer":' || coalesce(json_scalar(s.composer)::text, 'null') || ',"milliseconds":' || s.milliseconds
        || ',"unit_price":' || case when s.unit_price = 'NaN' then '"NaN"' else s.unit_price::text end || '}', ','), '') || ']}}' as answer
      from (select * from track t where t.track_id > $1 order by t.track_id limit 100) s`,
  },
}

const artistTree: Workload = {
  name: 'W3',
  title: '20 artists, their albums, 10 tracks of each with genre',
  targets: { throughput: 1 },
  request: (index) => ({
    query: `query Artists($after: Int!) {
      artist(where: {artist_id: {_gt: $after}}, order_by: {artist_id: asc}, limit: 20) {
        artist_id name
        albums { album_id title tracks(limit: 10) { track_id name milliseconds genre { name } } }
      }
    }`,
    variables: { after: spread(index, rowCounts.artist - 20) },
  }),
  limit: {
    parameters: ['after'],
    text: `
      select '{"data":{"artist":[' || coalesce(string_agg(
        '{"artist_id":' || s0.artist_id || ',"name":' || coalesce(json_scalar(s0.name)::text, 'null')
        || ',"albums":' || l1.j || '}', ','), '') || ']}}' as answer
      from (select a.artist_id, a.name from artist a where a.artist_id > $1 order by a.artist_id limit 20) s0
      left join lateral (
        select '[' || coalesce(string_agg(
          '{"album_id":' || s1.album_id || ',"title":' || json_scalar(s1.title)::text
          || ',"tracks":' || l2.j || '}', ','), '') || ']' as j
        from (select b.album_id, b.title from album b where b.artist_id = s0.artist_id) s1
        left join lateral (
          select '[' || coalesce(string_agg(
            '{"track_id":' || s2.track_id || ',"name":' || json_scalar(s2.name)::text
            || ',"milliseconds":' || s2.milliseconds || ',"genre":' || coalesce(l3.j, 'null') || '}', ','), '') || ']' as j
          from (select t.track_id, t.name, t.milliseconds, t.genre_id from track t where t.album_id = s1.album_id limit 10) s2
          left join lateral (
            select '{"name":' || coalesce(json_scalar(g.name)::text, 'null') || '}' as j
            from genre g where g.genre_id = s2.genre_id
          ) l3 on true
        ) l2 on true
      ) l1 on true`,
  },
}

const page = 'genre_id: {_eq: $genre}, album_id: {_gte: $from, _lt: $to}'

const filteredPage: Workload = {
  name: 'W4',
  title: 'filter, order and limit by variables, and a count',
  targets: { throughput: 1 },
  request: (index) => {
    const from = 1 + spread(index, 49_000)
    return {
      query: `query Page($genre: Int!, $from: Int!, $to: Int!, $limit: Int!) {
        track(where: {${page}}, order_by: [{milliseconds: desc}, {track_id: asc}], limit: $limit) { track_id name milliseconds }
        track_aggregate(where: {${page}}) { aggregate { count } }
      }`,
      variables: { genre: 1 + (index % 3), from, to: from + 40, limit: 20 },
    }
  },
  limit: {
    parameters: ['genre', 'from', 'to', 'limit'],
    text: `
      select '{"data":{"track":[' || coalesce((select string_agg(
          '{"track_id":' || s.track_id || ',"name":' || json_scalar(s.name)::text || ',"milliseconds":' || s.milliseconds || '}', ',')
        from (select t.track_id, t.name, t.milliseconds from track t
          where t.genre_id = $1 and t.album_id >= $2 and t.album_id < $3
          order by t.milliseconds desc, t.track_id limit $4) s), '')
        || '],"track_aggregate":{"aggregate":{"count":' || (select count(*) from track t
          where t.genre_id = $1 and t.album_id >= $2 and t.album_id < $3) || '}}}}' as answer`,
  },
}

const event = (index: number) => ({
  kind: `kind-${index % 7}`,
  amount: index + 0.5,
  note: `what happened, number ${index}`,
})

/** The shortest write. */
export const singleInsert: Workload = {
  name: 'W5',
  title: 'a single insert',
  targets: { throughput: 0.85 },
  request: (index) => ({
    query: `mutation Add($kind: String!, $amount: numeric!, $note: String!) {
      insert_event_one(object: {kind: $kind, amount: $amount, note: $note}) { kind amount note }
    }`,
    variables: event(index),
  }),
  limit: {
    parameters: ['kind', 'amount', 'note'],
    text: `
      with added as (insert into event (kind, amount, note) values ($1, $2, $3) returning kind, amount, note)
      select '{"data":{"insert_event_one":{"kind":' || json_scalar(kind)::text || ',"amount":' || amount
        || ',"note":' || json_scalar(note)::text || '}}}' as answer from added`,
  },
}

const rowsPerBulk = 100

const bulkInsert: Workload = {
  name: 'W6',
  title: `an insert of ${rowsPerBulk} rows`,
  targets: { throughput: 0.85 },
  request: (index) => ({
    query: `mutation AddAll($objects: [event_insert_input!]!) { insert_event(objects: $objects) { affected_rows } }`,
    variables: { objects: Array.from({ length: rowsPerBulk }, (_, i) => event(index + i)) },
  }),
  limit: {
    parameters: ['objects'],
    text: `
      with added as (
        insert into event (kind, amount, note)
        select kind, amount, note from json_to_recordset($1) as new (kind text, amount numeric, note text) returning 1)
      select '{"data":{"insert_event":{"affected_rows":' || count(*) || '}}}' as answer from added`,
  },
}

const { roleVariable, sessionPrefix } = dialects.trellis

/** The role of {@link ownRows} and {@link relatedRows}, and the variable that names its artist. */
export const listener = { role: 'listener', artistVariable: `${sessionPrefix}artist-id` } as const

const listenerHeaders = (index: number) => ({
  [roleVariable]: listener.role,
  [listener.artistVariable]: String(1 + spread(index, rowCounts.artist)),
})

const ownRows: Workload = {
  name: 'W7',
  title: "a role's list of its own rows, filtered by a session variable",
  targets: { throughput: 1 },
  request: () => ({ query: '{ album(order_by: {album_id: asc}, limit: 50) { album_id title } }', variables: {} }),
  headers: listenerHeaders,
  limit: {
    parameters: [listener.artistVariable],
    text: `
      select '{"data":{"album":[' || coalesce(string_agg(
        '{"album_id":' || s.album_id || ',"title":' || json_scalar(s.title)::text || '}', ','), '') || ']}}' as answer
      from (select a.album_id, a.title from album a where a.artist_id = $1::int order by a.album_id limit 50) s`,
  },
}

const relatedRows: Workload = {
  name: 'W8',
  title: "a role's list of rows, filtered through a relationship that it also selects",
  targets: { throughput: 1 },
  request: () => ({
    query: '{ track(order_by: {track_id: asc}, limit: 50) { track_id name milliseconds album { title } } }',
    variables: {},
  }),
  headers: listenerHeaders,
  limit: {
    parameters: [listener.artistVariable],
    text: `
      select '{"data":{"track":[' || coalesce(string_agg(
        '{"track_id":' || s.track_id || ',"name":' || json_scalar(s.name)::text || ',"milliseconds":' || s.milliseconds
        || ',"album":{"title":' || json_scalar(s.title)::text || '}}', ','), '') || ']}}' as answer
      from (select t.track_id, t.name, t.milliseconds, a.title
        from track t join album a on a.album_id = t.album_id
        where a.artist_id = $1::int order by t.track_id limit 50) s`,
  },
}

const oneClient: Workload = {
  ...trackByPrimaryKey,
  name: 'W9',
  title: 'one client, a track by primary key, 8 columns',
  connections: 1,
  targets: { throughput: 0.95, p99: 1.5 },
}

const fieldHeader = 'x-field'
const fieldOf = (index: number): string => `track_${index}`

const differentDocuments: Workload = {
  name: 'W10',
  title: '5,000 documents, no two of which are alike: a track by primary key, 8 columns',
  distinct: 5000,
  targets: { throughput: 0.85 },
  request: (index) => ({
    query: `query Track($id: Int!) { ${fieldOf(index)}: track_by_pk(track_id: $id) { ${trackColumns} } }`,
    variables: { id: 1 + spread(index, rowCounts.track) },
  }),
  headers: (index) => ({ [fieldHeader]: fieldOf(index) }),
  limit: {
    parameters: ['id'],
    field: fieldHeader,
    text: trackByPrimaryKey.limit.text.replace('track_by_pk', '{field}'),
  },
}

const updatesPerList = 100

const updateList: Workload = {
  name: 'W11',
  title: `a list of ${updatesPerList} updates of one row each`,
  targets: { throughput: 0.85 },
  request: (index) => ({
    query: `mutation Change($updates: [track_updates!]!) { update_track_many(updates: $updates) { affected_rows } }`,
    variables: {
      // In the order of the keys, to prevent deadlocks of concurrent requests.
      updates: Array.from({ length: updatesPerList }, (_, i) => ({
        where: { track_id: { _eq: 1 + spread(index, rowCounts.track - updatesPerList) + i } },
        _set: { milliseconds: 1000 + index + i },
      })),
    },
  }),
  limit: {
    parameters: ['updates'],
    text: `
      with given as (
        select (u->'where'->'track_id'->>'_eq')::int as id, (u->'_set'->>'milliseconds')::int as milliseconds, n
        from json_array_elements($1) with ordinality as g (u, n)),
      changed as (
        update track t set milliseconds = given.milliseconds from given where t.track_id = given.id returning given.n)
      select '{"data":{"update_track_many":[' || string_agg(
        '{"affected_rows":' || case when changed.n is null then 0 else 1 end || '}', ',' order by given.n)
        || ']}}' as answer from given left join changed using (n)`,
  },
}

/** All workloads, in the order in which they run. */
export const workloads: readonly Workload[] = [
  trackByPrimaryKey,
  trackList,
  artistTree,
  filteredPage,
  singleInsert,
  bulkInsert,
  ownRows,
  relatedRows,
  oneClient,
  differentDocuments,
  updateList,
]
