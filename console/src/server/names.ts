// Names of tables.

/** A table by schema and name. */
export interface TableName {
  readonly schema: string
  readonly name: string
}

/** A table as the metadata names it: a bare name is of the schema `public`. */
export type GivenTable = string | TableName

/** The full name. */
export const tableName = (given: GivenTable): TableName =>
  typeof given === 'string' ? { schema: 'public', name: given } : { schema: given.schema ?? 'public', name: given.name }

/** A text that two tables never share. */
export function tableKey(given: GivenTable): string {
  const { schema, name } = tableName(given)
  return JSON.stringify([schema, name])
}

/** The name for people: without the schema `public`. */
export function tableLabel(given: GivenTable): string {
  const { schema, name } = tableName(given)
  return schema === 'public' ? name : `${schema}.${name}`
}
