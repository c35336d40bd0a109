// Root fields of tables, found by name: of the thousands that a role has, a request asks for a few.

import type { GraphQLFieldConfig } from 'graphql'
import type { FieldMap, RootFields, SchemaScope } from '../../../sdk/graphql.ts'
import {
  basesOfRootField,
  customRootField,
  generatedRootFieldName,
  type RootFieldKey,
  rootFieldIndex,
  type TableModel,
} from '../../../sdk/metadata.ts'

type Field = GraphQLFieldConfig<unknown, unknown>

/** The name of a root field: the configured one, else the generated one, which Relay's clients always get. */
function rootName({ kind }: Pick<SchemaScope, 'kind'>, table: TableModel, key: RootFieldKey): string {
  const configured = kind === 'standard' ? customRootField(table.configuration, key).name : undefined
  return configured ?? generatedRootFieldName(table.graphqlName!, key, table.isCamel)
}

/** Root fields of one table, under their names and with their descriptions. */
export class TableRootFields {
  readonly fields = new Map<string, () => Field>()
  readonly #scope: SchemaScope
  readonly #table: TableModel

  constructor(scope: SchemaScope, table: TableModel) {
    this.#scope = scope
    this.#table = table
  }

  add(key: RootFieldKey, make: (scope: SchemaScope, table: TableModel) => Field): void {
    const scope = this.#scope
    const table = this.#table
    const { comment } = customRootField(table.configuration, key)
    const described = () => ({ ...make(scope, table), ...(comment !== undefined && { description: comment || null }) })
    this.fields.set(rootName(scope, table, key), described)
  }
}

/**
 * The root fields that `fieldsOf` gives for each table of the model. `basesOf` returns the GraphQL names
 * of tables that the name of a field may be made of.
 */
export function fieldsOfTables(
  scope: SchemaScope,
  fieldsOf: (table: TableModel) => FieldMap,
  basesOf: (name: string) => readonly string[] = basesOfRootField,
): RootFields {
  const { tables } = scope.model
  return {
    get(name) {
      for (const table of rootFieldIndex(tables).candidates(name, basesOf(name))) {
        const make = fieldsOf(table).get(name)
        if (make) return make
      }
      return undefined
    },
    *near(name) {
      for (const table of rootFieldIndex(tables).near(basesOf(name))) yield* fieldsOf(table).keys()
    },
    *[Symbol.iterator]() {
      for (const table of tables.values()) if (table.graphqlName !== null) yield* fieldsOf(table)
    },
  }
}
