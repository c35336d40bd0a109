// Typed values of a form: they are kept until the form is saved or given up.

import { useRef, useState } from 'react'
import { kept, keptDays } from './kept.ts'
import { withoutSecrets, withSecrets } from './kept-secrets.ts'
import { isObject } from './objects.ts'

/** Characters beyond which a form is in memory alone: all kept texts are read before the page starts. */
const keptCharacters = 100_000

const prefix = 'form:'

function partsOf(key: string): readonly unknown[] {
  try {
    const parts: unknown = JSON.parse(kept.get(key) ?? '[]')
    return Array.isArray(parts) ? parts : []
  } catch {
    // Somebody else wrote it.
    return []
  }
}

for (const key of kept.keys(prefix)) {
  const [, , , at = 0] = partsOf(key)
  if (Date.now() - Number(at) > keptDays * 86_400_000) kept.set(key, null)
}

/** The values of a form that differ from those that it began with. */
interface Typed<T> {
  /** The values that it began with, as JSON without secrets. */
  readonly of: string
  readonly values: T
  readonly hasLost: boolean
}

/** Values of a form that were typed before, as the form tells of them. */
export interface Draft {
  /** Null: nothing was typed before. `stale`: the form began with other values then. */
  readonly earlier: 'same' | 'stale' | null
  /** Whether secrets that were typed are not there any more. */
  readonly hasLost: boolean
  /** Shows the values that the form begins with. */
  restart(): void
  /** The form is saved, or given up. */
  forget(): void
}

/** Whether a form without typed values shows the newest beginning. */
interface Following {
  readonly follows?: boolean
}

interface KeptForm<T> {
  readonly values: T
  change(changes: Partial<T>): void
  readonly draft: Draft
}

const isLong = (values: object): boolean =>
  Object.values(values).some((value) => typeof value === 'string' && value.length > keptCharacters)

const beginningOf = (values: object): string =>
  isLong(values) ? '' : JSON.stringify(withoutSecrets(values, values)?.values ?? values)

function read<T extends object>(key: string, saved: T): Typed<T> | null {
  const [of, values, hasLost] = partsOf(key)
  if (typeof of !== 'string' || !isObject(values)) return null
  return { of, values: withSecrets({ ...saved, ...(values as Partial<T>) }, saved), hasLost: hasLost === true }
}

function keep<T extends object>(key: string, { of, values }: Typed<T>, saved: T): void {
  // A look at every member of a long text at each key would be felt.
  if (isLong(values) || isLong(saved)) {
    kept.set(key, null)
    return
  }
  const isSaved = JSON.stringify(values) === JSON.stringify(saved)
  const stripped = withoutSecrets(values, saved)
  // The text before stays, which is whole.
  if (stripped === null) return
  const text = JSON.stringify([of, stripped.values, stripped.hasLost, Date.now()])
  kept.set(key, isSaved || text.length > keptCharacters ? null : text)
}

/**
 * The values of a form. They survive navigation, reloads and sessions that expire, but for secrets. A form of a dialog
 * keeps the beginning that it was opened with; with `follows` it shows the newest one until something is typed.
 */
export function useKeptForm<T extends object>(
  name: string,
  beginning: T,
  { follows = false }: Following = {},
): KeptForm<T> {
  const key = prefix + name
  const [opened] = useState(beginning)
  const saved = follows ? beginning : opened
  const [before, setBefore] = useState(() => read(key, saved))
  const [typed, setTyped] = useState(before)
  // Two changes of one event both count.
  const latest = useRef(typed)
  const put = (next: Typed<T> | null) => {
    latest.current = next
    setTyped(next)
  }
  const forget = () => {
    put(null)
    setBefore(null)
    kept.set(key, null)
  }
  return {
    values: typed?.values ?? saved,
    change(changes) {
      const values = { ...(latest.current?.values ?? saved), ...changes }
      const next = { of: latest.current?.of ?? beginningOf(saved), values, hasLost: false }
      put(next)
      keep(key, next, saved)
    },
    draft: {
      earlier: before === null ? null : before.of === beginningOf(saved) ? 'same' : 'stale',
      hasLost: before?.hasLost === true,
      restart: forget,
      forget: () => (follows ? forget() : kept.set(key, null)),
    },
  }
}

/** The same of a form that is one text. */
export function useKeptText(name: string, beginning: string, options: Following = {}) {
  const { values, change, draft } = useKeptForm(name, { text: beginning }, options)
  return { text: values.text, change: (text: string) => change({ text }), draft } as const
}
