// Names that the pages promise.

import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import * as trellis from '../../sdk/doors/index.ts'

const read = (path: string): string => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8')

test('every name that most plugins need is exported by `trellis`', () => {
  const [, table] = /\| Subject \| Names of `trellis` \|\n\|---\|---\|\n((?:\|.*\n)+)/.exec(
    read('docs/plugins-reference.md'),
  )!
  const names = [...table!.matchAll(/`(\w+)`/g)].map(([, name]) => name!)
  const [, exported = ''] = read('sdk/api-report.md').split(/^## .*$/m)
  const isType = (name: string) => new RegExp(`^(export|import) .*\\b${name}\\b`, 'm').test(exported)
  const missing = names.filter((name) => !(name in trellis) && !isType(name))
  assert.ok(names.length > 40)
  assert.deepEqual(missing, [])
})
