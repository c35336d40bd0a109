// The imports of the tree, by the files that have them.

import { globSync, readFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'

export interface Import {
  /** Paths relative to the root. */
  readonly from: string
  readonly to: string
  /** Whether nothing of it is left when types are stripped. */
  readonly isType: boolean
}

const statement = /^(?:import|export)\s+(type\s+)?(?:[^'";]*?\sfrom\s+)?'([^']+)'/gm
const dynamic = /\bimport\('([^']+)'\)/g

/** All imports of files by relative paths, of all TypeScript files in the folders. */
export function importsOf(root: string, folders: readonly string[]): Import[] {
  const files = folders.flatMap((folder) => globSync(`${folder}/**/*.ts`, { cwd: root }))
  return files
    .filter((file) => !file.includes('node_modules'))
    .flatMap((from) => {
      const text = readFileSync(join(root, from), 'utf8')
      const found = [
        ...[...text.matchAll(statement)].map(([, type, to]) => ({ to: to!, isType: type !== undefined })),
        ...[...text.matchAll(dynamic)].map(([, to]) => ({ to: to!, isType: false })),
      ]
      return found
        .filter(({ to }) => to.startsWith('.') && to.endsWith('.ts'))
        .map(({ to, isType }) => ({ from, to: normalize(join(dirname(from), to)), isType }))
    })
}

/** The files that import each other in a circle, each circle as a sorted list. */
export function circlesOf(imports: readonly Import[]): string[][] {
  const targets = new Map<string, string[]>()
  for (const { from, to } of imports) targets.set(from, [...(targets.get(from) ?? []), to])
  const numbers = new Map<string, number>()
  const lowest = new Map<string, number>()
  const stack: string[] = []
  const circles: string[][] = []
  const visit = (file: string): void => {
    numbers.set(file, numbers.size)
    lowest.set(file, numbers.get(file)!)
    stack.push(file)
    for (const target of targets.get(file) ?? []) {
      if (!numbers.has(target)) visit(target)
      if (stack.includes(target)) lowest.set(file, Math.min(lowest.get(file)!, lowest.get(target)!))
    }
    if (lowest.get(file) !== numbers.get(file)) return
    const members = stack.splice(stack.indexOf(file))
    if (members.length > 1) circles.push(members.sort())
  }
  for (const file of targets.keys()) if (!numbers.has(file)) visit(file)
  return circles
}

/** The plugins that one declares to depend on. */
export function dependenciesOf(root: string, plugin: string): readonly string[] {
  const text = readFileSync(join(root, 'plugins', plugin, 'index.ts'), 'utf8')
  const [, list = ''] = /dependencies: \[([^\]]*)\]/.exec(text) ?? []
  return [...list.matchAll(/'([^']+)'/g)].map(([, name]) => name!)
}
