// The library in a project that has another version of `graphql` than Trellis, beside which npm places the library.

import assert from 'node:assert/strict'
import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { test } from 'node:test'
import { buildSchema, GraphQLSchema } from 'graphql'
import { loadLibrary, loadWithOwnGraphql } from '../../plugins/stitching/library.ts'
import { temporaryDirectory } from '../support/process.ts'

const installed = join(import.meta.dirname, '../../node_modules')

/** Copies a package and its dependencies, but not `graphql`. */
function copyPackage(name: string, modules: string, copied = new Set<string>()): void {
  if (copied.has(name)) return
  copied.add(name)
  cpSync(join(installed, name), join(modules, name), { recursive: true })
  const { dependencies = {} } = JSON.parse(readFileSync(join(installed, name, 'package.json'), 'utf8'))
  for (const each of Object.keys(dependencies)) copyPackage(each, modules, copied)
}

test('the library uses the graphql of Trellis beside another one, and leaves that to the project', (t) => {
  const project = temporaryDirectory(t)
  const modules = join(project, 'node_modules')
  copyPackage('@graphql-tools/stitch', modules)
  mkdirSync(join(modules, 'graphql'))
  const ours = JSON.stringify(createRequire(import.meta.url).resolve('graphql'))
  const other = `module.exports = { ...require(${ours}), GraphQLSchema: class GraphQLSchema {} }`
  writeFileSync(join(modules, 'graphql/index.js'), other)
  const main = join(project, 'main.js')
  const load = createRequire(main)
  const before = load('@graphql-tools/utils')

  const { stitchSchemas } = loadWithOwnGraphql('@graphql-tools/stitch', main) as typeof import('@graphql-tools/stitch')
  const schema = stitchSchemas({ subschemas: [buildSchema('type Query { a: Int }')] })
  assert.ok(schema instanceof GraphQLSchema)
  assert.equal(load('@graphql-tools/utils'), before)
  assert.notEqual(load('@graphql-tools/stitch').stitchSchemas, stitchSchemas)
  assert.notEqual(load('graphql').GraphQLSchema, GraphQLSchema)
})

test('an error while the library loads leaves the modules of the project as they were', (t) => {
  const project = temporaryDirectory(t)
  const main = join(project, 'main.js')
  const load = createRequire(main)
  const file = (name: string, text: string) => {
    const path = join(project, 'node_modules', name, 'index.js')
    mkdirSync(join(path, '..'), { recursive: true })
    writeFileSync(path, text)
  }
  file('graphql', 'exports.version = "other"')
  file('@graphql-tools/utils', 'exports.version = require("graphql").version')
  file('@graphql-tools/stitch', 'require("@graphql-tools/utils"); throw new Error("it is broken")')
  const { graphql, utils } = { graphql: load('graphql'), utils: load('@graphql-tools/utils') }
  const before = { ...load.cache }
  const fails = () => assert.throws(() => loadWithOwnGraphql('@graphql-tools/stitch', main), /it is broken/)
  fails()
  fails()
  assert.deepEqual(Object.keys(load.cache), Object.keys(before))
  assert.ok(Object.entries(before).every(([path, module]) => load.cache[path] === module))
  assert.deepEqual([load('graphql'), load('@graphql-tools/utils')], [graphql, utils])
  // Modules that are loaded afterwards have the `graphql` of the project again.
  file('@graphql-tools/schema', 'exports.version = require("graphql").version')
  assert.equal(load('@graphql-tools/schema').version, 'other')
  file('@graphql-tools/stitch', 'exports.version = require("graphql").version')
  assert.notEqual((loadWithOwnGraphql('@graphql-tools/stitch', main) as { version: string }).version, 'other')
  assert.equal(load('@graphql-tools/stitch').version, 'other')
  const missing = `the package "@graphql-tools/none" cannot be loaded: Cannot find module '@graphql-tools/none'`
  assert.throws(() => loadLibrary('@graphql-tools/none', main), { code: 'remote-schema-error', message: missing })
})
