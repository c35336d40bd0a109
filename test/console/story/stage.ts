// The stage of the story: an empty server with a secret, one browser, and the servers of other people.

import type { TestContext } from 'node:test'
import { loadFiles } from '../../../plugins/console/assets.ts'
import { type Page, startBrowser } from '../../support/browser.ts'
import { startTrellis, type TestTrellis } from '../../support/trellis.ts'
import { findingNames } from './keys.ts'

export const secret = 'sesame-open'

/** The metadata document of a server. */
export interface Document {
  readonly tables: readonly {
    readonly table: string | { readonly name: string }
    readonly object_relationships?: readonly object[]
    readonly array_relationships?: readonly object[]
    readonly select_permissions?: readonly { readonly role: string; readonly permission: object }[]
  }[]
}

/** All that the steps of the story share. */
export interface Story {
  readonly trellis: TestTrellis
  readonly page: Page
  /** Runs an operation as another client of the server. */
  op<T = unknown>(type: string, args: unknown, version?: number): Promise<T>
  exported(): Promise<Document>
  /** The permission of a role to select; undefined: it has none. */
  permission(table: string, role: string): Promise<object | undefined>
}

/** Starts everything. */
export async function startStory(t: TestContext): Promise<Story> {
  const settings = { adminSecret: secret, enableConsole: true, enabledApis: ['metadata', 'graphql', 'config'] }
  const [trellis, open] = await Promise.all([startTrellis(t, { settings }), startBrowser(t), loadFiles()])
  const op = <T>(type: string, args: unknown, version?: number) =>
    trellis.op<T>(type, args, {
      headers: { 'x-service-admin-secret': secret },
      ...(version !== undefined && { version }),
    })
  const page = await open(`${trellis.url.replace('127.0.0.1', 'localhost')}/console/`, findingNames)
  const exported = async () => (await op<{ metadata: Document }>('export_metadata', {}, 2)).metadata
  return {
    ...{ trellis, page, op, exported },
    async permission(table, role) {
      const { tables } = await exported()
      const entry = tables.find((each) => (typeof each.table === 'string' ? each.table : each.table.name) === table)
      return entry?.select_permissions?.find((each) => each.role === role)?.permission
    },
  }
}
