// Arguments that differ from those of the operation in its latest version.

import { isJsonObject } from '../../sdk/services.ts'

/** `{table, configuration?, …}`, or the keys of the table's name beside each other. */
const tableArguments = (args: unknown): unknown => nested(args, 'table')

/** The same for a function. */
const functionArguments = (args: unknown): unknown => nested(args, 'function')

/** `{function}`, or the function's name by itself. */
const functionName = (args: unknown): unknown =>
  isJsonObject(args) && Object.hasOwn(args, 'function') ? args.function : args

/** `key` around a name that is given by itself: a text, or an object with `name`. */
function nested(args: unknown, key: 'table' | 'function'): unknown {
  if (typeof args === 'string') return { [key]: args }
  if (!isJsonObject(args) || Object.hasOwn(args, key) || !Object.hasOwn(args, 'name')) return args
  const { schema, name, ...others } = args
  return { [key]: { ...(schema !== undefined && { schema }), name }, ...others }
}

/** Takes a key by another name, as the documentation of that engine has it. */
const renamed = (from: string, to: string) => (args: unknown) => {
  if (!isJsonObject(args) || !Object.hasOwn(args, from) || Object.hasOwn(args, to)) return args
  const { [from]: value, ...others } = args
  return { ...others, [to]: value }
}

/** By the operation's name without prefix. */
export const converters: Readonly<Record<string, (args: unknown) => unknown>> = {
  track_table: tableArguments,
  untrack_table: tableArguments,
  set_table_is_enum: tableArguments,
  track_function: functionArguments,
  untrack_function: functionName,
  set_relationship_comment: renamed('name', 'relationship'),
  set_permission_comment: renamed('type', 'permission'),
}
