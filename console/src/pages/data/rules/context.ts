// Where the names in a rule lead: to columns with their types, and through relationships to other tables.

import type { TableName } from '../../../server/names.ts'
import { entryOf, type Metadata, queries } from '../../../server/queries.ts'
import { tableRelationships } from '../relations/relationships.ts'
import { readValue } from '../rows/filter.ts'
import { type TableInfo, tableInfoQuery } from '../table-info.ts'
import { typesOf } from '../types.ts'

/** The table that the names of a rule are read in. */
export interface RuleTable {
  readonly info: TableInfo
  readonly metadata: Metadata
}

/** Values of session variables, by names without the prefix, in small letters. */
export type Variables = Readonly<Record<string, string>>

const variable = /^x-(?:service|hasura)-(.+)$/i

/** The session variable that a value of a rule stands for, without the prefix; null: the value is meant. */
export const variableOf = (value: unknown): string | null =>
  (typeof value === 'string' && variable.exec(value)?.[1]?.toLowerCase()) || null

/** All session variables in a rule. */
export function variablesIn(rule: unknown): readonly string[] {
  if (typeof rule === 'object' && rule !== null) return [...new Set(Object.values(rule).flatMap(variablesIn))]
  const name = variableOf(rule)
  return name === null ? [] : [name]
}

/** The table of a name. */
export async function ruleTable(table: TableName, metadata: Metadata): Promise<RuleTable> {
  return { info: await queries.ensureQueryData(tableInfoQuery(table)), metadata }
}

/** The table that a relationship leads to, and whether to many rows; null: it has another kind. */
export async function related(
  { info, metadata }: RuleTable,
  name: string,
): Promise<(RuleTable & { readonly isMany: boolean }) | null> {
  const entry = entryOf(metadata, info.name)
  const found = entry && tableRelationships(entry, info).find((each) => each.name === name)
  return found ? { ...(await ruleTable(found.to, metadata)), isMany: found.kind === 'array' } : null
}

/** The elements of a variable's value that is a list: `{1,2}` as PostgreSQL prints arrays, or `1,2`. */
const elementsOf = (text: string): readonly string[] => {
  const inner = /^\{.*\}$/s.test(text) ? text.slice(1, -1) : text
  return inner === '' ? [] : inner.split(',').map((each) => each.trim().replace(/^"(.*)"$/s, '$1'))
}

interface Place {
  readonly operator: string
  /** PostgreSQL's name; undefined: not known. */
  readonly type: string | undefined
}

/** A value of a rule, with a session variable's value in its place. */
export function resolvedValue(value: unknown, { operator, type }: Place, variables: Variables): unknown {
  if (Array.isArray(value)) return value.map((each) => resolvedValue(each, { operator: '_eq', type }, variables))
  const name = variableOf(value)
  if (name === null) return value
  const text = variables[name] ?? ''
  if (operator === '_in' || operator === '_nin') return elementsOf(text).map((each) => readValue(each, type, true))
  return readValue(text, type, true)
}

/** The type of a column; undefined: it has no such column. */
export const typeOf = ({ info }: RuleTable, column: string): string | undefined => typesOf(info).get(column)

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** A rule with values in the place of its session variables. */
export async function resolvedRule(rule: unknown, table: RuleTable, variables: Variables): Promise<unknown> {
  if (!isObject(rule)) return rule
  const entries = Object.entries(rule).map(async ([key, value]) => [key, await member(key, value, table, variables)])
  return Object.fromEntries(await Promise.all(entries))
}

async function member(key: string, value: unknown, table: RuleTable, variables: Variables): Promise<unknown> {
  if (Array.isArray(value)) return Promise.all(value.map((each) => resolvedRule(each, table, variables)))
  if (key === '_and' || key === '_or' || key === '_not') return resolvedRule(value, table, variables)
  if (key === '_exists' && isObject(value)) {
    const other = await ruleTable(tableNameOf(value['_table']), table.metadata)
    return { ...value, _where: await resolvedRule(value['_where'], other, variables) }
  }
  const type = typeOf(table, key)
  if (type === undefined) {
    const other = await related(table, key)
    if (other) return resolvedRule(value, other, variables)
  }
  if (!isObject(value)) return resolvedValue(value, { operator: '_eq', type }, variables)
  return Object.fromEntries(
    Object.entries(value).map(([operator, inner]) => [operator, resolvedValue(inner, { operator, type }, variables)]),
  )
}

/** The name that a rule gives a table. */
export const tableNameOf = (given: unknown): TableName =>
  isObject(given)
    ? { schema: String(given['schema'] ?? 'public'), name: String(given['name']) }
    : { schema: 'public', name: String(given) }
