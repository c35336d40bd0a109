// The text of a case: a title, then steps. Sections that begin with `---` are sent, and sections that begin with `===` are
// the answers, which the harness writes.

/** A GraphQL request, a raw body for an endpoint, an introspection by a role, or a query that reads the database. */
export type StepKind = 'request' | 'body' | 'schema' | 'database'

export interface Step {
  readonly kind: StepKind
  /** In the order of the file, names as written. */
  readonly headers: readonly (readonly [name: string, value: string])[]
  /** The GraphQL document, the body, the names of types, or the SQL. */
  readonly text: string
  /** JSON text; null when the request has none. */
  readonly variables: string | null
}

/** A section of the recording: its heading after `===`, and its text. */
export interface Recorded {
  readonly heading: string
  readonly text: string
}

export interface Case {
  readonly title: string
  readonly steps: readonly (Step & { readonly recorded: readonly Recorded[] })[]
}

const kinds: readonly string[] = ['request', 'body', 'schema', 'database'] satisfies StepKind[]
const sectionLine = /^(---|===) (.+)$/
const headerLine = /^([\w-]+): (.*)$/

/** Reads a case; throws an Error that names the fault. */
export function parseCase(text: string): Case {
  const [title = '', ...sections] = splitSections(text)
  if (title.trim() === '') throw new Error('a case begins with what it shows, in words')
  if (sections.length === 0) throw new Error('a case has at least one step')
  const steps: (Step & { recorded: Recorded[] })[] = []
  for (const section of sections) {
    const newline = section.indexOf('\n')
    const [, mark, heading = ''] = sectionLine.exec(newline < 0 ? section : section.slice(0, newline))!
    const body = trimmed(newline < 0 ? '' : section.slice(newline + 1))
    const step = steps.at(-1)
    if (mark === '---' && kinds.includes(heading)) steps.push({ ...readStep(heading as StepKind, body), recorded: [] })
    else if (!step) throw new Error(`"${mark} ${heading}" belongs to no step`)
    else if (mark === '===') step.recorded.push({ heading, text: body })
    else if (heading === 'variables') steps[steps.length - 1] = { ...step, variables: body }
    else throw new Error(`no such section: "--- ${heading}"`)
  }
  return { title: title.trim(), steps }
}

/** The text of a case; {@link parseCase} reads it back as the same case. */
export function printCase({ title, steps }: Case): string {
  return `${[title, ...steps.flatMap(printStep)].join('\n\n')}\n`
}

function printStep({ kind, headers, text, variables, recorded }: Case['steps'][number]): string[] {
  const head = headers.map(([name, value]) => `${name}: ${value}\n`).join('')
  const sections = [`--- ${kind}\n${head}${head === '' ? '' : '\n'}${text}`.trimEnd()]
  if (variables !== null) sections.push(`--- variables\n${variables}`)
  for (const { heading, text: body } of recorded) sections.push(`=== ${heading}${body === '' ? '' : `\n${body}`}`)
  return sections
}

function splitSections(text: string): string[] {
  const sections = ['']
  for (const line of text.split('\n')) {
    if (sectionLine.test(line)) sections.push(line)
    else sections[sections.length - 1] += `${sections.at(-1) === '' ? '' : '\n'}${line}`
  }
  return sections
}

/** Without empty lines at both ends. */
const trimmed = (text: string): string => text.replace(/^(?:[ \t]*\n)+/, '').trimEnd()

function readStep(kind: StepKind, body: string): Step {
  const lines = body.split('\n')
  const headers: (readonly [string, string])[] = []
  while (headers.length < lines.length) {
    const header = headerLine.exec(lines[headers.length]!)
    if (!header) break
    headers.push([header[1]!, header[2]!])
  }
  const text = headers.length > 0 ? trimmed(lines.slice(headers.length).join('\n')) : body
  return { kind, headers, text, variables: null }
}
