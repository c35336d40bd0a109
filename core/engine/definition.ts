// Checks the argument of `definePlugin` before it is used, because plugins in JavaScript have no compiler.

import { nearestNames } from '../errors/nearest.ts'
import type { OptionDeclaration } from '../options/option-values.ts'
import type { Plugin } from './plugin.ts'

const isListOf = (value: unknown, isOne: (each: unknown) => boolean): boolean =>
  Array.isArray(value) && value.every(isOne)

const isText = (value: unknown): boolean => typeof value === 'string' && value !== ''

const isObject = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const isMigration = (value: unknown): boolean =>
  isObject(value) && isText(Reflect.get(value, 'name')) && isText(Reflect.get(value, 'sql'))

const isCommand = (value: unknown): boolean =>
  isObject(value) &&
  /^[a-z][a-z-]*$/.test(String(Reflect.get(value, 'name'))) &&
  isText(Reflect.get(value, 'description')) &&
  isObject(Reflect.get(value, 'flags')) &&
  typeof Reflect.get(value, 'run') === 'function'

/** The type of each optional member. */
const members: readonly (readonly [name: keyof Plugin, form: string, isOne: (value: unknown) => boolean])[] = [
  ['api', 'a text without commas', (value) => isText(value) && !String(value).includes(',')],
  ['enabledByDefault', 'true or false', (value) => typeof value === 'boolean'],
  ['replaces', 'true or false', (value) => typeof value === 'boolean'],
  ['dependencies', 'a list of the names of plugins', (value) => isListOf(value, isText)],
  ['options', 'an object of options', isObject],
  ['commands', 'a list of { name, description, flags, run }', (value) => isListOf(value, isCommand)],
  ['migrations', 'a list of { name, sql }, each of them a text', (value) => isListOf(value, isMigration)],
  ['logged', 'a function', (value) => typeof value === 'function'],
]

const known: readonly string[] = ['name', ...members.map(([name]) => name), 'register']

/** Members that no author writes. */
const made: readonly string[] = ['trellisPlugin', 'builtIn'] satisfies (keyof Plugin)[]

/** The error in a plugin's definition, worded to follow its name; null if it is valid. */
export function definitionRefusal(plugin: Plugin): string | null {
  const wrong = members.find(([name, , isOne]) => plugin[name] !== undefined && !isOne(plugin[name]))
  if (wrong) return `is declared wrongly: "${wrong[0]}" has to be ${wrong[1]}`
  const unknown = Object.keys(plugin).find((name) => !known.includes(name) && !made.includes(name))
  if (unknown === undefined) return null
  const [near] = nearestNames(unknown, known)
  const hint = near === undefined ? `there are ${known.join(', ')}` : `did you mean "${near}"?`
  return `is declared wrongly: definePlugin has no member "${unknown}", ${hint}`
}

/** The error in an option's declaration, worded to follow its key; null if it is valid. */
export function optionRefusal({ flag, variable, description }: Partial<OptionDeclaration>): string | null {
  if (!/^[a-z][a-z0-9-]*$/.test(flag ?? '')) return 'whose "flag" has to be in small letters, digits and hyphens'
  if (variable !== undefined && !/^[A-Z][A-Z0-9_]*$/.test(variable)) {
    return 'whose "variable" has to be in capitals, digits and underscores'
  }
  return isText(description) ? null : 'without a "description"'
}
