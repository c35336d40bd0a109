// The blocks of code in a page of Markdown.

/** The plugin that serves the requests of a block, with its settings. */
export interface Served {
  readonly file: string
  readonly settings: Readonly<Record<string, unknown>>
}

export interface Block {
  readonly language: string
  readonly lines: readonly string[]
  /** The line where its code begins, from 1. */
  readonly line: number
  /** Of blocks with requests and answers: said by a comment `served by FILE SETTINGS` before the first of them. */
  readonly served: Served | null
}

/** The blocks of a page; a server of requests applies up to the next heading, across code and other text. */
export function blocksOf(text: string): Block[] {
  const blocks: Block[] = []
  let served: Served | null = null
  let open: { language: string; lines: string[]; line: number } | null = null
  for (const [i, line] of text.split('\n').entries()) {
    const fence = /^```(\w*)$/.exec(line)
    if (open && fence) {
      const isRequest = open.language === 'json' || open.lines.every((each) => each.startsWith('curl '))
      blocks.push({ ...open, served: isRequest ? served : null })
      open = null
    } else if (open) open.lines.push(line)
    else if (fence) open = { language: fence[1] ?? '', lines: [], line: i + 2 }
    else if (line.startsWith('#')) served = null
    else served = servedBy(line) ?? served
  }
  return blocks
}

function servedBy(line: string): Served | null {
  const [, file, settings = '{}'] = /^<!-- served by (\S+)(?: (\{.*\}))? -->$/.exec(line) ?? []
  return file === undefined ? null : { file, settings: JSON.parse(settings) }
}
