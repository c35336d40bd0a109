// Names of database objects, and how they print.

/** A table, view or function of the database. */
export interface QualifiedName {
  readonly schema: string
  readonly name: string
}

/** A key for maps: unambiguous, since PostgreSQL names cannot hold NUL. */
export const nameKey = ({ schema, name }: QualifiedName): string => `${schema}\u0000${name}`

/** Whether two names of objects are equal, with their schemas. */
export const sameName = (a: QualifiedName, b: QualifiedName): boolean => a.schema === b.schema && a.name === b.name

/** The name in messages: `name` in schema public, `schema.name` elsewhere, without quotes. */
export const nameText = ({ schema, name }: QualifiedName): string => (schema === 'public' ? name : `${schema}.${name}`)

/** The base of generated GraphQL names: `name` in schema public, `schema_name` elsewhere. */
export const graphqlBaseName = ({ schema, name }: QualifiedName): string =>
  schema === 'public' ? name : `${schema}_${name}`

/** The pattern of GraphQL names. */
export const graphqlNamePattern = '^[_A-Za-z][_0-9A-Za-z]*$'

const graphqlName = new RegExp(graphqlNamePattern)

export const isGraphQLName = (text: string): boolean => graphqlName.test(text)

const literals = new Set(['true', 'false', 'null'])

/** Whether a text is a valid name of an enum value. */
export const isEnumValueName = (text: string): boolean => isGraphQLName(text) && !literals.has(text)

/** A list in messages: `"a"`, `"a" and "b"`, `"a", "b", and "c"`. The caller quotes the items. */
export function englishList(items: readonly string[], word: 'and' | 'or' = 'and'): string {
  if (items.length <= 1) return items[0] ?? ''
  if (items.length === 2) return `${items[0]} ${word} ${items[1]}`
  return `${items.slice(0, -1).join(', ')}, ${word} ${items.at(-1)}`
}

/** Sorts like the database's C collation, so that exports and messages do not depend on a locale. */
export const compareText = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)

export const compareNames = (a: QualifiedName, b: QualifiedName): number =>
  compareText(a.schema, b.schema) || compareText(a.name, b.name)
