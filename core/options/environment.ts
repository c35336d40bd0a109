// The environment variables of the process.

/** The environment variables of the process. Read them only for options and for `*_from_env` values. */
export const environment: Readonly<Record<string, string | undefined>> = process.env

/** The value of one variable. */
export const environmentValue = (name: string): string | undefined =>
  Object.hasOwn(environment, name) ? environment[name] : undefined
