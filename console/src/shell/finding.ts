// Finding commands by a part of their titles.

import UFuzzy from '@leeoniya/ufuzzy'

interface Named {
  readonly title: string
  readonly kind: string
}

const fuzzy = new UFuzzy({ intraMode: 1 })

/** Results that are shown at once. */
const shownResults = 50

/** Names of which the best are found; with more, those of the whole list in its order. */
const rankedNames = 1000

/** Signs that choose a kind. */
const kinds: Readonly<Record<string, string>> = { '>': 'command', '@': 'role' }

/** The commands whose titles fit a text, the best first. */
export function found<T extends Named>(commands: readonly T[], text: string): readonly T[] {
  const kind = kinds[text[0] ?? '']
  const offered = kind === undefined ? commands : commands.filter((command) => command.kind === kind)
  const needle = (kind === undefined ? text : text.slice(1)).trim()
  if (needle === '') return offered.slice(0, shownResults)
  const titles = offered.map(({ title }) => title)
  const [indexes, info, order] = fuzzy.search(titles, needle, 1, rankedNames)
  if (!indexes) return []
  const ordered = info && order ? order.map((at) => info.idx[at]!) : indexes
  return ordered.slice(0, shownResults).map((at) => offered[at]!)
}
