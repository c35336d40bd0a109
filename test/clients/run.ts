// Programs of the clients' project, as processes of their own.

import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)
const directory = import.meta.dirname

/** Runs a program of `programs/` against a server; what it prints is JSON. */
export async function runProgram(name: string, url: string): Promise<unknown> {
  const { stdout } = await run(process.execPath, [join(directory, 'programs', `${name}.ts`), url], { cwd: directory })
  return JSON.parse(stdout)
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
