// Settings of PostgreSQL that hold for one transaction.

/** Settings by name. */
export type TransactionSettings = Readonly<Record<string, string>>

/** By the number of settings that they make. */
const statements: { readonly name: string; readonly text: string }[] = []

/** The statement that makes settings for the rest of a transaction, and a name for it on connections that prepare it. */
export function settingsStatement(settings: TransactionSettings) {
  const values: string[] = []
  for (const name in settings) values.push(name, settings[name]!)
  const count = values.length / 2
  statements[count] ??= { name: `trellis_settings_${count}`, text: settingsText(count) }
  return { ...statements[count], values }
}

function settingsText(count: number): string {
  const calls = Array.from({ length: count }, (_, i) => `pg_catalog.set_config($${2 * i + 1}, $${2 * i + 2}, true)`)
  // Nothing is returned, since nobody would read it; one expression, since the rest of a condition may be left out.
  return `select where (${calls.join(' || ')}) is null`
}
