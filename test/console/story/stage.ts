// The stage of the story: an empty server with a secret, one browser, and the servers of other people.

import type { TestContext } from 'node:test'
import { loadFiles } from '../../../plugins/console/assets.ts'
import { type Page, startBrowser } from '../../support/browser.ts'
import { startTrellis, type TestTrellis } from '../../support/trellis.ts'
import type { ApiDocument } from '../contract.ts'
import { findingNames, keepingFiles } from './keys.ts'
import { startLoyalty, startWebhook, type Webhook } from './others.ts'

export const secret = 'sesame-open'

/** A table of the metadata. */
export interface TableEntry {
  readonly table: { readonly name: string }
  readonly object_relationships?: readonly object[]
  readonly array_relationships?: readonly object[]
  readonly select_permissions?: readonly { readonly role: string; readonly permission: object }[]
}

/** The metadata document of a server. */
export interface Document {
  readonly sources: readonly { readonly tables: readonly TableEntry[] }[]
}

export const tablesOf = ({ sources }: Document): readonly TableEntry[] => sources.flatMap(({ tables }) => tables)

/** The document of a server, as the console gets it. */
export async function documentOf(trellis: TestTrellis): Promise<Document> {
  const { body } = await trellis.request('/v1/metadata', {
    headers: { 'x-service-admin-secret': secret },
    body: { type: 'export_metadata', version: 2, args: {} },
  })
  return (body as { readonly metadata: Document }).metadata
}

/** All that the steps of the story share. */
export interface Story {
  readonly trellis: TestTrellis
  readonly page: Page
  /** Ends the server, and starts it again at the same address with another secret. */
  restart(adminSecret: string): Promise<unknown>
  /** Starts an empty server without a secret. */
  startOther(): Promise<TestTrellis>
  readonly webhook: Webhook
  /** The address of a GraphQL server. */
  readonly loyalty: string
  /** Runs an operation as another client of the server. */
  op<T = unknown>(type: string, args: unknown, version?: number): Promise<T>
  exported(): Promise<Document>
  /** The description of the server. */
  description(): Promise<ApiDocument>
  /** The permission of a role to select; undefined: it has none. */
  permission(table: string, role: string): Promise<object | undefined>
}

/** Starts everything. */
export async function startStory(t: TestContext): Promise<Story> {
  const settings = { adminSecret: secret, enableConsole: true, enabledApis: ['metadata', 'graphql', 'config'] }
  const [trellis, open, webhook, loyalty] = await Promise.all([
    startTrellis(t, { settings }),
    startBrowser(t),
    startWebhook(t),
    startLoyalty(t),
    loadFiles(),
  ])
  const op = <T>(type: string, args: unknown, version?: number) =>
    trellis.op<T>(type, args, {
      headers: { 'x-service-admin-secret': secret },
      ...(version !== undefined && { version }),
    })
  const page = await open(`${trellis.url.replace('127.0.0.1', 'localhost')}/console/`, findingNames + keepingFiles)
  const exported = () => documentOf(trellis)
  return {
    ...{ trellis, page, webhook, loyalty, op, exported },
    async restart(adminSecret) {
      await trellis.engine.close()
      const serverPort = Number(new URL(trellis.url).port)
      return startTrellis(t, { database: trellis.database, settings: { ...settings, adminSecret, serverPort } })
    },
    startOther: () => startTrellis(t),
    async description() {
      const { body } = await trellis.request('/api/openapi.json', { headers: { 'x-service-admin-secret': secret } })
      return body as ApiDocument
    },
    async permission(table, role) {
      const entry = tablesOf(await exported()).find((each) => each.table.name === table)
      return entry?.select_permissions?.find((each) => each.role === role)?.permission
    },
  }
}
