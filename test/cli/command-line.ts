// Runs the command line in this process, against a server, on a project in a temporary folder.

import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import type { TestContext } from 'node:test'
import { main } from '../../cli/index.ts'
import { builtInPlugins } from '../../plugins/index.ts'
import { atEnd } from '../support/cleanup.ts'

export interface Ran {
  readonly code: number
  readonly out: string
  readonly err: string
}

export interface TestProject {
  readonly directory: string
  /** Runs a command line on the project; the answer to questions makes it a terminal. */
  run(line: string | readonly string[], answer?: boolean): Promise<Ran>
  /** Runs a command that succeeds, and returns its text. */
  done(line: string | readonly string[]): Promise<string>
  /** Runs a command that ends with a code, and returns its words for people. */
  refused(code: number, line: string | readonly string[]): Promise<string>
  write(files: Readonly<Record<string, string>>): void
  read(file: string): string
}

/** A project in a folder of its own, with the given target. */
export function project(t: TestContext, target: readonly string[]): TestProject {
  const directory = mkdtempSync(join(tmpdir(), 'trellis cli-'))
  atEnd(t, async () => rmSync(directory, { recursive: true, force: true }))
  const run = async (line: string | readonly string[], answer?: boolean): Promise<Ran> => {
    let [out, err] = ['', '']
    const words = typeof line === 'string' ? line.split(' ') : line
    const code = await main([...words, ...(words.includes('--help') ? [] : target)], {
      cwd: directory,
      env: {},
      isTerminal: answer !== undefined,
      stdout: (text) => {
        out += text
      },
      stderr: (text) => {
        err += text
      },
      streams: () => assert.fail('no command of these tests speaks a protocol'),
      confirm: async () => answer === true,
      plugins: async () => builtInPlugins,
    })
    return { code, out, err }
  }
  return {
    directory,
    run,
    async done(line) {
      const { code, out, err } = await run(line)
      assert.equal(code, 0, err)
      return out
    },
    async refused(code, line) {
      const ran = await run(line)
      assert.equal(ran.code, code, ran.err + ran.out)
      return ran.err
    },
    write(files) {
      for (const [name, text] of Object.entries(files)) {
        const path = join(directory, name)
        mkdirSync(dirname(path), { recursive: true })
        writeFileSync(path, text)
      }
    },
    read: (file) => readFileSync(join(directory, file), 'utf8'),
  }
}
