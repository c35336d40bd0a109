// Who may have their request served now: asked once it is known who asks, before the request is read any further.

import type { RequestHeaders } from '../auth/headers.ts'
import type { Session } from '../session/session.ts'

/** A request that asks to be served. */
export interface Applicant {
  readonly session: Session
  /** The client's headers, lower-case names. */
  readonly headers: RequestHeaders
  /** The other end of the connection: the client, or the proxy in front of the server. */
  readonly address: string
  /** Sets a header of the answer, where the transport has such. */
  setHeader(name: string, value: string): void
}

/** What a plugin checks. Each throws or rejects to refuse, with an error that the client sees. */
export interface AdmissionChecks {
  request?(applicant: Applicant): void | Promise<void>
  /** Of a request that was admitted, when it turns out to hold so many GraphQL operations as a batch. */
  batch?(applicant: Applicant, size: number): void | Promise<void>
}

/** The checks of all plugins, asked in the order in which they were added. */
export class Admission {
  readonly #checks: AdmissionChecks[] = []
  #guardsRequests = false

  /** Whether anybody checks requests. */
  get guardsRequests(): boolean {
    return this.#guardsRequests
  }

  add(checks: AdmissionChecks): void {
    this.#checks.push(checks)
    this.#guardsRequests ||= checks.request !== undefined
  }

  /** Rejects when one of the checks refuses. */
  async checkRequest(applicant: Applicant): Promise<void> {
    for (const checks of this.#checks) await checks.request?.(applicant)
  }

  /** The same for a batch. */
  async checkBatch(applicant: Applicant, size: number): Promise<void> {
    for (const checks of this.#checks) await checks.batch?.(applicant, size)
  }
}
