// What the suite knows of an operation: how it is used, what comes of it, and what it refuses.

import type { GivenSettings } from '../../core/engine/options.ts'
import type { RequestOptions } from '../support/client.ts'
import type { TestTrellis } from '../support/trellis.ts'

/** A request of the metadata API. */
export interface Call {
  readonly type: string
  readonly args: unknown
  readonly version?: number
}

/** What happens before a case: SQL outside the engine, or a request that succeeds. */
export type Step = string | Call

/** Something that must be so after a request; throws when it is not. */
export type Effect = (trellis: TestTrellis) => Promise<void>

interface Case extends RequestOptions {
  /** What is asked, or what is wrong with it: the name of the test. */
  readonly title: string
  readonly args: unknown
  /** On top of the library, for this case alone. */
  readonly given?: readonly Step[]
  readonly settings?: GivenSettings
}

/** A use of the operation. */
export interface Success extends Case {
  /** The body of the answer; a function looks at it itself. Absent: `{"message":"success"}`. */
  readonly answers?: unknown
  /** What can be seen of it afterwards. */
  readonly then?: readonly Effect[]
}

/** A request that the operation refuses, after which everything is as before. */
export interface Refusal extends Case {
  readonly code: string
  readonly error: string | RegExp
  /** Absent: `$` for code `parse-failed`, else `$.args`. */
  readonly path?: string
  /** Absent: 400. */
  readonly status?: number
  /** What may help; absent: nothing. */
  readonly hint?: string
  /** What administrators are told beside; absent: not looked at. */
  readonly internal?: unknown
  /** The shape of the arguments is right as far as their schema can say: it is their meaning that does not parse. */
  readonly fits?: true
}

/** One registered operation. */
export interface OperationEntry {
  readonly type: string
  /** Absent: 1. */
  readonly version?: 2
  /** Whether roles other than `admin` may call it. */
  readonly anyRole?: true
  /**
   * The keys whose absence is told as `key "x" not found`, by the place of their object (`true`: all of its keys); the
   * absence of others as `the key 'x' was not present`.
   */
  readonly notFound?: Readonly<Record<string, true | readonly string[]>>
  /** The keys that the arguments must have; absent: none. */
  readonly requires?: readonly string[]
  /** Places whose faults are told in words of their own: see `refuses`. */
  readonly ownWords?: readonly string[]
  /** The first one is the request that is spoilt in every way. */
  readonly succeeds: readonly [Success, ...Success[]]
  readonly refuses: readonly Refusal[]
}

/** The operations of one area. */
export interface Area {
  readonly title: string
  /** Tables and functions beside those of the library. */
  readonly sql?: string
  /** On top of the library, for all cases. */
  readonly given?: readonly Step[]
  /** Of all servers of the area. */
  readonly settings?: GivenSettings
  readonly operations: readonly OperationEntry[]
}

/** Name of an operation in lists and titles. */
export const operationName = ({ type, version = 1 }: { readonly type: string; readonly version?: number }): string =>
  version === 1 ? type : `${type}, version ${version}`
