// The bench's side of the webhook for deliveries.

import { type Program, type Surroundings, startProgram } from '../support/processes.ts'
import type { Received } from './webhook-receiver.ts'

const receiverFile = new URL('./webhook-receiver.ts', import.meta.url)

export interface Webhook extends Program {
  readonly url: string
  /** The events since the previous call. */
  take(): Promise<Received>
  /** The same; waits for this many events. */
  takeAll(count: number): Promise<Received>
}

/** The next message of a program. */
export const message = <T>({ child }: Program) =>
  new Promise<T>((done) => child.once('message', (sent) => done(sent as T)))

const lookMillis = 50

/** Starts it; resolves when it listens. */
export async function startWebhook(surroundings: Surroundings): Promise<Webhook> {
  const program = startProgram(receiverFile, [], surroundings, 'ipc')
  const port = await message<number>(program)
  const take = () => {
    const taken = message<Received>(program)
    program.child.send({})
    return taken
  }
  return {
    ...program,
    url: `http://127.0.0.1:${port}`,
    take,
    async takeAll(count) {
      let late: readonly number[] = []
      for (;;) {
        const received = await take()
        late = [...late, ...received.late]
        if (late.length >= count) return { ...received, count: late.length, late: late.toSorted((a, b) => a - b) }
        await new Promise((done) => setTimeout(done, lookMillis))
      }
    },
  }
}
