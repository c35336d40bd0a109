// A user's project with the package, created and installed as users do.

import { execFile } from 'node:child_process'
import { cpSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)
const root = join(import.meta.dirname, '../..')

/** The Node of the tests comes first, as on a machine where it is installed. */
export const searchPath = `${dirname(process.execPath)}:${process.env['PATH']}`

/** Without this variable, an inner test runner would count as a child of the outer one. */
const { NODE_TEST_CONTEXT: _, ...outer } = process.env
const env = { ...outer, PATH: searchPath }

/** Runs a program to its end; rejects with its output when it fails. */
export async function runIn(directory: string, program: string, ...args: string[]): Promise<string> {
  try {
    return (await run(program, args, { cwd: directory, env, maxBuffer: 2 ** 26 })).stdout
  } catch (error) {
    const { stdout = '', stderr = '' } = Object(error)
    throw new Error(`${program} ${args.join(' ')} failed\n${stdout}${stderr}`)
  }
}

/** Runs a program of this checkout's dependencies. */
export const runTool = (directory: string, tool: string, ...args: string[]): Promise<string> =>
  runIn(directory, process.execPath, join(root, 'node_modules', tool), ...args)

/** The package is made from these folders and files. */
const sources = [
  'bin',
  'cli',
  'console',
  'core',
  'plugins',
  'process',
  'scripts',
  'sdk',
  'docs',
  'examples',
  'test/guide',
]
const files = [
  'package.json',
  'package-lock.json',
  'tsconfig.json',
  'tsconfig.build.json',
  'README.md',
  'LICENSE',
  'CHANGELOG.md',
  ...['ARCHITECTURE.md', 'CONTRIBUTING.md', 'SECURITY.md'],
]

/** Packs a copy of the checkout, whose package.json others read meanwhile; returns the tarball. */
export async function pack(directory: string): Promise<string> {
  const copy = join(directory, 'checkout')
  for (const name of [...sources, ...files]) cpSync(join(root, name), join(copy, name), { recursive: true })
  mkdirSync(join(copy, 'node_modules'))
  for (const name of readdirSync(join(root, 'node_modules'))) {
    if (!name.startsWith('.')) symlinkSync(join(root, 'node_modules', name), join(copy, 'node_modules', name))
  }
  const [{ filename }] = JSON.parse(await runIn(copy, 'npm', 'pack', '--json', '--silent'))
  return join(copy, filename)
}

const readJson = (file: string) => JSON.parse(readFileSync(join(root, file), 'utf8'))

interface LockedPackage {
  readonly dev?: boolean
  readonly devOptional?: boolean
}

/**
 * Installs the package in an empty project. Its dependencies are locked to those of this checkout, so that they come from
 * where `npm ci` has them.
 */
export async function install(tarball: string, project: string): Promise<void> {
  cpSync(join(import.meta.dirname, 'project'), project, { recursive: true })
  const { packages } = readJson('package-lock.json')
  const { name, version, license, dependencies, engines, bin } = readJson('package.json')
  const locked = Object.entries<LockedPackage>(packages).filter(
    ([path, { dev, devOptional }]) => path && !dev && !devOptional,
  )
  const own = { name: 'somebody', private: true, type: 'module', dependencies: { [name]: `file:${tarball}` } }
  const entry = { version, resolved: `file:${tarball}`, license, dependencies, engines, bin }
  writeFileSync(join(project, 'package.json'), JSON.stringify(own))
  writeFileSync(
    join(project, 'package-lock.json'),
    JSON.stringify({
      ...{ name: 'somebody', lockfileVersion: 3, requires: true },
      packages: { '': own, [`node_modules/${name}`]: entry, ...Object.fromEntries(locked) },
    }),
  )
  await runIn(project, 'npm', 'ci', '--prefer-offline', '--no-audit', '--no-fund', '--silent')
}
