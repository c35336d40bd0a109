// Passes the questions of a worker on to the others, and their answers back.

import type { Asked, Order, Report } from './messages.ts'

/** A worker that takes questions. */
export interface Party {
  readonly number: number
  send(order: Order): void
}

/** A question that waits for answers. */
interface Open {
  readonly asker: Party
  readonly asked: Asked
  readonly waiting: Set<Party>
  readonly answers: unknown[]
  readonly missing: number[]
  readonly timer: NodeJS.Timeout
}

export class Questions {
  readonly #open = new Map<number, Open>()
  #next = 0

  /** Asks the others. */
  ask(asker: Party, asked: Asked, others: readonly Party[]): void {
    const id = this.#next++
    const timer = setTimeout(() => this.#close(id), asked.millis)
    this.#open.set(id, { asker, asked, waiting: new Set(others), answers: [], missing: [], timer })
    const { subject, question } = asked
    for (const other of others) other.send({ kind: 'question', id, subject, question })
    this.#settle(id)
  }

  /** Takes an answer; a late one is ignored. */
  answered(party: Party, { id, answer, isFailed }: Extract<Report, { kind: 'answer' }>): void {
    const open = this.#open.get(id)
    if (!open?.waiting.delete(party)) return
    if (isFailed) open.missing.push(party.number)
    else if (answer !== undefined) open.answers.push(answer)
    this.#settle(id)
  }

  /** A worker has ended: it serves nothing, so nobody needs its answers. */
  lost(party: Party): void {
    for (const [id, { waiting }] of this.#open) if (waiting.delete(party)) this.#settle(id)
  }

  #settle(id: number): void {
    if (this.#open.get(id)?.waiting.size === 0) this.#close(id)
  }

  #close(id: number): void {
    const open = this.#open.get(id)
    if (!open) return
    this.#open.delete(id)
    clearTimeout(open.timer)
    const missing = [...open.missing, ...[...open.waiting].map(({ number }) => number)]
    open.asker.send({ kind: 'answers', id: open.asked.id, answers: open.answers, missing })
  }
}
