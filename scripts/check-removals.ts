// Proves, by doing it in copies, that feature areas can be removed, each with those that declare to depend on it. Without
// the folders and their lines in the list of plugins, the remaining code has to compile, start and serve. Several areas are
// removed at a time, so that for every two areas one is once absent while the other is there. After a failure,
// `node scripts/check-removals.ts AREA…` removes one area at a time.

import { execFile, spawn } from 'node:child_process'
import { cpSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import {
  makeDatabase,
  makeTemporaryDirectory,
  onServer,
  startTemporary,
  withTemplate,
} from '../sdk/testing/postgres.ts'
import { requestsTo } from '../sdk/testing/requests.ts'
import { dependenciesOf } from './imports.ts'

const root = join(import.meta.dirname, '..')
const run = promisify(execFile)

const areas = readdirSync(join(root, 'plugins'), { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map(({ name }) => name)
const dependencies = new Map(areas.map((area) => [area, dependenciesOf(root, area)]))

/** An area with all that cannot be without it. */
function withDependents(area: string): readonly string[] {
  const removed = new Set([area])
  for (const each of removed) {
    for (const [other, needed] of dependencies) if (needed.includes(each)) removed.add(other)
  }
  return [...removed]
}

/** Sets of areas to remove; each area is absent in one of them while any other that can do without it is there. */
function removalSets(): readonly (readonly string[])[] {
  const closed = new Map(areas.map((area) => [area, withDependents(area)]))
  const missing = new Set(
    areas.flatMap((gone) => areas.filter((kept) => !closed.get(gone)!.includes(kept)).map((kept) => `${gone} ${kept}`)),
  )
  const newPairs = (removed: ReadonlySet<string>): readonly string[] =>
    [...missing].filter((pair) => {
      const [gone = '', kept = ''] = pair.split(' ')
      return removed.has(gone) && !removed.has(kept)
    })
  const sets: (readonly string[])[] = []
  while (missing.size > 0) {
    let removed: ReadonlySet<string> = new Set()
    for (let gain = 0; ; ) {
      const larger = areas
        .filter((area) => !removed.has(area))
        .map((area) => {
          const next: ReadonlySet<string> = new Set([...removed, ...closed.get(area)!])
          return { next, gain: newPairs(next).length }
        })
      const best = larger.reduce((one, other) => (other.gain > one.gain ? other : one), { next: removed, gain })
      if (best.gain === gain) break
      ;({ next: removed, gain } = best)
    }
    for (const pair of newPairs(removed)) missing.delete(pair)
    sets.push([...removed])
  }
  return sets
}

/** The product without its tests, to take areas from. */
function copyTree(): string {
  const copy = makeTemporaryDirectory()
  const files = ['bin', 'cli', 'core', 'process', 'sdk', 'package.json', 'tsconfig.json', 'tsconfig.build.json']
  for (const name of files) cpSync(join(root, name), join(copy, name), { recursive: true })
  symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'))
  return copy
}

function removeAreas(copy: string, removed: readonly string[]): void {
  const plugins = join(copy, 'plugins')
  rmSync(plugins, { recursive: true, force: true })
  cpSync(join(root, 'plugins'), plugins, { recursive: true })
  for (const area of removed) rmSync(join(plugins, area), { recursive: true })
  const list = join(plugins, 'index.ts')
  let text = readFileSync(list, 'utf8')
  for (const area of removed) {
    const line = new RegExp(`^import (\\w+) from './${area}/index.ts'\\n`, 'm')
    const name = line.exec(text)?.[1]
    if (name === undefined) throw new Error(`${area} has no line in plugins/index.ts`)
    text = text.replace(line, '').replace(new RegExp(`^ +${name},\\n`, 'm'), '')
  }
  writeFileSync(list, text)
}

/** Without declarations, and without dividing files among checkers that repeat each other's work: half the time. */
const compilerOptions = ['--noEmit', '--declaration', 'false', '--declarationMap', 'false', '--checkers', '1']

async function compile(copy: string): Promise<void> {
  const compiler = join(root, 'node_modules/typescript/bin/tsc')
  try {
    await run(process.execPath, [compiler, '-p', 'tsconfig.build.json', ...compilerOptions], { cwd: copy })
  } catch (error) {
    throw new Error(`does not compile\n${Object(error).stdout}`)
  }
}

/** Starts the program, waits until it listens, and asks it something that it can still answer. */
async function serve(copy: string, databaseUrl: string, removed: readonly string[]): Promise<void> {
  const args = ['bin/trellis.ts', 'serve', '--server-port', '0', '--database-url', databaseUrl]
  const env = { PATH: process.env['PATH'] ?? '', NODE_COMPILE_CACHE: join(copy, '.compile-cache') }
  const child = spawn(process.execPath, args, { cwd: copy, env })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk) => {
      output += chunk
    })
  }
  const ended = new Promise((done) => child.once('close', done))
  const listening = new Promise<string>((done, failed) => {
    child.stderr.on('data', () => {
      const url = /Listening +(\S+)/.exec(output)?.[1]
      if (url !== undefined) done(url)
    })
    ended.then(() => failed(new Error(`does not start\n${output}`)))
  })
  try {
    await ask(await listening, (area) => !removed.includes(area))
  } finally {
    child.kill('SIGTERM')
    await ended
  }
}

async function ask(url: string, has: (area: string) => boolean): Promise<void> {
  const request = requestsTo(url, { dialect: 'trellis' })
  const expect = async (status: number, path: string, body?: unknown) => {
    const answer = await request(path, body === undefined ? {} : { body })
    if (answer.status !== status) throw new Error(`answers ${path} with ${answer.status}: ${answer.text}`)
    return answer.text
  }
  if (has('metadata')) await expect(200, '/v1/query', { type: 'export_metadata', args: {} })
  if (has('tables')) await expect(200, '/v1/query', { type: 'track_table', args: 'harbour' })
  if (has('tables') && has('graphql')) {
    const text = await expect(200, '/v1/graphql', { query: '{ harbour(where: {id: {_gt: 0}}) { id } }' })
    if (text !== '{"data":{"harbour":[{"id":1}]}}') throw new Error(`answers a query with ${text}`)
  }
  await expect(has('health') ? 200 : 404, '/healthz')
}

const words = process.argv.slice(2)
const waiting =
  words.length === 0 ? [...removalSets()] : areas.filter((area) => words.includes(area)).map(withDependents)
const postgres = await withTemplate(await startTemporary())
let failures = 0

/** Removes one set after the other from a copy of its own. */
async function work(): Promise<void> {
  const copy = copyTree()
  for (let removed = waiting.shift(); removed; removed = waiting.shift()) {
    const { url, drop } = await makeDatabase(postgres)
    try {
      removeAreas(copy, removed)
      await onServer(url, 'create table harbour as select 1 as id')
      await Promise.all([compile(copy), serve(copy, url, removed)])
      console.log(`without ${removed.join(', ')}: compiles, starts, serves`)
    } catch (error) {
      failures++
      console.error(`without ${removed.join(', ')}: ${error instanceof Error ? error.message : error}`)
    } finally {
      await drop()
    }
  }
  rmSync(copy, { recursive: true, force: true })
}

await Promise.all([work(), work()])
await postgres.stop()
if (failures > 0) process.exitCode = 1
