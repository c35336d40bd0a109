// The rules of `check-language.ts`: constructions that make a reader go back, in docs and in comments.

/** Words in a sentence from which on it has to be split. */
export const longestSentence = 40

/** Patterns of a sentence that hide its subject, with the advice that the check prints. */
const patterns: readonly (readonly [pattern: RegExp, advice: string])[] = [
  [/\b(?:is|are|was|were) none\b/i, 'say "is not a …" or "there is no …"'],
  [/\b(?:whoever|whatever|nobody|somebody) (?:is|are|has|was|does|who|that|can|may)\b/i, 'name the subject'],
  [/\b(?:is|are|was|were) told\b/i, 'say who receives which message'],
  [/^(?:What|Who|Whoever|Whatever|Whom) [a-z][^?]*$/, 'start with a noun'],
  [/\b(?<!\bthere )(?:is|are|was|were) no (?!longer|more|less|such|other|fewer)[a-z]+/i, 'say "is not a …"'],
  [/\bhas (?:it|them|that) [a-z]+ed\b/i, 'use an active verb'],
  [/\bin place of what\b/i, 'name the thing'],
  [/\bstands? around\b/i, 'name the hook'],
]

/** A sentence that breaks a rule. */
export interface LanguageFault {
  readonly line: number
  readonly sentence: string
  readonly advice: string
}

interface Paragraph {
  readonly line: number
  readonly text: string
}

/** The faults in a page of Markdown. */
export const faultsOfPage = (page: string): LanguageFault[] => paragraphsOfPage(page).flatMap(faultsIn)

/** The faults in the comments of a TypeScript file. */
export const faultsOfComments = (source: string): LanguageFault[] => commentsOf(source).flatMap(faultsIn)

/** The faults in the titles of a test file, which are sentences without a capital letter at the beginning. */
export const faultsOfTitles = (source: string): LanguageFault[] => titlesOf(source).flatMap(faultsIn)

function faultsIn({ line, text }: Paragraph): LanguageFault[] {
  return text.split(/(?<=[.!?:;])\s+(?=[A-Z`*_])/).flatMap((sentence) => {
    const words = sentence.split(/\s+/).filter((word) => /\w/.test(word)).length
    const tooLong = words > longestSentence ? [`split the sentence: it has ${words} words`] : []
    const broken = patterns.flatMap(([pattern, advice]) => (pattern.test(sentence) ? [advice] : []))
    return [...tooLong, ...broken].map((advice) => ({ line, sentence: sentence.slice(0, 120), advice }))
  })
}

/** Paragraphs and list items of Markdown, without code, tables and headings; code in a line counts as one word. */
function paragraphsOfPage(page: string): Paragraph[] {
  const paragraphs: { line: number; text: string }[] = []
  let isCode = false
  let open = false
  for (const [index, line] of page.split('\n').entries()) {
    if (/^\s*```/.test(line)) isCode = !isCode
    const isProse = !isCode && !/^\s*(```|\||#|!\[|<)/.test(line) && line.trim() !== ''
    if (!isProse) {
      open = false
      continue
    }
    const text = line.trim().replace(/`[^`]*`/g, 'code')
    const item = /^(?:[-*]|\d+\.) (.*)/.exec(text)
    if (open && !item) paragraphs.at(-1)!.text += ` ${text}`
    else paragraphs.push({ line: index + 1, text: item?.[1] ?? text })
    open = true
  }
  return paragraphs
}

/** Comments of TypeScript: neighbouring lines make one paragraph. */
function commentsOf(source: string): Paragraph[] {
  const paragraphs: { line: number; text: string; last: number }[] = []
  for (const [index, line] of source.split('\n').entries()) {
    const found = /^\s*(?:\/\/|\/\*\*?|\*(?!\/))\s?(.*?)(?:\*\/)?\s*$/.exec(line)?.[1]
    if (found === undefined || found.trim() === '' || /^\s*(?:@|#|biome-)/.test(found)) continue
    const text = found.trim().replace(/`[^`]*`/g, 'code')
    const previous = paragraphs.at(-1)
    const begins = /^\s*\/\*\*/.test(line)
    if (previous && previous.last === index - 1 && !begins) {
      previous.text += ` ${text}`
      previous.last = index
    } else paragraphs.push({ line: index + 1, text, last: index })
  }
  return paragraphs
}

/** Titles of tests; an interpolation counts as one word. */
function titlesOf(source: string): Paragraph[] {
  return [...source.matchAll(/\btest\(\s*(['"`])((?:(?!\1).)+)\1/g)].map(({ index, 2: title }) => ({
    line: source.slice(0, index).split('\n').length,
    text: title!.charAt(0).toUpperCase() + title!.slice(1).replace(/\$\{[^}]*\}/g, 'code'),
  }))
}
