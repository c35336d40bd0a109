// The schemas of roles for one model; the least recently used roles are evicted.

import { LRUCache } from 'lru-cache'
import type { Model } from '../../metadata/document/model.ts'
import type { SchemaKind } from '../read/schema-scope.ts'
import { maxRoles } from '../tuning.ts'
import type { RoleSchema } from './role-schema.ts'

/** The role, and which of its schemas. */
export interface RoleSchemaKey {
  readonly role: string
  /** Whether the schema includes the fields for trusted callers. */
  readonly backendOnly: boolean
  readonly kind: SchemaKind
}

/** The schemas of a role; of each kind first without and then with the fields for trusted callers. */
type SchemasOfRole = Record<SchemaKind, [RoleSchema | null, RoleSchema | null]>

export class RoleSchemas {
  readonly model: Model
  readonly #make: (key: RoleSchemaKey) => RoleSchema
  readonly #byRole: LRUCache<string, SchemasOfRole>

  /** `onEvicted` is called for evicted schemas. */
  constructor(model: Model, make: (key: RoleSchemaKey) => RoleSchema, onEvicted: (schema: RoleSchema) => void) {
    this.model = model
    this.#make = make
    const dispose = (schemas: SchemasOfRole) => {
      for (const schema of schemasOf(schemas)) onEvicted(schema)
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
