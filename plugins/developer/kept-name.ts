// Names that are kept in memory.

import { longestName } from './tuning.ts'

/** A name of a request in bounded memory. A long one is copied: a slice keeps the whole text alive. */
export const keptName = (name: string): string =>
  name.length <= longestName ? name : Buffer.from(name.slice(0, longestName), 'utf16le').toString('utf16le')
