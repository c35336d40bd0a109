// `trellis completions` in the shells themselves.

import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { findProgram } from '../deploy/programs.ts'
import { project } from './command-line.ts'

/** Commands of a shell that complete the word after `words`, and print a candidate a line. */
const shells: Readonly<Record<string, (file: string, words: readonly string[]) => readonly string[]>> = {
  bash: (file, words) => [
    '--norc',
    '-c',
    `source '${file}'; COMP_WORDS=(${words.join(' ')} ''); COMP_CWORD=${words.length}; _trellis; printf '%s\\n' "\${COMPREPLY[@]}"`,
  ],
  // zsh completes only on a terminal: the function is called as its completion system would.
  zsh: (file, words) => [
    '-f',
    '-c',
    `autoload -Uz compinit && compinit -D -u; source '${file}'; compadd() { shift; print -l -- "$@" }
     words=(${words.join(' ')} ''); CURRENT=${words.length + 1}; _trellis`,
  ],
  fish: (file, words) => ['--no-config', '-c', `source '${file}'; complete -C '${words.join(' ')} '`],
}

async function candidates(t: TestContext, shell: string, words: readonly string[]): Promise<readonly string[]> {
  const own = project(t, [])
  const file = join(own.directory, 'completions')
  writeFileSync(file, await own.done(`completions ${shell}`))
  const printed = execFileSync(findProgram(shell)!, [...shells[shell]!(file, words)], { encoding: 'utf8' })
  return printed.split('\n').filter((line) => line !== '')
}

for (const shell of Object.keys(shells)) {
  const skip = findProgram(shell) ? false : `there is no ${shell} here`
  test(`${shell} completes commands`, { skip }, async (t) => {
    const first = await candidates(t, shell, ['trellis'])
    for (const word of ['serve', 'deploy', 'metadata', 'completions']) assert.ok(first.includes(word), word)
    const second = await candidates(t, shell, ['trellis', 'metadata'])
    assert.deepEqual(second.toSorted(), ['apply', 'clear', 'diff', 'export', 'problems', 'reload'])
  })
}

test('other shells are refused', async (t) => {
  assert.match(await project(t, []).refused(2, 'completions cmd'), /"cmd" is not bash, zsh or fish/)
})
