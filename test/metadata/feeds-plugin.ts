// A test plugin whose metadata needs content of another server: feeds, each with an address.

import { Type } from '@sinclair/typebox'
import { definePlugin } from '../../core/engine/plugin.ts'
import { badRequest } from '../../core/errors/errors.ts'
import { operation } from '../../core/operations/operation.ts'
import { ObjectName } from '../../core/wire/types.ts'

const Feed = Type.Object({ name: ObjectName, url: Type.String() })

export interface Feed {
  name: string
  url: string
}

declare module '../../sdk/registry.ts' {
  interface DocumentSlices {
    test_feeds: Feed[]
  }
  interface ModelSlices {
    /** The content of each feed. */
    test_feeds: ReadonlyMap<string, unknown>
  }
}

const describeFeed = (feed: Feed) => ({ ref: { kind: 'feed', name: feed.name }, type: 'feed', definition: feed })

const feedRequest = ({ name, url }: Feed) => ({ key: 'test_feeds', id: name, definition: { url } })

const addFeed = operation({
  type: 'test_add_feed',
  args: Feed,
  check: 'object',
  object: (feed) => describeFeed(feed).ref,
  sources: (feed) => [feedRequest(feed)],
  handle({ metadata }, feed) {
    metadata.test_feeds.push(feed)
  },
})

/** An operation that does not announce the source it needs. */
const addFeedLater = operation({
  type: 'test_add_feed_later',
  args: Feed,
  handle({ metadata }, feed) {
    metadata.test_feeds.push(feed)
  },
})

const reloadFeed = operation({
  type: 'test_reload_feed',
  args: Type.Object({ name: ObjectName }),
  check: 'new',
  sources: ({ name }) => [{ key: 'test_feeds', id: name }],
  handle({ metadata }, { name }) {
    if (metadata.test_feeds.some((feed) => feed.name === name)) return
    throw badRequest('not-exists', `feed "${name}" does not exist`, { path: ['name'] })
  },
})

/** Feeds; `timeout` limits each fetch. */
export const feedsPlugin = ({ timeout, reloadedBy }: { timeout?: number; reloadedBy?: string } = {}) =>
  definePlugin({
    name: 'feeds',
    register({ metadata, operations }) {
      metadata.slice('test_feeds', {
        schema: Type.Array(Feed),
        empty: [],
        entryKey: ({ name }: Feed) => name,
        before: 'fields',
        resolve(feeds, context) {
          const said = new Map<string, unknown>()
          for (const feed of feeds) {
            const source = context.source('test_feeds', feed.name)
            if (source.kind === 'value') said.set(feed.name, source.value)
            else context.report(describeFeed(feed), source.reason)
          }
          return said
        },
      })
      metadata.source<{ url: string }, unknown>({
        key: 'test_feeds',
        ...(timeout !== undefined && { timeout }),
        ...(reloadedBy !== undefined && { reloadedBy }),
        wanted: ({ test_feeds: feeds }) => feeds.map(({ name, url }) => ({ id: name, definition: { url } })),
        async fetch({ url }, signal) {
          const response = await fetch(url, { signal }).catch(() => {
            throw badRequest('remote-error', `the feed cannot be reached`)
          })
          if (!response.ok) throw badRequest('remote-error', `the feed answers ${response.status}`)
          return response.json()
        },
      })
      operations.add(addFeed, addFeedLater, reloadFeed)
    },
  })
