// Programs of the clients' project, as processes of their own.

import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)
const directory = import.meta.dirname

export interface ProgramOptions {
  /** Behind the server's URL. */
  readonly args?: readonly string[]
  /** Called once when it has written its first line, before the end of its last one. */
  readonly onFirstLine?: () => unknown
}

/** Runs a program of `programs/` against a server; the last line that it prints is JSON. */
export async function runProgram(name: string, url: string, options: ProgramOptions = {}): Promise<unknown> {
  const { args = [], onFirstLine = () => {} } = options
  const running = run(process.execPath, [join(directory, 'programs', `${name}.ts`), url, ...args], { cwd: directory })
  const said = new Promise((resolve) => running.child.stdout!.once('data', resolve)).then(onFirstLine)
  const { stdout } = await running
  await said
  return JSON.parse(stdout.trim().split('\n').at(-1)!)
}

/** Runs a command of an installed package; its output counts when it fails. */
export async function runTool(
  file: string,
  args: readonly string[],
  environment: Readonly<Record<string, string>> = {},
): Promise<void> {
  try {
    await run(process.execPath, [join(directory, 'node_modules', file), ...args], {
      cwd: directory,
      env: { ...process.env, ...environment },
    })
  } catch (error) {
    const { stdout = '', stderr = '' } = error as { stdout?: string; stderr?: string }
    throw new Error(`${file} failed:\n${stdout}${stderr}`, { cause: error })
  }
}
