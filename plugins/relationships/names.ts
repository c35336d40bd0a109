// Names of suggested relationships.

/** The name of the related row: by the column without its `_id`, or else by the other table. */
export function objectName(columns: readonly string[], target: string): string {
  const [column] = columns
  const base = columns.length === 1 ? /^(.+?)(?:_id|_fk|Id|ID)$/.exec(column!)?.[1] : undefined
  return graphqlName(base ?? target)
}

/** The name of the related rows: the table's, in the plural. */
export const arrayName = (table: string): string => graphqlName(plural(table))

/** A name that also says by which columns rows are related. */
export const nameBy = (name: string, columns: readonly string[]): string =>
  graphqlName(`${name}_by_${columns.join('_')}`)

function plural(name: string): string {
  if (/s$/i.test(name)) return name
  if (/(?:x|z|ch|sh)$/i.test(name)) return `${name}es`
  return /[^aeiou]y$/i.test(name) ? `${name.slice(0, -1)}ies` : `${name}s`
}

function graphqlName(name: string): string {
  const safe = name.replaceAll(/[^A-Za-z0-9_]/g, '_')
  return /^(?:\d|__|$)/.test(safe) ? `r_${safe}` : safe
}
