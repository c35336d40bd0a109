// Keys of the whole console. Single letters never act in a field, and can be switched off.

import { useEffect } from 'react'
import { preference } from '../base/preferences.ts'
import type { ConsolePage } from './contract.ts'
import { isDrawerOpen, isHelpOpen, isPaletteOpen } from './overlays.ts'

/** Whether single letters act. */
export const hasLetterKeys = preference('letter-keys', true, (value) => typeof value === 'boolean')

/** Milliseconds in which a letter follows `g`. */
const letterWithin = 1500

const isTyping = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement &&
  (target.isContentEditable ||
    target.closest('input, textarea, select, [role="dialog"], [role="grid"] [data-editing]') !== null)

/** Moves to the tab before or after the chosen one. */
function stepTab(step: number): void {
  const tabs = [...document.querySelectorAll<HTMLElement>('main [data-tabs] [role="tab"]')]
  const chosen = tabs.findIndex((tab) => tab.getAttribute('aria-selected') === 'true')
  tabs[(chosen + step + tabs.length) % tabs.length]?.click()
}

const singleKeys: Readonly<Record<string, (event: KeyboardEvent) => void>> = {
  '?': () => isHelpOpen.set(true),
  '/': (event) => {
    const filter = document.querySelector<HTMLElement>('main [data-filter]')
    if (!filter) return
    event.preventDefault()
    filter.focus()
  },
  '[': () => stepTab(-1),
  ']': () => stepTab(1),
}

/** Follows the keys of the console. */
export function useKeys(pages: readonly ConsolePage[], go: (path: string) => void): void {
  useEffect(() => {
    let pressedG = 0
    const follow = (event: KeyboardEvent) => {
      const key = event.key.toLowerCase()
      if ((event.ctrlKey || event.metaKey) && !event.altKey && !event.shiftKey && (key === 'k' || key === 'j')) {
        event.preventDefault()
        const overlay = key === 'k' ? isPaletteOpen : isDrawerOpen
        overlay.set(!overlay.get())
        return
      }
      if (event.ctrlKey || event.metaKey || event.altKey || !hasLetterKeys.get() || isTyping(event.target)) return
      const page = event.timeStamp - pressedG < letterWithin ? pages.find(({ letter }) => letter === key) : undefined
      pressedG = key === 'g' ? event.timeStamp : 0
      if (page) {
        event.preventDefault()
        go(page.id)
      } else singleKeys[event.key]?.(event)
    }
    window.addEventListener('keydown', follow)
    return () => window.removeEventListener('keydown', follow)
  }, [pages, go])
}
