// Processes that serve one port together. Each runs an engine of its own, and they ask one another.

/** The workers of a server, as one of them sees them. */
export interface Workers {
  /** The number of this worker, from 1. */
  readonly own: number
  /** The number of workers; 1: no other process serves the port. */
  readonly count: number
  /** Sets the reply to other workers' questions about a subject. Questions and answers are copied, so they are plain values. */
  answer(subject: string, reply: (question: unknown) => unknown): void
  /**
   * Asks the other workers, and waits for their answers for so many milliseconds. A worker that has set no reply yet is left
   * out. Never rejects.
   */
  ask(subject: string, question: unknown, millis: number): Promise<WorkerAnswers>
}

/** The answers to a question. */
export interface WorkerAnswers {
  readonly answers: readonly unknown[]
  /** The workers that failed to answer, or did not answer in time. */
  readonly missing: readonly number[]
}

const unasked: WorkerAnswers = { answers: [], missing: [] }

/** The workers of a server that is one process. */
export const alone: Workers = { own: 1, count: 1, answer() {}, ask: async () => unasked }

/** The same workers with subjects of their own for one owner. */
export function workersFor(owner: string, { own, count, answer, ask }: Workers): Workers {
  const subjectOf = (subject: string) => `${owner}/${subject}`
  return {
    own,
    count,
    answer: (subject, reply) => answer(subjectOf(subject), reply),
    ask: (subject, question, millis) => ask(subjectOf(subject), question, millis),
  }
}
