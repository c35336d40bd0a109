// Asks the worker for the places of tables.

import workerUrl from './layout.worker.ts?worker&url'
import type { Diagram } from './model.ts'

/** A table's place. */
export interface Place {
  readonly key: string
  readonly x: number
  readonly y: number
}

/** The question to the worker. */
export interface LayoutQuestion {
  readonly boxes: readonly { readonly key: string; readonly width: number; readonly height: number }[]
  readonly links: readonly { readonly from: string; readonly to: string }[]
}

/** Its answer. */
export interface LayoutAnswer {
  readonly places: readonly Place[]
}

/** Pixels of a table in the diagram. */
export const box = { width: 200, height: 56 } as const

interface TrustedPolicy {
  createScriptURL(url: string): string
}

interface TrustedTypes {
  createPolicy(name: string, rules: { createScriptURL(url: string): string }): TrustedPolicy
}

const { trustedTypes } = globalThis as { trustedTypes?: TrustedTypes }

/** The one policy that the page allows: it makes workers of the console's own files. */
const policy = trustedTypes?.createPolicy('trellis-worker', {
  createScriptURL(url) {
    if (new URL(url, import.meta.url).origin !== location.origin) throw new Error('a worker of another origin')
    return url
  },
})

/** The places of the tables of a diagram. */
export function placesOf({ tables, links }: Diagram, signal: AbortSignal): Promise<readonly Place[]> {
  const worker = new Worker(policy?.createScriptURL(workerUrl) ?? workerUrl)
  const { promise, resolve, reject } = Promise.withResolvers<readonly Place[]>()
  worker.addEventListener('message', ({ data }: MessageEvent<LayoutAnswer>) => resolve(data.places))
  worker.addEventListener('error', ({ message }) => reject(new Error(message || 'the layout failed')))
  signal.addEventListener('abort', () => reject(new Error('cancelled')))
  worker.postMessage({ boxes: tables.map(({ key }) => ({ key, ...box })), links } satisfies LayoutQuestion)
  return promise.finally(() => worker.terminate())
}
