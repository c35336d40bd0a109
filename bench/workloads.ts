// What is asked. A workload is one entry of the list: the request as a client would send it, and the best statement known
// for the same answer, which the limit runs.

/** One kind of request. */
export interface Workload {
  readonly name: string
  readonly title: string
  /** The request with this number; the same number is the same request. */
  readonly request: (index: number) => GraphQLRequest
  readonly limit: LimitStatement
}

export interface GraphQLRequest {
  readonly query: string
  readonly variables: Variables
}

type Variables = Readonly<Record<string, string | number>>

/** SQL whose only row has the finished answer as its only column, `answer`. */
export interface LimitStatement {
  readonly text: string
  /** Names of the variables that are `$1`, `$2`… */
  readonly parameters: readonly string[]
}

/** Rows of the enlarged Chinook. */
export const rowCounts = { track: 500_000, artist: 39_325 } as const

const goldenRatio = 0.618033988749895

/** Numbers from 0 to below `count`, evenly spread however many are drawn. */
const spread = (index: number, count: number): number => Math.floor(((index * goldenRatio) % 1) * count)

const trackColumns = 'track_id name album_id media_type_id genre_id composer milliseconds unit_price'

const trackByPrimaryKey: Workload = {
  name: 'W1',
  title: 'a track by primary key, 8 columns',
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

/** All workloads, in the order in which they run. */
export const workloads: readonly Workload[] = [trackByPrimaryKey, trackList, artistTree]
