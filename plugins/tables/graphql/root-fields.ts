// Root fields of tables, found by name: of the thousands that a role has, a request asks for a few.

import type { FieldMap, RootFields, SchemaScope } from '../../../core/graphql/contribution.ts'
import type { RootFieldKey } from '../../../core/metadata/document.ts'
import type { Model, TableModel } from '../../../core/metadata/model.ts'
import { basesOfRootField, generatedRootFieldName } from '../../../core/metadata/root-fields.ts'

/** The name of a root field: the configured one, else the generated one, which Relay's clients always get. */
export function rootName({ kind }: Pick<SchemaScope, 'kind'>, table: TableModel, key: RootFieldKey): string {
  const configured = kind === 'standard' ? table.configuration.custom_root_fields[key] : undefined
  return configured ?? generatedRootFieldName(table.graphqlName!, key)
}

/** The tables of a model by what their root fields' names are made of. */
interface Index {
  readonly byGraphQLName: ReadonlyMap<string, TableModel>
  /** By each name that is configured: one table may have it on the query root, another on the mutation root. */
  readonly configured: ReadonlyMap<string, readonly TableModel[]>
}

const indexes = new WeakMap<Model['tables'], Index>()

function indexOf(tables: Model['tables']): Index {
  let index = indexes.get(tables)
  if (!index) {
    const byGraphQLName = new Map<string, TableModel>()
    const configured = new Map<string, TableModel[]>()
    for (const table of tables.values()) {
      if (table.graphqlName === null) continue
      byGraphQLName.set(table.graphqlName, table)
      for (const name of Object.values(table.configuration.custom_root_fields)) {
        configured.set(name, [...(configured.get(name) ?? []), table])
      }
    }
    index = { byGraphQLName, configured }
    indexes.set(tables, index)
  }
  return index
}

/** Every table that may give a root field of that name. */
function candidates({ byGraphQLName, configured }: Index, name: string, bases: readonly string[]): TableModel[] {
  const generated = bases.map((base) => byGraphQLName.get(base))
  return [...(configured.get(name) ?? []), ...generated].filter((table) => table !== undefined)
}

/**
 * The root fields that `fieldsOf` gives for each table of the model. `basesOf` tells of which tables' GraphQL names the
 * name of a field may be made.
 */
export function fieldsOfTables(
  scope: SchemaScope,
  fieldsOf: (table: TableModel) => FieldMap,
  basesOf: (name: string) => readonly string[] = basesOfRootField,
): RootFields {
  const { tables } = scope.model
  return {
    get(name) {
      for (const table of candidates(indexOf(tables), name, basesOf(name))) {
        const make = fieldsOf(table).get(name)
        if (make) return make
      }
      return undefined
    },
    *[Symbol.iterator]() {
      for (const table of tables.values()) if (table.graphqlName !== null) yield* fieldsOf(table)
    },
  }
}
