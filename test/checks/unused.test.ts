// Unused dependencies and exports fail `npm run check`.

import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { promisify } from 'node:util'

const knip = join(import.meta.dirname, '../../node_modules/knip/bin/knip.js')

test('a dependency that no file imports, and an export that no file uses, fail the check', async (t) => {
  const directory = mkdtempSync(join(tmpdir(), 'trellis-unused-'))
  t.after(() => rmSync(directory, { recursive: true }))
  mkdirSync(join(directory, 'src'))
  const files = {
    'package.json': JSON.stringify({ name: 'unused', type: 'module', dependencies: { 'left-pad': '1.3.0' } }),
    'knip.json': JSON.stringify({ entry: ['src/index.ts'], project: ['src/*.ts'] }),
    'src/index.ts': `import { used } from './other.ts'\nconsole.log(used)\n`,
    'src/other.ts': 'export const used = 1\nexport const unused = 2\n',
  }
  for (const [name, text] of Object.entries(files)) writeFileSync(join(directory, name), text)
  const run = promisify(execFile)(process.execPath, [knip, '--no-progress', '--directory', directory])
  await assert.rejects(run, (error: Error & { readonly code?: number; readonly stdout?: string }) => {
    assert.equal(error.code, 1)
    assert.match(error.stdout ?? '', /left-pad/)
    assert.match(error.stdout ?? '', /unused +src\/other\.ts/)
    return true
  })
})
