#!/usr/bin/env node
// The first file of the program, in plain JavaScript, so that a Node that is too old reports that in one line. A checkout
// holds TypeScript, which Node runs directly, and `npm ci` installs a Node that can; the package holds JavaScript.

import { existsSync } from 'node:fs'

/** The oldest release that has all features used here. */
const oldest = [22, 18]

const fail = (reason) => {
  process.stderr.write(`Fatal Error: ${reason}\n`)
  process.exit(1)
}

const [major, minor] = process.versions.node.split('.').map(Number)
const built = new URL('trellis.js', import.meta.url)
const isBuilt = existsSync(built)

if (major < oldest[0] || (major === oldest[0] && minor < oldest[1])) {
  const how = isBuilt ? '' : ', or run npm ci with scripts and development dependencies, which brings it'
  fail(`Node ${process.versions.node} is too old: install Node ${oldest.join('.')} or newer${how}`)
}

if (!isBuilt && !process.features.typescript) {
  fail(
    `Node ${process.versions.node} cannot run TypeScript: install Node 24, or run npm ci with scripts and development dependencies, which brings it`,
  )
}

import(isBuilt ? built : new URL('trellis.ts', import.meta.url)).catch((error) => {
  const missing = error.code === 'ERR_MODULE_NOT_FOUND' && /^Cannot find package '([^']+)'/.exec(error.message)?.[1]
  if (!missing) throw error
  fail(`the package ${missing} is not installed: run npm ${isBuilt ? 'install' : 'ci'}`)
})
