// The variables of the process.

/** The variables of the process; read nowhere else than for options and for `*_from_env` values. */
export const environment: Readonly<Record<string, string | undefined>> = process.env
