// GraphQL names that replace the generated ones of a table, as operations and documents give them.

import { type Static, Type } from '@sinclair/typebox'
import { parseFailed } from '../errors.ts'
import { englishList } from '../names.ts'
import { GraphQLName } from '../operations/wire-types.ts'
import type { TableConfiguration, TableEntry } from './document.ts'

const optionalName = Type.Optional(GraphQLName)

function refuseRepeatedNames<T extends Record<string, string | undefined>>(names: T): T {
  const given = Object.values(names).filter((name) => name !== undefined)
  const repeated = [...new Set(given.filter((name, i) => given.indexOf(name) !== i))]
  if (repeated.length === 0) return names
  const list = englishList(repeated.map((name) => `"${name}"`))
  throw parseFailed(`the following custom root field names are duplicated: ${list}`)
}

/** Custom names of root fields by the default's key; no name twice. */
export const CustomRootFields = Type.Object(
  {
    select: optionalName,
    select_by_pk: optionalName,
    select_aggregate: optionalName,
    insert: optionalName,
    insert_one: optionalName,
    update: optionalName,
    update_by_pk: optionalName,
    delete: optionalName,
    delete_by_pk: optionalName,
  },
  { convert: refuseRepeatedNames },
)

/** Custom names of columns by the database's name. */
export const CustomColumnNames = Type.Record(Type.String(), GraphQLName)

/** The wire's TableConfig; decodes to both keys present. */
export const TableConfig = Type.Unsafe<TableConfiguration>(
  Type.Object(
    { custom_root_fields: Type.Optional(CustomRootFields), custom_column_names: Type.Optional(CustomColumnNames) },
    { convert: completeConfiguration },
  ),
)

type PartialConfiguration = {
  readonly custom_root_fields?: Static<typeof CustomRootFields>
  readonly custom_column_names?: Static<typeof CustomColumnNames>
}

/** Both keys of a configuration, empty where not given. */
export function completeConfiguration(given: PartialConfiguration): TableConfiguration {
  return { custom_root_fields: given.custom_root_fields ?? {}, custom_column_names: given.custom_column_names ?? {} }
}

const noConfiguration: TableConfiguration = { custom_root_fields: {}, custom_column_names: {} }

/** A table's configuration, which entries leave out when it is empty. */
export const configurationOf = (entry: TableEntry): TableConfiguration => entry.configuration ?? noConfiguration

/** Whether a configuration changes nothing. */
export const isEmptyConfiguration = ({ custom_root_fields, custom_column_names }: TableConfiguration): boolean =>
  Object.keys(custom_root_fields).length === 0 && Object.keys(custom_column_names).length === 0
