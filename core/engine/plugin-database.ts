// The database as one plugin sees it. Errors of the plugin's listeners are logged under its name.

import { type Database, withoutLifecycle } from '../database/database.ts'
import type { DecodingListener } from '../database/hearing/decoding.ts'
import { stackOf } from '../errors/thrown.ts'
import type { Observer } from '../log/observe.ts'

/**
 * The database for a plugin; `whose` names the plugin in messages. Listeners are not awaited, so their errors would end
 * the process.
 */
export function databaseForPlugin(
  whose: string,
  { database, observe }: { database: Database; observe: Observer },
): Database {
  const guarded =
    <Given extends readonly unknown[]>(what: string, run: (...given: Given) => void) =>
    (...given: Given): void => {
      const fail = (error: unknown) => {
        observe.log({ type: 'unstructured', level: 'error', detail: `${whose} failed at ${what}: ${stackOf(error)}` })
      }
      try {
        const running: unknown = run(...given)
        if (running instanceof Promise) running.catch(fail)
      } catch (error) {
        fail(error)
      }
    }
  return Object.assign(withoutLifecycle(database), {
    listen: (...[channel, listener]: Parameters<Database['listen']>) =>
      database.listen(channel, {
        onNotify: guarded(`a notification of "${channel}"`, (payload) => listener.onNotify(payload)),
        onHeard: guarded(`the start of channel "${channel}"`, () => listener.onHeard?.()),
        onLost: guarded(`the lost connection of channel "${channel}"`, (error) => listener.onLost?.(error)),
      }),
    decode: ({ onCommit, onLost, columnsOf }: DecodingListener) =>
      database.decode({
        onCommit: guarded('a commit', onCommit),
        onLost: guarded('the lost stream of commits', onLost),
        columnsOf(table) {
          let columns: ReadonlySet<string> | null = null
          guarded('the columns of a commit', () => {
            columns = columnsOf?.(table) ?? null
          })()
          return columns
        },
      }),
  })
}
