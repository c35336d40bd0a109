// The command line of a real process: its streams, its terminal, and its end.

import { createInterface } from 'node:readline/promises'
import { codeOf } from '../core/errors/thrown.ts'
import { loadEnvFile } from '../process/env-file.ts'
import { exits } from './exits.ts'
import { main } from './index.ts'
import type { Io } from './io.ts'

/** Runs a command line, and sets the exit code of the process. */
export async function runCommandLine(argv: readonly string[], plugins: Io['plugins']): Promise<void> {
  // A reader that has closed its pipe must not end a migration.
  let isOutputLost = false
  process.stdout.on('error', (error) => {
    if (codeOf(error) === 'EPIPE') return
    isOutputLost = true
    process.exitCode ||= exits.failed
    process.stderr.write(`Error: the output cannot be written: ${codeOf(error) ?? error.message}\n`)
  })
  process.stderr.on('error', () => {})
  loadEnvFile(process.env)
  const code = await main(argv, {
    cwd: process.cwd(),
    env: process.env,
    isTerminal: process.stdin.isTTY === true && process.stderr.isTTY === true,
    stdout: (text) => {
      process.stdout.write(text)
    },
    stderr: (text) => {
      process.stderr.write(text)
    },
    streams: () => ({ input: process.stdin, output: process.stdout }),
    ...(process.stderr.isTTY && {
      picture: (text: string) => {
        process.stderr.write(`\r\u001B[K${text.slice(0, process.stderr.columns - 1)}`)
      },
    }),
    plugins,
    async confirm(question) {
      const terminal = createInterface({ input: process.stdin, output: process.stderr })
      try {
        return /^y(es)?$/i.test((await terminal.question(question)).trim())
      } finally {
        terminal.close()
      }
    },
  })
  process.exitCode = code === exits.done && isOutputLost ? exits.failed : code
}
