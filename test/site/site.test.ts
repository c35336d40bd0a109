// The documentation as a site: it is built, and every link and anchor of its pages leads somewhere.

import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { globSync, readFileSync } from 'node:fs'
import { join, posix } from 'node:path'
import { test } from 'node:test'
import { temporaryDirectory } from '../support/process.ts'

const root = join(import.meta.dirname, '../..')

test('every link and anchor of the built documentation leads somewhere, and loads nothing from other hosts', async (t) => {
  const out = temporaryDirectory(t)
  execFileSync(process.execPath, [join(root, 'site/build.ts'), '--base', '/docs/', '--out', out], { stdio: 'pipe' })
  const pages = new Map(
    globSync('**/*.html', { cwd: out }).map((file) => {
      const path = `/docs/${file.replace(/(^|\/)index\.html$/, '$1')}`
      return [path, readFileSync(join(out, file), 'utf8')]
    }),
  )
  assert.ok(pages.size > 50)
  const files = new Set(globSync('**/*', { cwd: out }).map((file) => `/docs/${file}`))
  const broken: string[] = []
  for (const [page, html] of pages) {
    for (const [, href] of html.matchAll(/<a [^>]*href="([^"]+)"/g)) {
      if (/^(https?|mailto):/.test(href!)) continue
      const { pathname, hash } = new URL(href!, `http://site${page}`)
      const target = pages.get(posix.normalize(pathname))
      const id = decodeURIComponent(hash.slice(1))
      const isThere = target ? id === '' || target.includes(`id="${id}"`) : files.has(pathname)
      if (!isThere) broken.push(`${page}: ${href}`)
    }
    for (const [, url] of html.matchAll(/<(?:script|link|img)[^>]* (?:src|href)="(https?:[^"]+)"/g))
      broken.push(`${page} loads ${url}`)
  }
  assert.deepEqual(broken, [])
})
