// The folders of cases. A subject names its fixture in `subject.json`; everything else in its folder is a case.

import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { GivenSettings } from '../../../core/engine/options.ts'

const goldenDirectory = join(import.meta.dirname, '..')
const fixturesDirectory = join(goldenDirectory, 'fixtures')

export interface Subject {
  readonly name: string
  /** Paths of the cases, by name. */
  readonly cases: ReadonlyMap<string, string>
}

/** Subjects that one server can serve: same fixture, same settings. */
export interface SubjectGroup {
  readonly fixture: string
  readonly directory: string
  readonly settings: GivenSettings
  readonly subjects: Subject[]
}

export interface Subjects {
  readonly groups: readonly SubjectGroup[]
  /** Files and folders that belong to no case, or do not make a valid one. */
  readonly problems: readonly string[]
}

/** All cases, or those whose `subject/name` holds one of the words. */
export function readSubjects(words: readonly string[]): Subjects {
  const groups = new Map<string, SubjectGroup>()
  const problems: string[] = []
  const used = new Set<string>()
  for (const name of foldersIn(goldenDirectory).filter((folder) => folder !== 'harness' && folder !== 'fixtures')) {
    const declared = readSubjectFile(name)
    if (typeof declared === 'string') {
      problems.push(declared)
      continue
    }
    const { fixture, settings } = declared
    used.add(fixture)
    const { cases, stray } = readCases(name)
    if (cases.size === 0) problems.push(`${name} has no case`)
    problems.push(...stray.map((file) => `${name}/${file} is no case`))
    const chosen = words.length === 0 ? cases : choose(cases, (key) => words.some((w) => `${name}/${key}`.includes(w)))
    if (chosen.size === 0) continue
    const key = JSON.stringify([fixture, settings])
    const group = groups.get(key) ?? { fixture, directory: join(fixturesDirectory, fixture), settings, subjects: [] }
    groups.set(key, group)
    group.subjects.push({ name, cases: chosen })
  }
  const unused = foldersIn(fixturesDirectory).filter((fixture) => !used.has(fixture))
  problems.push(...unused.map((fixture) => `no subject uses the fixture ${fixture}`))
  return { groups: [...groups.values()], problems }
}

const foldersIn = (directory: string): string[] =>
  readdirSync(directory, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => name)
    .sort()

/** The content of a subject's file, or the fault in it. */
function readSubjectFile(name: string): { readonly fixture: string; readonly settings: GivenSettings } | string {
  const path = join(goldenDirectory, name, 'subject.json')
  if (!existsSync(path)) return `${name} has no subject.json`
  const { fixture, settings = {}, ...others } = JSON.parse(readFileSync(path, 'utf8'))
  if (typeof fixture !== 'string' || Object.keys(others).length > 0) {
    return `${name}/subject.json does not hold just a "fixture" and, if need be, "settings"`
  }
  return existsSync(join(fixturesDirectory, fixture)) ? { fixture, settings } : `there is no fixture ${fixture}`
}

function readCases(name: string): { readonly cases: ReadonlyMap<string, string>; readonly stray: readonly string[] } {
  const cases = new Map<string, string>()
  const stray: string[] = []
  for (const file of readdirSync(join(goldenDirectory, name)).sort()) {
    if (file.endsWith('.golden')) cases.set(file.slice(0, -'.golden'.length), join(goldenDirectory, name, file))
    else if (file !== 'subject.json') stray.push(file)
  }
  return { cases, stray }
}

const choose = (cases: ReadonlyMap<string, string>, isChosen: (name: string) => boolean): Map<string, string> =>
  new Map([...cases].filter(([name]) => isChosen(name)))
