// The cost of a plan that is not cached: an engine in this process plans documents that all differ.

import { silentObserver } from '../../core/log/observe.ts'
import { createEngine } from '../../sdk/engine.ts'
import { chinookMetadata } from '../support/chinook.ts'

/** The median of processor time in milliseconds that a plan may take. */
export const planTarget = 1

export const distinctDocuments = 5000

const genres = ['Rock', 'Jazz', 'Metal', 'Latin', 'Blues']
const columns = ['name', 'milliseconds', 'unit_price', 'composer', 'bytes', 'genre_id', 'media_type_id']

/** Three levels with arguments on each; the text differs for each index. */
export function distinctDocument(index: number): string {
  const chosen = columns.filter((_, i) => (index >> i) & 1)
  return `query Artists${index}($after: Int!) {
    artist(where: {artist_id: {_gt: $after}}, order_by: {artist_id: asc}, limit: 20) {
      artist_id name
      albums(where: {title: {_ilike: "%${index}%"}}, order_by: {title: asc}) {
        album_id title
        tracks(where: {genre: {name: {_eq: "${genres[index % genres.length]}"}}}, order_by: {track_id: desc}, limit: 10) {
          track_id ${chosen.join(' ')} genre { name }
        }
        tracks_aggregate { aggregate { count } }
      }
    }
  }`
}

/** Plans each document once; returns milliseconds for each. Planning does not wait, so this is processor time. */
export async function measurePlans(databaseUrl: string): Promise<number[]> {
  const engine = await createEngine({ settings: { databaseUrl }, observe: silentObserver })
  try {
    const admin = { role: 'admin', variables: {}, backendOnly: false }
    await engine.metadata.run({ type: 'replace_metadata', args: chinookMetadata }, admin)
    const times: number[] = []
    for (let index = 0; index < distinctDocuments; index++) {
      const request = { query: distinctDocument(index), operationName: null, variables: { after: index } }
      const began = performance.now()
      engine.graphql.plan(request, admin)
      times.push(performance.now() - began)
    }
    return times
  } finally {
    await engine.close()
  }
}
