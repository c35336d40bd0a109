// Loading and warming up the engine takes more than a second of a processor, so test files share processes, in the
// order of their folders.

import { mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'

/**
 * The most files that share a process, and the fewest processes of a run: it should not end with a single busy process.
 */
const [mostFiles, fewestProcesses] = [18, 6] as const

/** Files that take longest, though not by their size. They start first, each in its own process: the run would end with them. */
const longest = [
  'console/pages',
  'database/silence',
  'oldest-postgres/oldest-postgres',
  'process/stop',
  'process/workers',
  'package/package',
  'console/story',
  'subscriptions/hidden-rows',
  'process/start-outage',
  'process/start',
  'jobs/mongodb',
  'process/directory',
  'http/large-requests',
  'instances/histories',
  'event-triggers/history',
  'process/secrets',
  'database/prepared-memory',
  'process/durability',
  'jobs/process',
  'subscriptions/live',
].map((name) => `${name}.test.ts`)

/**
 * Files that change the process for others or measure it, mock parts that others use, or have hooks for all their
 * tests.
 */
const needsOwn = new RegExp(
  [
    ...[/\bprocess\.env\b.*\b(?:PATH|SERVICE_|PG).* = /, /\bprocess\.(?:on|once)\(/, /\bprocess\.\w*[uU]sage\(/],
    ...[/^import .*\bmock\b/, /\.mock\b/, /^(?:before|after)\(/],
  ]
    .map(({ source }) => source)
    .join('|'),
  'm',
)

/** Files that count as several, since each takes as long: they start servers, or an engine for each operation. */
const weights: readonly (readonly [pattern: RegExp, weight: number])[] = [
  [/\bspawnTrellis\(/, 3],
  [/^testOperations\(/m, 2],
]

const weightOf = (text: string): number => weights.find(([pattern]) => pattern.test(text))?.[1] ?? 1

/** Divides files into those of one process each, the process that takes longest first. */
export function groupFiles(files: readonly string[]): readonly (readonly string[])[] {
  const place = (file: string) => longest.findIndex((end) => file.endsWith(end))
  const isLong = (file: string) => place(file) >= 0
  const first = files.filter(isLong).sort((one, other) => place(one) - place(other))
  const groups: string[][] = []
  /** The last group that takes more files, and how many. */
  let [last, room]: [string[], number] = [[], 0]
  const most = Math.min(mostFiles, Math.ceil(files.length / fewestProcesses))
  for (const file of files.filter((each) => !isLong(each))) {
    const text = readFileSync(file, 'utf8')
    if (needsOwn.test(text)) {
      groups.push([file])
      continue
    }
    const weight = weightOf(text)
    if (weight > room) {
      ;[last, room] = [[], most]
      groups.push(last)
    }
    last.push(file)
    room -= weight
  }
  const size = (group: readonly string[]) => group.reduce((sum, file) => sum + sizeOf(file), 0)
  return [...first.map((file) => [file]), ...groups.sort((one, other) => size(other) - size(one))]
}

/** The size of a test file, and of the module beside it that it is named after. */
const sizeOf = (file: string): number =>
  statSync(file).size + (statSync(file.replace('.test.ts', '.ts'), { throwIfNoEntry: false })?.size ?? 0)

/** Writes the entry of each group to a directory, and returns its files by the path of the entry. */
export function writeEntries(
  groups: readonly (readonly string[])[],
  directory: string,
): Map<string, readonly string[]> {
  mkdirSync(directory, { recursive: true })
  return new Map(
    groups.map((group, i) => {
      const [first = ''] = group
      if (group.length === 1) return [first, group]
      const entry = join(directory, `${basename(dirname(first))}-${i}.mjs`)
      writeFileSync(entry, group.map((file) => `import '${pathToFileURL(file)}'\n`).join(''))
      return [entry, group]
    }),
  )
}
