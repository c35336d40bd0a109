// The suite's description of an operation: its uses, its effects, and its refusals.

import type { GivenSettings } from '../../core/engine/options.ts'
import type { RequestOptions } from '../support/client.ts'
import type { TestTrellis } from '../support/trellis.ts'

/** A request of the metadata API. */
export interface Call {
  readonly type: string
  readonly args: unknown
  readonly version?: number
}

/** A preparation of a case: SQL outside the engine, or a request that succeeds. */
export type Step = string | Call

/** A condition after a request; throws when it does not hold. */
export type Effect = (trellis: TestTrellis) => Promise<void>

interface Case extends RequestOptions {
  /** The name of the test: the request, or its fault. */
  readonly title: string
  readonly args: unknown
  /** Preparations for this case only, after those of the library. */
  readonly given?: readonly Step[]
  readonly settings?: GivenSettings
}

/** A use of the operation. */
export interface Success extends Case {
  /** The body of the answer, or a function that checks it. Absent: `{"message":"success"}`. */
  readonly answers?: unknown
  /** Effects that are visible afterwards. */
  readonly then?: readonly Effect[]
}

/** A request that the operation refuses; afterwards nothing has changed. */
export interface Refusal extends Case {
  readonly code: string
  readonly error: string | RegExp
  /** Absent: `$` for code `parse-failed`, else `$.args`. */
  readonly path?: string
  /** Absent: 400. */
  readonly status?: number
  /** The hint; absent: no hint. */
  readonly hint?: string
  /** The details for administrators; absent: not checked. */
  readonly internal?: unknown
  /** Whether the arguments match their schema, so that only their meaning is wrong. */
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
   * The keys that are reported as `key "x" not found` when missing, by the place of their object (`true`: all of its
   * keys). Other keys are reported as `the key 'x' was not present`.
   */
  readonly notFound?: Readonly<Record<string, true | readonly string[]>>
  /** The keys that the arguments must have; absent: none. */
  readonly requires?: readonly string[]
  /** Places whose errors have their own wording: see `refuses`. */
  readonly ownWords?: readonly string[]
  /** The first one is the request that is malformed in every way. */
  readonly succeeds: readonly [Success, ...Success[]]
  readonly refuses: readonly Refusal[]
}

/** The operations of one area. */
export interface Area {
  readonly title: string
  /** Tables and functions in addition to those of the library. */
  readonly sql?: string
  /** Preparations for all cases, after those of the library. */
  readonly given?: readonly Step[]
  /** Settings of all servers of the area. */
  readonly settings?: GivenSettings
  readonly operations: readonly OperationEntry[]
}

/** Name of an operation in lists and titles. */
export const operationName = ({ type, version = 1 }: { readonly type: string; readonly version?: number }): string =>
  version === 1 ? type : `${type}, version ${version}`
