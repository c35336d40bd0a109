// The schemas of roles that were asked for, for one model; the roles that were not asked for longest give way to others.

import { LRUCache } from 'lru-cache'
import type { Model } from '../../metadata/document/model.ts'
import type { SchemaKind } from '../read/schema-scope.ts'
import type { RoleSchema } from './role-schema.ts'

/** Roles whose schemas are kept at once. */
const maxRoles = 200

/** Whose schema, and which of theirs. */
export interface RoleSchemaKey {
  readonly role: string
  /** Whether it has the fields, too, that only trusted callers have. */
  readonly backendOnly: boolean
  readonly kind: SchemaKind
}

/** The schemas of a role, of either kind first without and then with the fields for trusted callers. */
type SchemasOfRole = Record<SchemaKind, [RoleSchema | null, RoleSchema | null]>

export class RoleSchemas {
  readonly model: Model
  readonly #make: (key: RoleSchemaKey) => RoleSchema
  readonly #byRole: LRUCache<string, SchemasOfRole>

  /** `onGone` is told of schemas that gave way. */
  constructor(model: Model, make: (key: RoleSchemaKey) => RoleSchema, onGone: (schema: RoleSchema) => void) {
    this.model = model
    this.#make = make
    const dispose = (schemas: SchemasOfRole) => {
      for (const schema of schemasOf(schemas)) onGone(schema)
    }
    this.#byRole = new LRUCache({ max: maxRoles, dispose })
  }

  get all(): RoleSchema[] {
    return [...this.#byRole.values()].flatMap(schemasOf)
  }

  of(key: RoleSchemaKey): RoleSchema {
    const { role, kind, backendOnly } = key
    let schemas = this.#byRole.get(role)
    if (!schemas) {
      schemas = { standard: [null, null], relay: [null, null] }
      this.#byRole.set(role, schemas)
    }
    const ofKind = schemas[kind]
    const place = backendOnly ? 1 : 0
    ofKind[place] ??= this.#make(key)
    return ofKind[place]
  }
}

const schemasOf = ({ standard, relay }: SchemasOfRole): RoleSchema[] =>
  [...standard, ...relay].filter((schema) => schema !== null)
