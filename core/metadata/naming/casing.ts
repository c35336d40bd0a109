// The spelling of generated names: as in the database, or in camel case.

const capitalized = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1)

const uncapitalized = (text: string): string => text.charAt(0).toLowerCase() + text.slice(1)

/** The underscores at the beginning of a name, and its words. */
function wordsOf(name: string): readonly [underscores: string, ...words: string[]] {
  const [underscores = ''] = /^_*/.exec(name) ?? []
  return [underscores, ...name.slice(underscores.length).split('_')]
}

/** `created_at` as `createdAt`. Underscores at the beginning stay: `_is_null` is `_isNull`. */
export function camelCase(name: string): string {
  const [underscores, first = '', ...others] = wordsOf(name)
  return `${underscores}${first}${others.map(capitalized).join('')}`
}

/** `app_users_bool_exp` as `AppUsersBoolExp`. */
export function pascalCase(name: string): string {
  const [underscores, ...words] = wordsOf(name)
  return `${underscores}${words.map(capitalized).join('')}`
}

/** The name without a suffix in Pascal case; null: it has another end. */
export function withoutPascalSuffix(name: string, suffix: string): string | null {
  const end = pascalCase(suffix.replace(/^_/, ''))
  return name.length > end.length && name.endsWith(end) ? name.slice(0, name.length - end.length) : null
}

/** The names that a name without its prefix may have had: the prefix has made its first letter a capital. */
export const uncapitalizedToo = (name: string): readonly string[] => [...new Set([name, uncapitalized(name)])]

/** A name with an addition: `books` and `_aggregate` are `booksAggregate` in camel case. */
export const withSuffix = (base: string, suffix: string, isCamel: boolean): string =>
  isCamel && suffix !== '' ? `${base}${pascalCase(suffix.replace(/^_/, ''))}` : `${base}${suffix}`

/** The same in front: `insert_` and `books` are `insertBooks`. */
export const withPrefix = (prefix: string, base: string, isCamel: boolean): string =>
  isCamel && prefix !== '' ? `${camelCase(prefix)}${capitalized(base)}` : `${prefix}${base}`
