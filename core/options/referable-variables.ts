// Decides which environment variables metadata may refer to.

import { environment } from './environment.ts'
import type { Option } from './option-values.ts'
import { variablesOf } from './option-values.ts'

/** Values by variable name. */
export type Variables = Readonly<Record<string, string | undefined>>

/**
 * Secret variables that libraries read, so that no option declares them: the database password and trace exporter
 * headers.
 */
const ofLibraries = ['PGPASSWORD', 'OTEL_EXPORTER_OTLP_HEADERS', 'OTEL_EXPORTER_OTLP_TRACES_HEADERS']

/**
 * Returns the current variables without the server's secrets. Otherwise metadata authors could read them in errors or
 * send them to any URL. `prefix` is that of the dialect's options.
 */
export function referableVariables(options: readonly Option[], prefix: string): Variables {
  const secrets = options.filter(({ declaration }) => declaration.secret)
  const hidden = new Set([...ofLibraries, ...secrets.flatMap((option) => variablesOf(option, prefix))])
  return Object.fromEntries(Object.entries(environment).filter(([name]) => !hidden.has(name)))
}

/** The value of a variable; undefined if it is not set. */
export const variableIn =
  (variables: Variables) =>
  (name: string): string | undefined =>
    Object.hasOwn(variables, name) ? variables[name] : undefined
