// Whether a table may serve as an enum: its values become a GraphQL enum.

import { enumKeyColumn } from '../../catalog/introspect.ts'
import type { CatalogTable } from '../../catalog/types.ts'
import { compareText, isEnumValueName, nameText } from '../../names/names.ts'
import { withReasons } from './reasons.ts'

/** Why a table cannot be an enum, as one message; null when it can. */
export function enumTableError(table: CatalogTable): string | null {
  const violations = enumViolations(table)
  if (violations.length === 0) return null
  return withReasons(`the table "${nameText(table)}" cannot be used as an enum`, violations)
}

function enumViolations(table: CatalogTable): string[] {
  const violations = [keyViolation(table), valuesViolation(table), columnsViolation(table)]
  return violations.filter((violation) => violation !== null)
}

const sortedList = (names: readonly string[]): string => [...names].sort(compareText).join(', ')

function keyViolation({ primaryKey, columns }: CatalogTable): string | null {
  if (!primaryKey) return 'the table must have a primary key'
  const [name, ...others] = primaryKey.columns
  if (others.length > 0) {
    return `the table’s primary key must not span multiple columns (${sortedList(primaryKey.columns)})`
  }
  const type = columns.find((column) => column.name === name)?.type.sql
  return type === 'text' ? null : `the table’s primary key ("${name}") must have type "text", not type "${type}"`
}

function valuesViolation(table: CatalogTable): string | null {
  if (!enumKeyColumn(table)) return null
  if (!table.enumValues) return 'the rows of the table cannot be read'
  if (table.enumValues.length === 0) return 'the table must have at least one row'
  const bad = table.enumValues.map(({ value }) => value).filter((value) => !isEnumValueName(value))
  bad.sort(compareText)
  const last = `"${bad.at(-1)}"`
  if (bad.length === 0) return null
  if (bad.length === 1) return `the value ${last} is not a valid GraphQL enum value name`
  const list = bad.length === 2 ? `"${bad[0]}" and ${last}` : `${bad.slice(0, -1).join(', ')}, and ${last}`
  return `the values ${list} are not valid GraphQL enum value names`
}

function columnsViolation({ primaryKey, columns }: CatalogTable): string | null {
  const [comment, ...others] = columns.filter(({ name }) => !primaryKey?.columns.includes(name))
  if (comment === undefined) return null
  if (others.length > 0) {
    const names = sortedList(columns.map(({ name }) => name))
    const rule = 'the table must have exactly one primary key and optionally one comment column'
    return `${rule}, not ${columns.length} columns (${names})`
  }
  if (comment.type.sql === 'text') return null
  return `the table’s comment column ("${comment.name}") must have type "text", not type "${comment.type.sql}"`
}
