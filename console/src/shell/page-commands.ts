// Parts of pages that have an address of their own, as the palette finds them.

import { configQuery, queries } from '../server/queries.ts'
import type { Command } from './contract.ts'

interface PagePart {
  readonly title: string
  readonly path: string
  /** The plugin that it needs; absent: it is always there. */
  readonly plugin?: string
}

/** Commands that lead to the parts that the server offers. */
export async function pageCommands(parts: readonly PagePart[]): Promise<readonly Command[]> {
  const { plugins } = await queries.ensureQueryData(configQuery)
  const offered = parts.filter(({ plugin }) => plugin === undefined || plugins.some(({ name }) => name === plugin))
  return offered.map(({ title, path }) => ({ id: `page ${path}`, title, kind: 'page', path }))
}
