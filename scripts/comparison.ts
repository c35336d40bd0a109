// Writes the comparison of scripts/comparison.json into the README and into docs/comparison.md.

import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const root = join(import.meta.dirname, '..')

/** A line of the comparison; `page` is the page of docs/ about the feature. */
export interface ComparedFeature {
  readonly feature: string
  readonly trellis: 'yes' | 'no' | 'not yet'
  readonly engine: string
  readonly successor: string
  readonly page: string
}

/** The lines of the comparison. */
export const comparedFeatures = JSON.parse(
  readFileSync(join(root, 'scripts/comparison.json'), 'utf8'),
) as readonly ComparedFeature[]

/** The pages with the table, and the folder of docs as they see it. */
export const comparisonPages = { 'README.md': 'docs/', 'docs/comparison.md': '' } as const

const head = '| | Trellis | Engine v1.3 | Successor |\n|---|---|---|---|\n'

/** A page with the table as the file has it. */
export function withComparison(page: keyof typeof comparisonPages): string {
  const text = readFileSync(join(root, page), 'utf8')
  const start = text.indexOf(head)
  if (start < 0) throw new Error(`${page} has no table that begins with ${head}`)
  const rest = text.slice(start + head.length)
  const after = rest.split('\n').findIndex((line) => !line.startsWith('|'))
  const lines = comparedFeatures.map(({ feature, trellis, engine, successor, page: about }) => {
    return `| [${feature}](${comparisonPages[page]}${about}.md) | ${trellis} | ${engine} | ${successor} |\n`
  })
  return text.slice(0, start) + head + lines.join('') + rest.split('\n').slice(after).join('\n')
}

if (import.meta.main) {
  for (const page of Object.keys(comparisonPages) as (keyof typeof comparisonPages)[]) {
    writeFileSync(join(root, page), withComparison(page))
  }
}
