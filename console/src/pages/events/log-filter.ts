// The log's filters as people type them: values of columns, and session variables.

/** A text that is not a filter yet. */
export class LogFilterFault extends Error {}

const comparison = /^\s*(?:(old|new)\.)?("(?:[^"]|"")+"|[\w$-]+)\s*=\s*(.+?)\s*$/s

/** A value as JSON, or else as the text that it is. */
function typedValue(text: string): unknown {
  if (/^'.*'$/s.test(text)) return text.slice(1, -1).replaceAll("''", "'")
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

interface Comparison {
  readonly side: 'old' | 'new' | null
  readonly name: string
  readonly value: unknown
}

function readComparison(text: string): Comparison {
  const [, side, name, value] = comparison.exec(text) ?? []
  if (name === undefined || value === undefined) throw new LogFilterFault('expected a comparison, as name = Rock')
  return {
    side: side === 'old' || side === 'new' ? side : null,
    name: name.startsWith('"') ? name.slice(1, -1).replaceAll('""', '"') : name,
    value: typedValue(value),
  }
}

/** The word between comparisons, outside of quotes. */
const and = /\s+and\s+(?=(?:[^'"]*(?:'[^']*'|"[^"]*"))*[^'"]*$)/i

const comparisonsIn = (text: string): readonly Comparison[] => text.split(and).map(readComparison)

/** The part of the payload that events have: JSON, or values of columns as `name = Rock and old.total = 5`. */
export function payloadFilter(text: string, op: string): unknown {
  if (text.trim() === '') return undefined
  if (text.trim().startsWith('{')) {
    try {
      return JSON.parse(text)
    } catch {
      throw new LogFilterFault('not JSON yet')
    }
  }
  const rows: Record<'old' | 'new', [string, unknown][]> = { old: [], new: [] }
  for (const { side, name, value } of comparisonsIn(text)) {
    rows[side ?? (op === 'DELETE' ? 'old' : 'new')].push([name, value])
  }
  const data = Object.entries(rows).filter(([, entries]) => entries.length > 0)
  return { data: Object.fromEntries(data.map(([side, entries]) => [side, Object.fromEntries(entries)])) }
}

/** The session variables that changes were made with, as `role = clerk and user-id = 2`. */
export function sessionFilter(text: string, prefix: string): Readonly<Record<string, string>> | undefined {
  if (text.trim() === '') return undefined
  const entries = comparisonsIn(text).map(({ name, value }) => {
    const lower = name.toLowerCase()
    return [
      lower.startsWith(prefix) ? lower : `${prefix}${lower}`,
      typeof value === 'string' ? value : JSON.stringify(value),
    ]
  })
  return Object.fromEntries(entries)
}
