// docs/threats.md names a test for each threat: it exists, and is not skipped everywhere.

import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'

const root = join(import.meta.dirname, '../..')
const page = readFileSync(join(root, 'docs/threats.md'), 'utf8')

test('each threat names tests that exist', () => {
  const rows = page.split('\n').filter((line) => line.startsWith('| ') && !line.startsWith('| Threat '))
  assert.ok(rows.length > 30)
  for (const row of rows) {
    const named = [...row.matchAll(/`(test\/[^`]+\.test\.ts)` "([^"]+)"/g)]
    assert.ok(named.length > 0, row)
    for (const [, file, title] of named) {
      assert.ok(existsSync(join(root, file!)), file)
      const text = readFileSync(join(root, file!), 'utf8')
      assert.ok(
        ["'", '"', '`'].some(
          (quote) => text.includes(`test(${quote}${title}${quote}`) || text.includes(`${quote}${title}${quote},`),
        ),
        `${file}: ${title}`,
      )
    }
  }
})
