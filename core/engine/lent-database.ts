// The database as one plugin holds it: what the plugin has called when something is heard of it may fail, and is told then.

import { type Database, lend } from '../database/database.ts'
import { stackOf } from '../errors/thrown.ts'
import type { Observer } from '../log/observe.ts'

/** Lends the database; `whose` is the plugin in messages. Nobody waits for listeners, so their failures would end the process. */
export function lendTo(whose: string, { database, observe }: { database: Database; observe: Observer }): Database {
  const told =
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
  return Object.assign(lend(database), {
    listen: (...[channel, onNotify, onLost]: Parameters<Database['listen']>) =>
      database.listen(
        channel,
        told(`a notification of "${channel}"`, onNotify),
        told(`the end of listening to "${channel}"`, onLost),
      ),
    decode: (...[onCommit, onLost]: Parameters<Database['decode']>) =>
      database.decode(told('a commit', onCommit), told('the end of what it hears of commits', onLost)),
  })
}
