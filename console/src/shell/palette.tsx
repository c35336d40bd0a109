import { Dialog } from '@base-ui/react/dialog'
import { useQuery } from '@tanstack/react-query'
import { type KeyboardEvent, useMemo, useState } from 'react'
import { copyText } from '../base/clipboard.ts'
import { useDebounced } from '../base/debounced.ts'
import { density, nextDensity } from '../base/density.ts'
import { useStore } from '../base/store.ts'
import { codeForms } from '../requests/code.ts'
import { loggedCode, requestLog } from '../requests/log.ts'
import type { Command, ConsolePage } from './contract.ts'
import { found } from './finding.ts'
import { isDrawerOpen, isHelpOpen, isPaletteOpen } from './overlays.ts'
import css from './palette.module.css'
import { nextTheme, theme } from './theme.ts'

/** The commands of the shell itself. */
const shellCommands: readonly Command[] = [
  { id: 'requests', title: 'Show requests', kind: 'command', run: () => isDrawerOpen.set(true) },
  { id: 'theme', title: 'Change theme', kind: 'command', run: () => theme.set(nextTheme()) },
  { id: 'density', title: 'Change density', kind: 'command', run: () => density.set(nextDensity()) },
  { id: 'keys', title: 'List keys', kind: 'command', run: () => isHelpOpen.set(true) },
  ...codeForms.map((form) => ({
    ...{ id: `copy ${form}`, title: `Copy last request as ${form}`, kind: 'command' },
    run: () => {
      const [last] = requestLog.get()
      const text = last && loggedCode(last, form)
      if (text) void copyText(text)
    },
  })),
]

/** Signs that choose a kind. */
const prefixes = ['>', '@', '#']

/** Milliseconds after the last key until the server searches. */
const restMillis = 150

/** The palette: everything by its name. */
export function Palette({ pages, go }: { readonly pages: readonly ConsolePage[]; go(path: string): void }) {
  const isOpen = useStore(isPaletteOpen)
  return (
    <Dialog.Root open={isOpen} onOpenChange={(opens) => isPaletteOpen.set(opens)}>
      <Dialog.Portal>
        <Dialog.Backdrop className={css['veil']} />
        <Dialog.Popup className={css['palette']} aria-label="Go to">
          <Search pages={pages} go={go} />
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  )
}

function Search({ pages, go }: { readonly pages: readonly ConsolePage[]; go(path: string): void }) {
  const [text, setText] = useState('')
  const [chosen, setChosen] = useState(0)
  const offered = useQuery({
    queryKey: ['palette', pages.map(({ id }) => id)],
    queryFn: async () => {
      const lists = await Promise.allSettled(pages.map((page) => page.commands?.() ?? []))
      return lists.flatMap((list) => (list.status === 'fulfilled' ? list.value : []))
    },
  })
  const rested = useDebounced(text.trim(), restMillis)
  const searched = useQuery({
    queryKey: ['palette', 'search', pages.map(({ id }) => id), rested],
    enabled: rested.length > 1 && !prefixes.includes(rested[0]!),
    queryFn: async ({ signal }) => {
      const lists = await Promise.allSettled(pages.map((page) => page.search?.(rested, signal) ?? []))
      return lists.flatMap((list) => (list.status === 'fulfilled' ? list.value : []))
    },
  })
  const results = useMemo(() => {
    const ofPages = pages
      .filter(({ isListed = true }) => isListed)
      .map(({ id, title }) => ({ id: `page ${id}`, title, kind: 'page', path: id }))
    const id = text.startsWith('#') ? text.slice(1).trim() : ''
    if (id !== '') return pages.flatMap((page) => page.byId?.(id) ?? [])
    const named = found([...ofPages, ...shellCommands, ...(offered.data ?? [])], text)
    return [...named, ...(text.trim() === rested ? (searched.data ?? []) : [])]
  }, [pages, offered.data, searched.data, rested, text])
  const run = (command: Command | undefined) => {
    if (!command) return
    isPaletteOpen.set(false)
    if (command.path === undefined) command.run?.()
    else go(command.path)
  }
  const follow = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
    if (event.key === 'Enter') run(results[chosen])
    if (step === undefined) return
    event.preventDefault()
    setChosen((chosen + step + results.length) % Math.max(results.length, 1))
  }
  return (
    <>
      <input
        className={css['input']}
        placeholder="Go to a table, a page, a command"
        aria-label="Search"
        role="combobox"
        aria-expanded
        aria-controls="palette-results"
        aria-activedescendant={results.length > 0 ? `palette-${chosen}` : undefined}
        value={text}
        onChange={(event) => {
          setText(event.target.value)
          setChosen(0)
        }}
        onKeyDown={follow}
      />
      <div className={css['results']} id="palette-results" role="listbox" aria-label="Results">
        {results.map((command, index) => (
          // biome-ignore lint/a11y/useKeyWithClickEvents: the keys are those of the field.
          <div
            key={command.id}
            id={`palette-${index}`}
            ref={index === chosen ? (element) => element?.scrollIntoView({ block: 'nearest' }) : undefined}
            role="option"
            tabIndex={-1}
            aria-selected={index === chosen}
            className={css['result']}
            onClick={() => run(command)}
          >
            <span className={css['name']}>{command.title}</span>
            <span className={css['kind']}>{command.kind}</span>
          </div>
        ))}
      </div>
      {results.length === 0 && <p className={css['none']}>Nothing has this name.</p>}
      <p className={css['hints']}>
        <kbd>{'>'}</kbd> commands <kbd>@</kbd> roles <kbd>#</kbd> id of an event or request <kbd>↑↓</kbd> choose{' '}
        <kbd>↵</kbd> go
      </p>
    </>
  )
}
