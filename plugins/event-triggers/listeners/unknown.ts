// Listeners that no plugin of this server declares, while another server of the database may: their changes are recorded and
// wait, until somebody removes them.

import { compile, id, join, literal, type Sql, sql, type Transaction, trusted } from '../../../sdk/sql.ts'
import { readBody, type SettingNames, tailOf } from '../capture/recording.ts'
import { operationOf } from '../capture/row-operations.ts'
import { type FoundFunction, readFunctions } from '../capture/table-functions.ts'
import { archive } from '../ledger/archive.ts'

/** The names of the listeners that were found in the database and are not declared. */
export class UnknownListeners {
  names: ReadonlySet<string> = new Set()
  #reported = new Set<string>()

  /** Remembers them, and reports each once. */
  found(names: ReadonlySet<string>, report: (message: string) => void): void {
    this.names = names
    for (const name of names) {
      if (this.#reported.has(name)) continue
      this.#reported.add(name)
      const waiting = `changes for the row listener "${name}" wait, because no plugin of this server declares it`
      report(`${waiting}; delete_event_trigger ends their recording`)
    }
  }
}

/** The names of listeners among the functions that are not declared. */
export const undeclaredIn = (found: Iterable<FoundFunction>, declared: ReadonlySet<string>): ReadonlySet<string> =>
  new Set(
    [...found].flatMap(({ body }) =>
      (readBody(body)?.recorded ?? []).flatMap(({ name, isListener }) =>
        isListener && !declared.has(name) ? [name] : [],
      ),
    ),
  )

/** Ends the recording of an undeclared listener, and archives its events; false if there is no such listener. */
export async function forgetListener(name: string, transaction: Transaction, dialect: SettingNames): Promise<boolean> {
  const found = [...(await readFunctions(transaction)).values()]
  const statements = found.flatMap((each) => withoutListener(each, name, dialect) ?? [])
  if (statements.length === 0) return false
  await transaction.script(compile(join(statements, ';\n')).text)
  await archive([name], transaction)
  return true
}

/** The statement that makes a function record no events of a listener; null if it never did. */
function withoutListener({ name, body, settings }: FoundFunction, listener: string, dialect: SettingNames): Sql | null {
  const { head = '', recorded = [] } = readBody(body) ?? {}
  const others = recorded.filter((each) => !each.isListener || each.name !== listener)
  if (others.length === recorded.length) return null
  const operation = operationOf(name)
  if (others.length === 0 || !operation) return sql`drop function if exists ${id('trellis', name)}() cascade`
  const set = settings.map((text) => {
    const [setting = '', ...value] = text.split('=')
    return trusted(` set ${setting} = ${value.join('=')}`)
  })
  return sql`create or replace function ${id('trellis', name)}() returns trigger language plpgsql security definer
    ${join(set, '')} as ${literal(`${head}${tailOf(others, operation, dialect)}`)}`
}
