// GraphQL names and descriptions that replace a table's generated ones, as operations and documents state them.

import { type TProperties, Type } from '@sinclair/typebox'
import { parseFailed } from '../../errors/errors.ts'
import { englishList } from '../../names/names.ts'
import { GraphQLName } from '../../wire/types.ts'
import {
  type CustomField,
  type LaterRootFieldKey,
  laterRootFieldKeys,
  type RootFieldKey,
  rootFieldKeys,
  type TableConfiguration,
  type TableEntry,
} from './document.ts'

type CustomRootFields = TableConfiguration['custom_root_fields']

const customField = (given: string | CustomField): CustomField => (typeof given === 'string' ? { name: given } : given)

function refuseRepeatedNames(fields: CustomRootFields): CustomRootFields {
  const given = Object.values(fields).flatMap((field) => customField(field).name ?? [])
  const repeated = [...new Set(given.filter((name, i) => given.indexOf(name) !== i))]
  if (repeated.length === 0) return fields
  const list = englishList(repeated.map((name) => `"${name}"`))
  throw parseFailed(`the following custom root field names are duplicated: ${list}`)
}

/** An object type. Documents refuse unknown keys in both dialects. */
const objectOf = (properties: TProperties, document: boolean, options = {}) =>
  Type.Object(properties, document ? { ...options, additionalProperties: false } : options)

/** Custom names and descriptions of root fields, by the key of the default name; each name at most once. */
function customRootFields(document: boolean) {
  const described = { name: Type.Optional(GraphQLName), comment: Type.Optional(Type.String()) }
  const field = Type.Optional(Type.Union([GraphQLName, objectOf(described, document)]))
  const fields = [...rootFieldKeys, ...laterRootFieldKeys].map((key) => [key, field])
  const shape = objectOf(Object.fromEntries(fields), document, { convert: refuseRepeatedNames })
  return Type.Unsafe<CustomRootFields>(shape)
}

export const CustomRootFields = customRootFields(false)

/** Custom names of columns, by database name. */
export const CustomColumnNames = Type.Record(Type.String(), GraphQLName)

function tableConfig(document: boolean) {
  const column = { custom_name: Type.Optional(GraphQLName), comment: Type.Optional(Type.String()) }
  const shape = {
    custom_name: Type.Optional(GraphQLName),
    custom_root_fields: Type.Optional(customRootFields(document)),
    custom_column_names: Type.Optional(CustomColumnNames),
    column_config: Type.Optional(Type.Record(Type.String(), objectOf(column, document))),
    comment: Type.Optional(Type.String()),
  }
  return Type.Unsafe<TableConfiguration>(objectOf(shape, document, { convert: completeConfiguration }))
}

/** The wire's TableConfig in arguments; decodes to the required keys and the optional keys that were given. */
export const TableConfig = tableConfig(false)

/** The wire's TableConfig in a document. */
export const DocumentTableConfig = tableConfig(true)

/** A configuration with all required keys; keys that were not given are empty. */
export function completeConfiguration(given: Partial<TableConfiguration>): TableConfiguration {
  const { custom_name, custom_root_fields = {}, custom_column_names = {}, column_config, comment } = given
  return {
    ...(custom_name !== undefined && { custom_name }),
    custom_root_fields,
    custom_column_names,
    ...(column_config && { column_config }),
    ...(comment !== undefined && { comment }),
  }
}

const noConfiguration: TableConfiguration = { custom_root_fields: {}, custom_column_names: {} }

/** A table's configuration; entries omit an empty one. */
export const configurationOf = (entry: TableEntry): TableConfiguration => entry.configuration ?? noConfiguration

/** Whether an entry omits a configuration: it changes nothing, and has no more than the keys of v1.3. */
export const isEmptyConfiguration = ({
  custom_root_fields,
  custom_column_names,
  ...more
}: TableConfiguration): boolean =>
  [custom_root_fields, custom_column_names].every((part) => Object.keys(part).length === 0) &&
  Object.keys(more).length === 0

/** The configuration of a root field. */
export function customRootField(
  { custom_root_fields }: TableConfiguration,
  key: RootFieldKey | LaterRootFieldKey,
): CustomField {
  return customField(custom_root_fields[key] ?? {})
}

/** The custom names of root fields. */
export const customRootNames = ({ custom_root_fields }: TableConfiguration): string[] =>
  Object.values(custom_root_fields).flatMap((field) => customField(field).name ?? [])

/** The custom name of a column. */
export function customColumnName(configuration: TableConfiguration, column: string): string | undefined {
  const { custom_column_names: names, column_config: columns = {} } = configuration
  const configured = Object.hasOwn(columns, column) ? columns[column]?.custom_name : undefined
  return configured ?? (Object.hasOwn(names, column) ? names[column] : undefined)
}

/** The custom description of a column. */
export function columnComment({ column_config: columns = {} }: TableConfiguration, column: string): string | undefined {
  return Object.hasOwn(columns, column) ? columns[column]?.comment : undefined
}

/** The columns that a configuration mentions, with their custom names. */
export function customColumns(configuration: TableConfiguration): [column: string, name: string | undefined][] {
  const { custom_column_names: names, column_config: columns = {} } = configuration
  const all = new Set([...Object.keys(names), ...Object.keys(columns)])
  return [...all].map((column) => [column, customColumnName(configuration, column)])
}

/** A configuration after columns were renamed in the database; null: the column was dropped. */
export function withColumnsRenamed(
  configuration: TableConfiguration,
  rename: (column: string) => string | null,
): TableConfiguration {
  const renamed = <T>(byColumn: Record<string, T>): Record<string, T> =>
    Object.fromEntries(
      Object.entries(byColumn).flatMap(([column, value]) => {
        const name = rename(column)
        return name === null ? [] : [[name, value]]
      }),
    )
  const { custom_column_names, column_config } = configuration
  return completeConfiguration({
    ...configuration,
    custom_column_names: renamed(custom_column_names),
    ...(column_config && { column_config: renamed(column_config) }),
  })
}
