// The flags that every command has. The program reads this list at each start, so it loads nothing.

/** A flag of a command. */
export interface Flag {
  /** The placeholder of its value; absent for a switch. */
  readonly value?: string
  /** One letter for it. */
  readonly short?: string
  readonly description: string
}

/** The flags that every command has. */
export const commonFlags: Readonly<Record<string, Flag>> = {
  endpoint: { value: 'URL', description: 'the server; http://localhost:8080 when nothing names one' },
  'admin-secret': { value: 'SECRET', description: 'the admin secret of the server' },
  'admin-secret-file': { value: 'FILE', description: 'a file with the admin secret' },
  'database-url': { value: 'URL', description: 'runs the engine in this process over a database, without a server' },
  project: { value: 'DIR', description: 'the folder of the project; the current folder when absent' },
  source: { value: 'NAME', description: 'the source of migrations and seeds; default when nothing names one' },
  json: { description: 'prints one JSON object on standard output' },
  yes: { description: 'agrees to changes that cannot be undone' },
  'no-color': { description: 'accepted for scripts: the output has no colors' },
  help: { description: 'prints this text' },
}

/** The number of arguments before the first word that is neither one of these flags nor the value of one. */
export function leadingFlags(argv: readonly string[]): number {
  let at = 0
  for (;;) {
    const [, name = '', value] = /^--([\w-]+)(=.*)?$/s.exec(argv[at] ?? '') ?? []
    if (!Object.hasOwn(commonFlags, name) || name === 'help') return at
    at += commonFlags[name]!.value !== undefined && value === undefined ? 2 : 1
  }
}
