// As whom rows and GraphQL are asked for. Metadata is always asked for as the administrator.

import { facts } from '../base/facts.ts'
import { createStore } from '../base/store.ts'

/** A role with its session variables; the role null is the administrator. */
export interface Identity {
  readonly role: string | null
  /** Names without the prefix of the dialect, as `user-id`. */
  readonly variables: Readonly<Record<string, string>>
}

/** The administrator. */
export const admin: Identity = { role: null, variables: {} }

/** The identity that the chip at the top shows. */
export const identity = createStore<Identity>(admin)

/** An identity in words, as `customer (user-id: 2)`. */
export function identityText({ role, variables }: Identity): string {
  const named = Object.entries(variables).map(([name, value]) => `${name}: ${value}`)
  return named.length === 0 ? (role ?? 'admin') : `${role ?? 'admin'} (${named.join(', ')})`
}

/** The headers of an identity. */
export function identityHeaders({ role, variables }: Identity): Record<string, string> {
  if (role === null) return {}
  const named = Object.entries(variables).map(([name, value]) => [facts.variablePrefix + name, value] as const)
  return { [facts.roleHeader]: role, ...Object.fromEntries(named) }
}
