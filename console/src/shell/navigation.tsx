// Going to addresses of the console, and state in them.

import { useParams, useRouter, useSearch } from '@tanstack/react-router'
import type { AnchorHTMLAttributes, MouseEvent } from 'react'
import { consolePath } from '../base/facts.ts'

export { pathOf } from './paths.ts'

/** The address of a path. */
export const hrefOf = (path: string): string => `${consolePath}/${path}`

/** Returns the function that goes to a path below the console. */
export function useGo(): (path: string) => void {
  const { history } = useRouter()
  return (path) => history.push(hrefOf(path))
}

/** The queries of addresses that were left by `useReturn`. */
const leftQueries = new Map<string, string>()

/** Returns the function that goes to a path with the query that it had when it was left by this function. */
export function useReturn(): (path: string) => void {
  const { history } = useRouter()
  return (path) => {
    leftQueries.set(history.location.pathname, history.location.search)
    history.push(hrefOf(path) + (leftQueries.get(hrefOf(path)) ?? ''))
  }
}

interface ToProps extends Omit<AnchorHTMLAttributes<HTMLAnchorElement>, 'href'> {
  readonly path: string
}

/** A link to a path below the console. */
export function To({ path, onClick, ...props }: ToProps) {
  const go = useGo()
  const follow = (event: MouseEvent<HTMLAnchorElement>) => {
    onClick?.(event)
    if (
      event.defaultPrevented ||
      event.button !== 0 ||
      event.metaKey ||
      event.ctrlKey ||
      event.shiftKey ||
      event.altKey
    )
      return
    event.preventDefault()
    go(path)
  }
  return <a {...props} href={hrefOf(path)} onClick={follow} />
}

/** The parameters of the address. */
export const useNames = (): Readonly<Record<string, string>> => useParams({ strict: false }) as Record<string, string>

/** A text in the query of the address, with the function that replaces it; an empty text leaves the address. */
export function useUrlState(key: string): [string, (value: string) => void] {
  const search = useSearch({ strict: false }) as Record<string, string | undefined>
  const change = useUrlChange()
  return [search[key] ?? '', (value) => change({ [key]: value })]
}

/** Returns the function that replaces several texts in the query of the address at once. */
export function useUrlChange(): (changes: Readonly<Record<string, string>>) => void {
  const { history } = useRouter()
  return (changes) => {
    const query = new URLSearchParams(history.location.search)
    for (const [key, value] of Object.entries(changes)) {
      if (value === '') query.delete(key)
      else query.set(key, value)
    }
    const text = query.toString()
    history.replace(history.location.pathname + (text === '' ? '' : `?${text}`))
  }
}
