// Texts that belong to one tab of the browser, such as edits that are not saved yet: other tabs do not show them.

import { newId } from './ids.ts'
import { kept, keptDays } from './kept.ts'

function tabName(): string {
  const key = 'trellis:console:tab'
  const name = sessionStorage.getItem(key) ?? `${Date.now()}-${newId().slice(0, 8)}`
  sessionStorage.setItem(key, name)
  return name
}

const tab = tabName()

/** The beginning of the keys of a kind of texts of this tab. Old texts of other tabs are removed. */
export function tabKeys(kind: string): string {
  const prefix = `${kind}:`
  for (const key of kept.keys(prefix)) {
    const openedAt = Number.parseInt(key.slice(prefix.length), 10)
    if (Date.now() - openedAt > keptDays * 86_400_000) kept.set(key, null)
  }
  return `${prefix}${tab}:`
}
