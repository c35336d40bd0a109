// The page's requests to the metadata API, as an administrator: the roles, and whether anything is tracked.

import type { Identity, Names } from './identity.ts'

export interface Known {
  /** Roles with any permission. */
  readonly roles: readonly string[]
  /** Whether no table, function, action or remote schema is there to be asked for. */
  readonly isEmpty: boolean
}

/** Known when the metadata cannot be read. */
export const nothingKnown: Known = { roles: [], isEmpty: false }

const sources = ['tables', 'functions', 'actions', 'remote_schemas'] as const

/** Reads the metadata; others than administrators, and servers without that API, know nothing. */
export async function readMetadata({ adminSecret }: Identity, names: Names): Promise<Known> {
  if (!names.hasMetadata || !(names.isOpen || adminSecret !== '')) return nothingKnown
  try {
    const answer = await fetch(new URL('v1/query', document.baseURI), {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...(!names.isOpen && { [names.adminSecretHeader]: adminSecret }) },
      body: JSON.stringify({ type: 'export_metadata', args: {} }),
    })
    if (!answer.ok) return nothingKnown
    const metadata = await answer.json()
    const roles = new Set<string>()
    collectRoles(metadata, roles)
    return { roles: [...roles].sort(), isEmpty: sources.every((key) => (metadata[key] ?? []).length === 0) }
  } catch {
    return nothingKnown
  }
}

/** Permissions of every kind name their role by the same key. */
function collectRoles(value: unknown, roles: Set<string>): void {
  if (typeof value !== 'object' || value === null) return
  for (const [key, inner] of Object.entries(value)) {
    if (key === 'role' && typeof inner === 'string') roles.add(inner)
    else collectRoles(inner, roles)
  }
}
