// The variables of the process.

/** The variables of the process; read nowhere else than for options and for `*_from_env` values. */
export const environment: Readonly<Record<string, string | undefined>> = process.env

/** The value of one of them. */
export const environmentValue = (name: string): string | undefined =>
  Object.hasOwn(environment, name) ? environment[name] : undefined
