// The requests of the bench for features of later engines: inherited roles, and computed fields and
// aggregates in conditions.

import { dialects } from '../../core/names/dialect.ts'
import { listener, rowCounts, spread, type Workload, workloads } from './workloads.ts'

const { roleVariable } = dialects.trellis

/** A role with the permissions of {@link listener} and of one that sees the titles of all albums below a number. */
export const inherited = { role: 'visitor', other: 'browser', below: 5000 } as const

const inheritedRows: Workload = {
  name: 'W12',
  title: 'rows of an inherited role, with a column that is null where no parent sees it',
  targets: { throughput: 0.8 },
  request: () => ({
    query: '{ album(order_by: {album_id: asc}, limit: 50) { album_id title artist_id } }',
    variables: {},
  }),
  headers: (index) => ({
    [roleVariable]: inherited.role,
    [listener.artistVariable]: String(1 + spread(index, rowCounts.artist)),
  }),
  limit: {
    parameters: [listener.artistVariable],
    text: `
      select '{"data":{"album":[' || coalesce(string_agg(
        '{"album_id":' || s.album_id || ',"title":' || json_scalar(s.title)::text
        || ',"artist_id":' || case when s.artist_id = $1::int then s.artist_id::text else 'null' end || '}', ','), '') || ']}}' as answer
      from (select a.album_id, a.title, a.artist_id from album a
        where a.artist_id = $1::int or a.album_id < ${inherited.below} order by a.album_id limit 50) s`,
  },
}

/** The function of the computed field `minutes` of tracks. */
export const minutesFunction = `
  create or replace function track_minutes(track) returns int language sql immutable as 'select $1.milliseconds / 60000'`

const computedFilter: Workload = {
  name: 'W13',
  title: 'rows filtered and ordered by a computed field',
  targets: { throughput: 0.8 },
  request: (index) => ({
    query: `query Long($from: Int!, $to: Int!, $minutes: Int!) {
      track(where: {album_id: {_gte: $from, _lt: $to}, minutes: {_gte: $minutes}}, order_by: [{minutes: desc}, {track_id: asc}]) {
        track_id minutes
      }
    }`,
    variables: { from: 1 + spread(index, 49_000), to: 41 + spread(index, 49_000), minutes: 5 },
  }),
  limit: {
    parameters: ['from', 'to', 'minutes'],
    text: `
      select '{"data":{"track":[' || coalesce(string_agg(
        '{"track_id":' || s.track_id || ',"minutes":' || s.minutes || '}', ','), '') || ']}}' as answer
      from (select t.track_id, track_minutes(t) as minutes from track t
        where t.album_id >= $1 and t.album_id < $2 and track_minutes(t) >= $3 order by 2 desc, 1) s`,
  },
}

const aggregatePredicate: Workload = {
  name: 'W14',
  title: 'rows filtered by the number of their related rows',
  targets: { throughput: 0.8 },
  request: (index) => ({
    query: `query Full($from: Int!, $to: Int!) {
      album(
        where: {album_id: {_gte: $from, _lt: $to}, tracks_aggregate: {count: {predicate: {_gt: 10}}}}, order_by: {album_id: asc}
      ) { album_id title }
    }`,
    variables: { from: 1 + spread(index, 49_000), to: 101 + spread(index, 49_000) },
  }),
  limit: {
    parameters: ['from', 'to'],
    text: `
      select '{"data":{"album":[' || coalesce(string_agg(
        '{"album_id":' || s.album_id || ',"title":' || json_scalar(s.title)::text || '}', ','), '') || ']}}' as answer
      from (select a.album_id, a.title from album a
        where a.album_id >= $1 and a.album_id < $2
          and (select count(*) from track t where t.album_id = a.album_id) > 10 order by a.album_id) s`,
  },
}

/** All workloads, in the order in which they run. */
export const allWorkloads: readonly Workload[] = [...workloads, inheritedRows, computedFilter, aggregatePredicate]
