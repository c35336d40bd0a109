// Reads functions from PostgreSQL's system catalog.

import { readFileSync } from 'node:fs'
import type { Row } from '../database/transaction.ts'
import { nameKey, type QualifiedName } from '../names/names.ts'
import { type Reader, readWithTypes, type Types } from './introspect.ts'
import type { CatalogFunction, DeclaredType, FunctionArgument } from './types.ts'

const functionsQuery = readFileSync(new URL('./functions.sql', import.meta.url), 'utf8')

type TypeRow = [type: number, schema: string, name: string, kind: string]

interface FunctionRow extends Row {
  readonly oid: number
  readonly schema: string
  readonly name: string
  readonly comment: string | null
  readonly volatile: boolean
  readonly variadic: boolean
  readonly returnsSet: boolean
  readonly returnType: TypeRow
  readonly returnsTable: boolean | null
  /** The number of arguments with a default; they come last. */
  readonly defaults: number
  readonly arguments: readonly [name: string | null, ...TypeRow][] | null
}

/**
 * The functions of the given names, by `nameKey`, overloads together; the list is empty if no function has the name.
 */
export async function introspectFunctions(
  reader: Reader,
  names: readonly QualifiedName[],
): Promise<ReadonlyMap<string, readonly CatalogFunction[]>> {
  if (names.length === 0) return new Map()
  const pairs = [names.map(({ schema }) => schema), names.map(({ name }) => name)]
  const read = () => reader.rows<FunctionRow>(functionsQuery, pairs)
  const { rows, types } = await readWithTypes(reader, { read, typesOf })
  const found = new Map<string, CatalogFunction[]>(names.map((name) => [nameKey(name), []]))
  for (const row of rows) found.get(nameKey(row))?.push(catalogFunction(row, types))
  return found
}

const typesOf = (row: FunctionRow): number[] => [row.returnType[0], ...(row.arguments ?? []).map(([, type]) => type)]

function catalogFunction(row: FunctionRow, types: Types): CatalogFunction {
  const { schema, name, oid, comment, volatile, variadic, returnsSet, returnType } = row
  const declared = declaredType(returnType)
  return {
    ...{ schema, name, oid, comment, volatile, variadic, returnsSet },
    arguments: functionArguments(row, types),
    returnType: types.get(returnType[0])!,
    declaredReturnType: declared,
    returnsTable: row.returnsTable ? { schema: declared.schema, name: declared.name } : null,
  }
}

const declaredType = ([, schema, name, kind]: TypeRow): DeclaredType => ({ schema, name, kind })

function functionArguments({ arguments: rows, defaults }: FunctionRow, types: Types): FunctionArgument[] {
  const given = rows ?? []
  return given.map(([name, ...type], i) => ({
    name,
    type: types.get(type[0])!,
    declaredType: declaredType(type),
    hasDefault: i >= given.length - defaults,
  }))
}
