// Part of `npm run check`: the language of pages, comments and titles of tests (`language-rules.ts`), and that each code of
// errors is explained with its messages (`error-codes.ts`).

import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { pageFaults, readPage } from './error-codes.ts'
import { faultsOfComments, faultsOfPage, faultsOfTitles } from './language-rules.ts'

const root = join(import.meta.dirname, '..')
const under = { cwd: root, exclude: ['**/node_modules/**', '**/generated/**'] }
const pages = globSync(['*.md', 'docs/**/*.md', '{console,core,plugins,process,sdk,cli,test}/**/README.md'], under)
const sources = globSync(
  ['{console,core,plugins,process,sdk,cli,scripts,bin,bench,examples,test}/**/*.{ts,tsx}'],
  under,
)

const read = (file: string) => readFileSync(join(root, file), 'utf8')
const faults = [
  ...pages.map((file) => ({ file, found: faultsOfPage(read(file)) })),
  ...sources.map((file) => ({ file, found: [...faultsOfComments(read(file)), ...faultsOfTitles(read(file))] })),
].filter(({ file }) => !file.includes('api-report'))

const lines = faults.flatMap(({ file, found }) =>
  found.map(({ line, sentence, advice }) => `${file}:${line}: ${advice}: ${sentence}`),
)
lines.push(...pageFaults(readPage()).map((fault) => `docs/errors.md: ${fault}`))
for (const line of lines) console.error(line)
if (lines.length > 0) process.exitCode = 1
else console.log(`Checked the language of ${pages.length + sources.length} files.`)
