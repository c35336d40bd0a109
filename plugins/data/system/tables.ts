// The system tables of the dialect that has them: for administrators' data operations alone, in no document and in no
// GraphQL schema.

import { createHash } from 'node:crypto'
import { isAdmin, nameKey, type QualifiedName, type Session } from '../../../sdk/index.ts'
import {
  type CatalogTable,
  type FieldModel,
  introspect,
  type Model,
  type RelationshipModel,
  resolveBase,
  type TableModel,
} from '../../../sdk/metadata.ts'
import type { Database, Transaction } from '../../../sdk/sql.ts'
import { type SystemRelationship, systemTables } from './views.ts'

/** Holds the views and nothing else: what they are made from may be taken away by dropping it. */
const viewSchema = 'trellis_system'

/** Where a system table really is. */
function placeOf(name: string): QualifiedName {
  const [schema, table] = name.split('.')
  if (table !== undefined) return { schema: schema!, name: table }
  return systemTables[name]?.query === undefined ? { schema: 'trellis', name } : { schema: viewSchema, name }
}

export class SystemTables {
  readonly #database: Pick<Database, 'transaction'>
  readonly #schema: string
  #tables: ReadonlyMap<string, TableModel> = new Map()
  /** By the model that they are served beside. */
  readonly #served = new WeakMap<Model, Model>()

  /** `schema` is the one that clients know the tables by. */
  constructor(database: Pick<Database, 'transaction'>, schema: string) {
    this.#database = database
    this.#schema = schema
  }

  /** Makes the views, unless they are there, and reads what is there. */
  async open(): Promise<void> {
    const places = Object.keys(systemTables).map(placeOf)
    const found = await this.#database.transaction(async (transaction) => {
      await makeViews(transaction, this.#schema)
      return introspect(transaction, places)
    })
    this.#tables = this.#models(new Map(found.map((table) => [nameKey(table), table])))
  }

  /** The model to serve a request about a table with: the given one, or that of the system tables. */
  modelFor(table: QualifiedName, session: Session, model: Model): Model {
    if (!isAdmin(session) || !this.#tables.has(nameKey(table)) || model.tables.has(nameKey(table))) return model
    let system = this.#served.get(model)
    if (!system) {
      system = { ...model, tables: this.#tables }
      this.#served.set(model, system)
    }
    return system
  }

  /** By the names that clients use, and by those under which relationships look for their targets. */
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

const viewsOf = (schema: string, query: (name: string) => string | undefined): string[] =>
  Object.keys(systemTables).flatMap((name) => {
    const text = query(name)
    return text === undefined ? [] : [`create view ${schema}.${name} as ${text}`]
  })

/** Of those that have no table of their own. */
const views = viewsOf(viewSchema, (name) => systemTables[name]?.query)

/** What SQL finds by the names that clients know; a server of v1.3 that finds a version there takes the rest for its own. */
const namesIn = (schema: string): string[] =>
  viewsOf(schema, (name) => {
    const place = placeOf(name)
    return name === 'hdb_version' || name.includes('.') ? undefined : `select * from ${place.schema}.${place.name}`
  })

/** One instance at a time. */
async function makeViews(transaction: Transaction, schema: string): Promise<void> {
  await transaction.rows('lock table trellis.metadata in share row exclusive mode')
  await makeSchema(transaction, viewSchema, views)
  if (await isFree(transaction, schema)) await makeSchema(transaction, schema, namesIn(schema))
}

/** What the comment of a schema begins with that holds views and nothing else. */
const mark = 'system tables '

/** The comment of the schema tells which views it holds. */
async function makeSchema(transaction: Transaction, schema: string, statements: readonly string[]): Promise<void> {
  const comment = mark + createHash('sha256').update(statements.join(';')).digest('hex')
  if ((await commentOf(transaction, schema)) === comment) return
  await transaction.script(`drop schema if exists ${schema} cascade; create schema ${schema}`)
  for (const statement of statements) await transaction.script(statement)
  await transaction.script(`comment on schema ${schema} is '${comment}'`)
}

/** Whether a schema is not there, or holds such views: a server of v1.3 keeps its own tables in one of that name. */
async function isFree(transaction: Transaction, schema: string): Promise<boolean> {
  const comment = await commentOf(transaction, schema)
  return comment === undefined || comment?.startsWith(mark) === true
}

/** Null: there is none; undefined: there is no such schema. */
async function commentOf(transaction: Transaction, schema: string): Promise<string | null | undefined> {
  const [found] = await transaction.rows<{ comment: string | null }>(
    `select obj_description(oid, 'pg_namespace') as comment from pg_namespace where nspname = $1`,
    [schema],
  )
  return found?.comment
}
