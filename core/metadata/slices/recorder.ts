// The record of stored changes: plugins learn of each change of the document, in the transaction that stores it.

import type { Transaction } from '../../database/transaction.ts'
import type { QualifiedName } from '../../names/names.ts'
import type { Identity } from '../../session/session.ts'

/** The place of a part, as answers show it. */
export interface PartPlace {
  /** The top-level key of the document. */
  readonly part: string
  /** The table, for parts of its entry. */
  readonly table?: QualifiedName
  /** The key in the table's entry; absent: the whole entry. */
  readonly member?: string
  /** The name of the entry of another list, or of the object within the member; absent: there is one value. */
  readonly name?: string
}

/** A part before and after a change, in stored form; undefined: absent. */
export interface PartChange {
  readonly place: PartPlace
  /** Identity of the entry in its slice; null: the slice is one value. */
  readonly key: string | null
  readonly before: unknown
  readonly after: unknown
}

/** The cause of a change. */
export interface Author {
  readonly role: string
  /** The proof of the session, as far as it is known. */
  readonly identity?: Identity | undefined
  /** The id of the HTTP request; absent: none caused it. */
  readonly requestId?: string | undefined
  /** The program that sent the request, as it names itself. */
  readonly agent?: string | undefined
  /** The plugin that caused it without a request. */
  readonly plugin?: string | undefined
  /** The types of the operations that edited the metadata. */
  readonly operations: readonly string[]
}

/** A change of the document that is being stored. */
export interface RecordedChange {
  /** The version that the change makes. */
  readonly version: number
  /** Absent: the server itself. */
  readonly author: Author | null
  /** At least one. */
  readonly changes: readonly PartChange[]
  readonly transaction: Transaction
}

/** Records a change in the transaction that stores it. An error undoes the change. */
export type ChangeRecorder = (change: RecordedChange) => Promise<void>
