// Which variables of the process metadata may refer to.

import { environment } from './environment.ts'
import type { Option } from './option-values.ts'
import { variablesOf } from './option-variables.ts'

/** Values by the names of variables. */
export type Variables = Readonly<Record<string, string | undefined>>

/** Variables with secrets that libraries read, so that no option declares them: the database's password, and what collectors of traces are sent. */
const ofLibraries = ['PGPASSWORD', 'OTEL_EXPORTER_OTLP_HEADERS', 'OTEL_EXPORTER_OTLP_TRACES_HEADERS']

/**
 * The variables as they are now, but for those that hold secrets of the server: whoever edits metadata would read them in errors, or have
 * them sent anywhere. `prefix` is that of the dialect's options.
 */
export function referableVariables(options: readonly Option[], prefix: string): Variables {
  const secrets = options.filter(({ declaration }) => declaration.secret)
  const hidden = new Set([...ofLibraries, ...secrets.flatMap((option) => variablesOf(option, prefix))])
  return Object.fromEntries(Object.entries(environment).filter(([name]) => !hidden.has(name)))
}

/** The value of a variable; undefined: there is none. */
export const variableIn =
  (variables: Variables) =>
  (name: string): string | undefined =>
    Object.hasOwn(variables, name) ? variables[name] : undefined
