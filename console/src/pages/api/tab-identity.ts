// The identity of each tab, which the chip at the top shows while the tab is in view.

import { useLayoutEffect } from 'react'
import { type Identity, identity } from '../../requests/identity.ts'
import { drafts } from './drafts.ts'

/** The member of a draft that has the identity, as JSON. */
const member = 'identity'

const moreOf = (id: string) => drafts.all.get().find((draft) => draft.id === id)?.more

function identityOf(id: string): Identity | null {
  try {
    const kept: Partial<Identity> | null = JSON.parse(moreOf(id)?.[member] ?? 'null')
    const { role = null, variables = {} } = kept ?? {}
    return kept && { role, variables }
  } catch {
    return null
  }
}

/**
 * Shows the identity of a tab, and keeps each choice with it. A choice holds for other pages and new tabs, too; opening a tab
 * changes nothing there.
 */
export function useTabIdentity(id: string): void {
  useLayoutEffect(() => {
    let elsewhere = identity.get()
    const own = identityOf(id)
    if (own) identity.set(own)
    const end = identity.subscribe(() => {
      elsewhere = identity.get()
      drafts.change(id, { more: { ...moreOf(id), [member]: JSON.stringify(elsewhere) } })
    })
    return () => {
      end()
      identity.set(elsewhere)
    }
  }, [id])
}
