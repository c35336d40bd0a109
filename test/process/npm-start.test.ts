// The messages of `npm start` where the program cannot run.

import assert from 'node:assert/strict'
import { cpSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { spawnTrellis, temporaryDirectory } from '../support/process.ts'

const root = join(import.meta.dirname, '../..')

test('a Node that cannot run TypeScript is refused in one line', async (t) => {
  const command = [process.execPath, '--no-experimental-strip-types', join(root, 'bin/start.js')]
  assert.deepEqual(await spawnTrellis(t, ['version'], {}, { command }).ended, {
    code: 1,
    signal: null,
    stdout: '',
    stderr: `Fatal Error: Node ${process.versions.node} cannot run TypeScript: install Node 24, or run npm ci with scripts and development dependencies, which brings it\n`,
  })
})

test('a missing package is named in one line', async (t) => {
  const directory = temporaryDirectory(t)
  for (const folder of ['bin', 'cli', 'core', 'plugins', 'process', 'sdk'])
    cpSync(join(root, folder), join(directory, folder), { recursive: true })
  writeFileSync(join(directory, 'package.json'), '{"type": "module"}')
  const { code, stderr } = await spawnTrellis(
    t,
    ['version'],
    {},
    {
      command: [process.execPath, join(directory, 'bin/start.js')],
    },
  ).ended
  assert.equal(code, 1)
  assert.match(stderr, /^Fatal Error: the package [\w@/-]+ is not installed: run npm ci\n$/)
})
