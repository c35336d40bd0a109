// Bounds the values of labels, so that clients cannot add any.

import type { AccessService } from '../../sdk/access.ts'
import type { Model } from '../../sdk/metadata.ts'

const other = 'other'

/** The roles that the metadata names, and those that always exist. */
export class KnownRoles {
  readonly #access: AccessService
  readonly #always: readonly string[]
  #model: Model | null = null
  #roles: ReadonlySet<string> = new Set()

  constructor(access: AccessService, unauthorizedRole: string | null) {
    this.#access = access
    this.#always = unauthorizedRole === null ? ['admin'] : ['admin', unauthorizedRole]
  }

  /** The role as a label. Clients that may assume any role could invent roles, so unknown ones become `other`. */
  label(role: string, model: Model): string {
    if (model !== this.#model) {
      this.#roles = new Set([...this.#always, ...this.#access.roles(model)])
      this.#model = model
    }
    return this.#roles.has(role) ? role : other
  }
}

/** Keeps the first values; later ones become `other`. */
export class FirstValues {
  readonly #values = new Set<string>()
  readonly #max: number

  constructor(max: number) {
    this.#max = max
  }

  label(value: string): string {
    if (this.#values.has(value)) return value
    if (this.#values.size >= this.#max) return other
    this.#values.add(value)
    return value
  }
}
