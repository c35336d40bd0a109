// The statuses and messages of each error code, from the code itself. `node scripts/error-codes.ts` writes them into
// docs/errors.md, and keeps the words of people there.

import { globSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const root = join(import.meta.dirname, '..')
const pageFile = join(root, 'docs/errors.md')

/** Where a code is used. */
export interface UsedCode {
  readonly statuses: Set<number>
  /** With `…` for the parts that vary; messages that are made elsewhere are left out. */
  readonly messages: Set<string>
}

/** The constructors of errors with a status, and the code of those that have one of their own. */
const constructors: Readonly<Record<string, { readonly status: number; readonly code?: string }>> = {
  badRequest: { status: 400 },
  unauthorized: { status: 401, code: 'access-denied' },
  notFound: { status: 404, code: 'not-found' },
  conflict: { status: 409, code: 'conflict' },
  internalError: { status: 500, code: 'unexpected' },
  parseFailed: { status: 400, code: 'parse-failed' },
  validationFailed: { status: 400, code: 'validation-failed' },
}

/** A literal of a text, or an expression instead of it. */
interface Literal {
  readonly text: string | null
  readonly end: number
}

/** The literal that begins at a place, with `…` for the parts that vary. */
function literalAt(source: string, start: number): Literal {
  const quote = source[start]!
  if (!/['"`]/.test(quote)) return { text: null, end: start }
  let text = ''
  for (let i = start + 1; i < source.length; i++) {
    if (source[i] === '\\') text += source[++i]
    else if (source[i] === quote) return { text, end: i + 1 }
    else if (quote === '`' && source.startsWith('${', i)) {
      text += '…'
      i = expressionEnd(source, i + 2)
    } else text += source[i]
  }
  return { text: null, end: start }
}

/** The closing brace of an expression in a template. */
function expressionEnd(source: string, start: number): number {
  let depth = 1
  for (let i = start; i < source.length; i++) {
    if (/['"`]/.test(source[i]!)) i = Math.max(i, literalAt(source, i).end - 1)
    else if (source[i] === '{') depth++
    else if (source[i] === '}' && --depth === 0) return i
  }
  return source.length
}

const call = new RegExp(
  `(?<![\\w.])(?:new TrellisError\\(\\s*(\\d{3}),\\s*'([\\w-]+)',|badRequest\\(\\s*'([\\w-]+)',|(${Object.keys(constructors).join('|')})\\()\\s*`,
  'g',
)

/** The codes in all sources. */
export function usedCodes(): ReadonlyMap<string, UsedCode> {
  const found = new Map<string, UsedCode>()
  const note = (code: string, status: number, message: string | null) => {
    const used = found.get(code) ?? { statuses: new Set(), messages: new Set() }
    found.set(code, used)
    used.statuses.add(status)
    if (message !== null && /\p{L}{3}/u.test(message.replaceAll('…', ''))) used.messages.add(message)
  }
  for (const file of globSync(['core/**/*.ts', 'plugins/**/*.ts'], { cwd: root }).sort()) {
    const source = readFileSync(join(root, file), 'utf8')
    for (const match of source.matchAll(call)) {
      const [whole, status, code, badCode, name] = match
      const { text, end } = literalAt(source, match.index + whole.length)
      if (status !== undefined) note(code!, Number(status), text)
      else if (badCode !== undefined) note(badCode, 400, text)
      else if (name !== 'badRequest') {
        const own = constructors[name!]!
        const [, given] = /^,\s*\{[^}]*\bcode: '([\w-]+)'/.exec(source.slice(end)) ?? []
        if (text !== null) note(given ?? own.code!, own.status, text)
      }
    }
  }
  return new Map([...found].sort(([a], [b]) => (a < b ? -1 : 1)))
}

const spanOf = (message: string): string => {
  const text = message.replaceAll('\n', ' ').replaceAll('|', '\\|')
  return text.includes('`') ? `\`\` ${text} \`\`` : `\`${text}\``
}

/** The generated part of a section, below the words of people. */
function generated({ statuses, messages }: UsedCode): string[] {
  const list = [...statuses].sort((a, b) => a - b).join(', ')
  const lines = [...messages]
    .sort((a, b) => (a.toLowerCase() < b.toLowerCase() ? -1 : 1))
    .map((each) => `- ${spanOf(each)}`)
  return [`Status ${list}.${lines.length > 0 ? ' Messages:' : ''}`, ...(lines.length > 0 ? ['', ...lines] : [])]
}

/** The words of people by code, and those before the first section. */
function wordsIn(page: string): { readonly head: string; readonly words: ReadonlyMap<string, string> } {
  const [head = '', ...sections] = page.split(/^## /m)
  const words = sections.map((section): [string, string] => {
    const [code = '', ...lines] = section.split('\n')
    const end = lines.findIndex((line) => line.startsWith('Status '))
    return [
      code,
      lines
        .slice(0, end < 0 ? undefined : end)
        .join('\n')
        .trim(),
    ]
  })
  return { head: head.trim(), words: new Map(words) }
}

/** The page with its words, and statuses and messages of now. */
export function writtenPage(page: string): string {
  const { head, words } = wordsIn(page)
  const sections = [...usedCodes()].map(([code, used]) => {
    return [`## ${code}`, '', words.get(code) ?? '', '', ...generated(used)].join('\n')
  })
  return `${[head, ...sections].join('\n\n')}\n`
}

/** Codes without words, words about codes that are not used, and lists that are not those of the code. */
export function pageFaults(page: string): string[] {
  const { words } = wordsIn(page)
  const used = usedCodes()
  const unexplained = [...used.keys()].filter((code) => !words.get(code))
  const unused = [...words.keys()].filter((code) => !used.has(code))
  const isOld = unexplained.length === 0 && unused.length === 0 && writtenPage(page) !== page
  return [
    ...unexplained.map((code) => `write a section "## ${code}" with the way out, then run node scripts/error-codes.ts`),
    ...unused.map((code) => `no error has the code ${code} any more: run node scripts/error-codes.ts`),
    ...(isOld ? ['a status or message is missing or not used any more: run node scripts/error-codes.ts'] : []),
  ]
}

export const readPage = (): string => readFileSync(pageFile, 'utf8')

if (import.meta.main) writeFileSync(pageFile, writtenPage(readPage()))
