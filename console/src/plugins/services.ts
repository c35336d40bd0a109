// The services that modules of plugins get. Their requests go through the request module, which shows them, and refuses edits in
// read-only mode. Modules do not get the credentials.

import type { ConsoleServices } from '../../../plugins/console/module-contract.ts'
import { kept } from '../base/kept.ts'
import { toast } from '../parts/toast.tsx'
import { type Identity, identity } from '../requests/identity.ts'
import { readOnly } from '../requests/mode.ts'
import { isEditing } from '../server/editing.ts'
import { editingByServer } from '../server/openapi.ts'
import { graphql, run } from '../server/operations.ts'
import { metadataQuery, queries, refreshMetadata } from '../server/queries.ts'
import { confirm } from '../shell/confirm.ts'

/** The facts of a place for its part. */
export type PartContext = Pick<ConsoleServices, 'table' | 'column' | 'value' | 'row'>

interface ServicesOptions {
  readonly plugin: string
  readonly signal: AbortSignal
  readonly context: PartContext
  go(path: string): void
}

/** The services of a part. */
export const servicesOf = ({ plugin, signal, context, go }: ServicesOptions): ConsoleServices => ({
  async run<T>(type: string, args: unknown = {}, options: { version?: number; as?: Identity } = {}) {
    // The operation may be the plugin's own, about which the page knows nothing.
    await editingByServer()
    const result = await run<T>(type, args, { ...options, signal })
    if (isEditing({ type, args, ...(options.version !== undefined && { version: options.version }) }))
      void refreshMetadata()
    return result
  },
  async graphql<T>(query: string, variables?: unknown) {
    const { body } = await graphql<T>({ query, variables }, { as: identity.get(), signal })
    return body
  },
  metadata: () => queries.fetchQuery(metadataQuery),
  identity: { get: identity.get, subscribe: identity.subscribe },
  navigate: go,
  confirm,
  toast: (text) => toast(text),
  draft(key) {
    const place = `plugin:${plugin}:${key}`
    return { get: () => kept.get(place), set: (text) => kept.set(place, text) }
  },
  signal,
  get isReadOnly() {
    return readOnly.get() !== null
  },
  ...context,
})
