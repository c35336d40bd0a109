// How a page of the console is declared.

import type { LucideIcon } from 'lucide-react'
import type { FunctionComponent } from 'react'
import type { ServerConfig } from '../server/queries.ts'

/** A page with its addresses. */
export interface ConsolePage {
  /** The first part of its addresses, as `data`. */
  readonly id: string
  /** Its word in the rail. */
  readonly title: string
  readonly icon: LucideIcon
  /** The key that leads to it after `g`. */
  readonly letter: string
  /** Whether the rail lists it; absent: it does. */
  readonly isListed?: boolean
  /** Whether the server has all that it needs; absent: always. */
  isOffered?(config: ServerConfig): boolean
  readonly routes: readonly PageRoute[]
  /** The things that the palette finds of this page; asked for when it opens. */
  commands?(): Promise<readonly Command[]>
  /** Things that are found after all that have a name, by a text of two letters or more: the server's, and drafts. */
  search?(text: string, signal: AbortSignal): Promise<readonly Command[]>
  /** The things that may have an id, which the palette offers for `#id`. */
  byId?(id: string): readonly Command[]
}

/** An address of a page. */
export interface PageRoute {
  /** Below the console, with parameters: `data/$schema/$table`. */
  readonly path: string
  /** Loads the component when somebody goes there. */
  load(): Promise<{ readonly default: FunctionComponent }>
  /** The parts of the breadcrumb after the page's own. */
  crumbs?(params: Readonly<Record<string, string>>): readonly Crumb[]
}

/** A part of the breadcrumb. */
export interface Crumb {
  readonly title: string
  /** Absent: it leads nowhere. */
  readonly path?: string
}

/** Something that the palette finds. */
export interface Command {
  readonly id: string
  readonly title: string
  /** Its kind: `table`, `page`, `command`, `role`. */
  readonly kind: string
  /** The path below the console that it leads to; absent: it runs. */
  readonly path?: string
  run?(): void
}
