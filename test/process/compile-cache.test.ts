// The compiled code that a start keeps for later ones.

import assert from 'node:assert/strict'
import { rmSync } from 'node:fs'
import { enableCompileCache, getCompileCacheDir } from 'node:module'
import { basename } from 'node:path'
import { test } from 'node:test'
import { makeTemporaryDirectory } from '../support/postgres.ts'
import { spawnTrellis } from '../support/process.ts'

test('the server and a program without its V8 settings do not replace the compiled code of each other', async (t) => {
  const directory = makeTemporaryDirectory()
  process.once('exit', () => rmSync(directory, { recursive: true, force: true }))
  // V8 rejects code of other settings, and Node names the directory by them.
  enableCompileCache(directory)
  const own = getCompileCacheDir() ?? ''
  const { stdout, stderr } = await spawnTrellis(t, ['version'], { NODE_DEBUG_NATIVE: 'COMPILE_CACHE' }).ended
  const [, served = ''] = /^\[compile cache\] resolved path .* -> (.*)$/m.exec(stdout + stderr) ?? []
  assert.match(basename(own), /^v\d+\.\d+\.\d+-/)
  assert.match(basename(served), /^v\d+\.\d+\.\d+-/)
  assert.notEqual(basename(served), basename(own))
})
