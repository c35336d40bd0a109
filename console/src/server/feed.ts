// News of the server, which spare pages from asking again and again: versions of the metadata, events and jobs. The stream is
// open while the page is visible.

import { createStore } from '../base/store.ts'
import { credentialKind } from '../requests/credentials.ts'
import { follow, type StreamEvent } from '../requests/send.ts'
import { configQuery, metadataQuery, queries, refreshMetadata, type ServerConfig } from './queries.ts'

/** Whether the stream is open: pages that follow it need not ask. */
export const isLive = createStore(false)

/** Milliseconds until the next attempt after the stream ended: doubled up to the most. */
const firstPause = 1000
const longestPause = 30_000
/** Milliseconds in which an edit of this page is read by itself. */
const settled = 500

const refetch = (...key: readonly string[]) => void queries.invalidateQueries({ queryKey: key })

function take({ event, data }: StreamEvent): void {
  const { name, version } = data as { readonly name?: string; readonly version?: number }
  if (event === 'job') refetch('jobs')
  if (event === 'events') {
    if (name !== undefined) refetch('events', name)
    refetch('events', 'one')
    refetch('event-stats')
  }
  if (event !== 'metadata') return
  setTimeout(() => {
    const seen = queries.getQueryData(metadataQuery.queryKey)
    if (seen && version !== undefined && seen.resource_version < version) void refreshMetadata()
    refetch('now', 'inconsistent')
  }, settled)
}

let leaving: AbortController | null = null

/** Opens the stream again and again until it is no longer wanted. */
async function stay(signal: AbortSignal): Promise<void> {
  let pause = firstPause
  let wasLive = false
  while (!signal.aborted) {
    const stream = { name: 'feed', path: 'v1alpha1/feed', signal }
    await follow(stream, (event) => {
      if (!isLive.get() && wasLive) for (const kind of ['jobs', 'events', 'event-stats']) refetch(kind)
      wasLive = true
      isLive.set(true)
      pause = firstPause
      take(event)
    }).catch(() => {})
    isLive.set(false)
    await new Promise((done) => setTimeout(done, pause))
    pause = Math.min(longestPause, 2 * pause)
  }
}

/** Opens or closes the stream, as the page is seen and the server allows. */
function adjust(): void {
  const config: ServerConfig | undefined = queries.getQueryData(configQuery.queryKey)
  const isWanted =
    document.visibilityState === 'visible' && config?.plugins.some(({ name }) => name === 'feed') === true
  if (isWanted === (leaving !== null)) return
  leaving?.abort()
  leaving = isWanted ? new AbortController() : null
  if (leaving) void stay(leaving.signal)
}

/** Follows the news from now on. */
export function followFeed(): void {
  document.addEventListener('visibilitychange', adjust)
  queries.getQueryCache().subscribe(({ query, type }) => {
    if (type === 'updated' && query.queryKey[0] === configQuery.queryKey[0]) adjust()
  })
  // Another person reads other news, or none.
  credentialKind.subscribe(() => {
    leaving?.abort()
    leaving = null
    adjust()
  })
}
