// The server as users run it: a separate process with standard settings, whose log is discarded.

import { setTimeout as sleep } from 'node:timers/promises'
import { freePort, type Program, type Surroundings, startProgram } from './processes.ts'

const mainFile = new URL('../../bin/trellis.ts', import.meta.url)

const startTimeout = 120_000

/** A running server. */
export interface Trellis extends Program {
  readonly port: number
  /** Milliseconds from the start of the process to the first answer. */
  readonly startMillis: number
}

/** A request to the server. */
export interface Question {
  readonly path: string
  /** Bytes are sent unchanged, other values as JSON. */
  readonly body: unknown
  readonly headers?: Readonly<Record<string, string>> | undefined
}

const health: Question = { path: '/v1/query', body: { type: 'export_metadata', args: {} } }

/** Starts the server; repeats a query until it is answered. */
export async function startTrellis(
  args: readonly string[],
  surroundings: Surroundings,
  first: Question = health,
): Promise<Trellis> {
  const port = await freePort()
  const started = performance.now()
  const program = startProgram(mainFile, ['serve', '--server-port', String(port), ...args], surroundings)
  for (;;) {
    try {
      await ask(port, first)
      return { ...program, port, startMillis: performance.now() - started }
    } catch (error) {
      const { exitCode, signalCode } = program.child
      const gone = exitCode !== null || signalCode !== null
      if (gone) throw new Error(`the server ended: ${program.errors()}`)
      if (!isRefusedConnection(error) || performance.now() - started > startTimeout) {
        await program.stop()
        throw error
      }
    }
    await sleep(5)
  }
}

const isRefusedConnection = (error: unknown): boolean =>
  ((error as Error).cause as { code?: string } | undefined)?.code === 'ECONNREFUSED'

/** Sends a request and returns the parsed answer; throws if the answer is an error. */
export async function ask(port: number, { path, body, headers = {} }: Question): Promise<unknown> {
  const response = await fetch(`http://127.0.0.1:${port}${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: body instanceof Uint8Array ? new Uint8Array(body) : JSON.stringify(body),
  })
  const text = await response.text()
  const answer: unknown = JSON.parse(text)
  const failed = response.status !== 200 || (typeof answer === 'object' && answer !== null && 'errors' in answer)
  if (failed) throw new Error(`${path} answered ${response.status}: ${text.slice(0, 1000)}`)
  return answer
}

/** Runs an operation of the metadata API. */
export const operate = (port: number, type: string, args: unknown): Promise<unknown> =>
  ask(port, { path: '/v1/query', body: { type, args } })
