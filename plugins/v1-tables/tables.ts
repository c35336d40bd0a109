// The system tables, for administrators' data operations only: they are in no document, and in no GraphQL schema.

import { isAdmin, nameKey, type QualifiedName, type Session } from '../../sdk/index.ts'
import {
  type CatalogTable,
  type FieldModel,
  introspect,
  type Model,
  type RelationshipModel,
  resolveBase,
  type TableModel,
} from '../../sdk/metadata.ts'
import type { Database } from '../../sdk/sql.ts'
import type { TableOffer } from '../data/index.ts'
import { makeNamedViews, makeViews, placeOf } from './schemas.ts'
import { type SystemRelationship, systemTables } from './views.ts'

export class SystemTables implements TableOffer {
  readonly #database: Pick<Database, 'transaction'>
  readonly #schema: string
  #tables: ReadonlyMap<string, TableModel> = new Map()
  /** Keys are the models of tracked tables. */
  readonly #served = new WeakMap<Model, Model>()

  /** `schema` is the schema that clients know. */
  constructor(database: Pick<Database, 'transaction'>, schema: string) {
    this.#database = database
    this.#schema = schema
  }

  /**
   * Creates the views, unless they are up to date, and reads the catalog. The views with v1.3's names come last, since data
   * operations do not need them.
   */
  async open(): Promise<void> {
    const places = Object.keys(systemTables).map(placeOf)
    const found = await this.#database.transaction(async (transaction) => {
      await makeViews(transaction)
      return introspect(transaction, places)
    })
    this.#tables = this.#models(new Map(found.map((table) => [nameKey(table), table])))
    await this.#database.transaction((transaction) => makeNamedViews(transaction, this.#schema, found))
  }

  /** The model of the system tables, for administrators' requests about one of them. A tracked table of the name wins. */
  modelFor(table: QualifiedName, session: Session, model: Model): Model | null {
    if (!isAdmin(session) || !this.#tables.has(nameKey(table)) || model.tables.has(nameKey(table))) return null
    let system = this.#served.get(model)
    if (!system) {
      system = { ...model, tables: this.#tables }
      this.#served.set(model, system)
    }
    return system
  }

  /** The models by the names that clients use, and by the real names, which relationships refer to. */
  #models(catalog: ReadonlyMap<string, CatalogTable>): ReadonlyMap<string, TableModel> {
    const bases = new Map<string, TableModel>()
    for (const name of Object.keys(systemTables)) {
      const table = catalog.get(nameKey(placeOf(name)))
      const base = table && resolveBase({ entry: { table: placeOf(name) }, catalog: table, enumKey: () => null })
      if (base && 'table' in base) bases.set(name, readOnly(base.table))
    }
    const models = new Map<string, TableModel>()
    for (const [name, base] of bases) {
      const model = { ...base, fields: new Map([...base.fields, ...relationshipsOf(name, bases)]) }
      models.set(nameKey(base.name), model)
      models.set(nameKey(name.includes('.') ? placeOf(name) : { schema: this.#schema, name }), model)
    }
    return models
  }
}

const readOnly = (table: TableModel): TableModel => ({
  ...table,
  catalog: { ...table.catalog, insertable: false, updatable: false, deletable: false },
})

function relationshipsOf(name: string, tables: ReadonlyMap<string, TableModel>): [string, FieldModel][] {
  const relationships = Object.entries(systemTables[name]?.relationships ?? {})
  return relationships.flatMap(([key, relationship]) => {
    const target = tables.get(relationship.target)
    return target ? [[key, relationshipModel(key, relationship, target)] as [string, FieldModel]] : []
  })
}

const relationshipModel = (name: string, { type, on }: SystemRelationship, target: TableModel): RelationshipModel => ({
  kind: 'relationship',
  name,
  type,
  target: target.name,
  mapping: Object.entries(on),
  required: false,
  unique: type === 'object',
  insertedAfter: type === 'array',
  comment: null,
})
