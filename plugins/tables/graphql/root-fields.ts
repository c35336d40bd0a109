// Root fields of tables, found by name: of the thousands that a role has, a request asks for a few.

import type { FieldMap, RootFields, SchemaScope } from '../../../core/graphql/contribution.ts'
import type { RootFieldKey } from '../../../core/metadata/document.ts'
import type { TableModel } from '../../../core/metadata/model.ts'
import { rootFieldIndex } from '../../../core/metadata/root-field-index.ts'
import { basesOfRootField, generatedRootFieldName } from '../../../core/metadata/root-field-names.ts'

/** The name of a root field: the configured one, else the generated one, which Relay's clients always get. */
export function rootName({ kind }: Pick<SchemaScope, 'kind'>, table: TableModel, key: RootFieldKey): string {
  const configured = kind === 'standard' ? table.configuration.custom_root_fields[key] : undefined
  return configured ?? generatedRootFieldName(table.graphqlName!, key)
}

/**
 * The root fields that `fieldsOf` gives for each table of the model. `basesOf` tells of which tables' GraphQL names the
 * name of a field may be made.
 */
export function fieldsOfTables(
  scope: SchemaScope,
  fieldsOf: (table: TableModel) => FieldMap,
  basesOf = basesOfRootField,
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
