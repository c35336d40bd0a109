// Node ids: base64 of `[1, "public", "book", 7]`, the version, the table and the values of its key.

import type { SchemaScope } from '../../../sdk/graphql.ts'
import { messageOf, nameKey, type QualifiedName, TrellisError, validationFailed } from '../../../sdk/index.ts'
import type { ColumnModel, TableModel } from '../../../sdk/metadata.ts'
import { decimalText, jsonType, parseDecimal } from '../../../sdk/services.ts'
import {
  type Codec,
  columnSql,
  encodeArray,
  idCodec,
  join,
  literal,
  numberText,
  roundTripJson,
  type SqlBuilder,
  sql,
} from '../../../sdk/sql.ts'
import { base64Json, base64Sql } from './base64.ts'
import { keyText } from './key-text.ts'

/** The content of a node id. */
export interface NodeId {
  readonly table: QualifiedName
  readonly values: readonly unknown[]
}

/**
 * The columns of a table's node id, in key order; null when the role does not see its rows as nodes. Ids and cursors show the
 * key, so the role has to be allowed to select all of it, unless the dialect says that v1.3's schema counts.
 */
export function nodeKey(scope: SchemaScope, table: TableModel): readonly ColumnModel[] | null {
  const select = scope.access(table.name)?.select
  if (!select || !table.primaryKey || table.graphqlName === null) return null
  const names = table.primaryKey.columns
  const isShown = (name: string) =>
    select.columns.has(name) ||
    (scope.dialect.lenientSchema && !table.columns.get(name)!.transform && !select.transformed.has(name))
  return names.every(isShown) ? names.map((name) => table.columns.get(name)!) : null
}

/** The JSON of a row's node id. */
export const nodeIdJson = ({ schema, name }: QualifiedName, key: readonly ColumnModel[]): SqlBuilder => {
  return (row) => {
    const values = key.map((column) => roundTripJson(columnSql(row, column.name), column.type))
    const parts = join([sql`1`, literal(schema), literal(name), ...values])
    return sql`'"' || ${base64Sql(sql`json_build_array(${parts})::text`)} || '"'`
  }
}

const invalid = (message: string) => validationFailed(`the node id is invalid: ${message}`)

/** Reads a node id; throws `validation-failed` without a path. */
export function parseNodeId(id: string): NodeId {
  const at = (message: string) => invalid(`Error in $: ${message}`)
  let json: unknown
  try {
    json = base64Json(id)
  } catch (error) {
    throw at(messageOf(error))
  }
  if (!Array.isArray(json)) throw at(`parsing [] failed, expected Array, but encountered ${jsonType(json)}`)
  const [version, schema, name, ...values] = json
  if (json.length === 0) throw at('unexpected GUID format, found empty list')
  const number = numberText(version)
  if (number === null) throw at('unexpected GUID format, needs to start with a version number')
  const text = decimalText(parseDecimal(number)!)
  if (text !== '1.0') throw at(`unsupported GUID version: ${text}`)
  if (values.length === 0) throw at('GUID version 1: expecting schema name, table name and at least one column value')
  for (const part of [schema, name]) {
    if (typeof part === 'string') continue
    throw at(`parsing Text failed, expected String, but encountered ${jsonType(part)}`)
  }
  return { table: { schema, name }, values }
}

/** The table of a node id, which is all that the plan of a request for the node depends on. */
export function tableOfNodeId(id: unknown): string | undefined {
  if (typeof id !== 'string') return undefined
  try {
    return nameKey(parseNodeId(id).table)
  } catch (error) {
    if (error instanceof TrellisError) return undefined
    throw error
  }
}

/** A node id as an array of the texts of its key's values; refusals are located below the field. */
export function nodeIdCodec(key: readonly ColumnModel[]): Codec {
  return {
    type: idCodec.type,
    encode(value, literal) {
      const { values } = parseNodeId(idCodec.encode(value, literal))
      return encodeArray(keyTexts(key, values))
    },
  }
}

function keyTexts(key: readonly ColumnModel[], values: readonly unknown[]): (string | null)[] {
  const missing = key.slice(values.length).map(({ name }) => `"${name}"`)
  if (missing.length > 0) throw invalid(`primary key columns ${missing.join(', ')} are missing`)
  if (values.length > key.length) {
    throw invalid(`unexpected column values ${JSON.stringify(values.slice(key.length))}`)
  }
  return key.map(({ name, type }, i) => {
    try {
      return keyText(type, values[i])
    } catch (error) {
      if (!(error instanceof TrellisError)) throw error
      throw new TrellisError(error.status, error.code, `value of column "${name}" in node id: ${error.message}`)
    }
  })
}
