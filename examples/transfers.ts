// Transfers between accounts: an action that a function answers in one transaction, with the caller's permissions. A
// listener receives each changed balance afterwards, at least once, also for changes by other programs. `npm start --
// --plugin ./examples/transfers.ts`

import { badRequest, definePlugin } from 'trellis'
import { actionHandlers } from 'trellis/actions'
import { rowEvents } from 'trellis/event-triggers'

declare module 'trellis/actions' {
  interface ActionTypes {
    transfer: { input: { from: number; to: number; amount: number }; output: { from: number; to: number } }
  }
}

interface Account {
  readonly id: number
  readonly balance: number
}

const add =
  'mutation ($id: Int!, $n: Int!) { account: update_account_by_pk(pk_columns: {id: $id}, _inc: {balance: $n}) { id } }'

export default definePlugin({
  name: 'transfers',
  dependencies: ['actions', 'event-triggers'],
  migrations: [
    {
      name: '1',
      sql: `create table trellis.statement_line (event uuid primary key, account int not null, difference int not null, by_role text)`,
    },
  ],
  register(engine) {
    engine.use(actionHandlers).handle('transfer', async ({ input: { from, to, amount }, client }) => {
      if (amount <= 0) throw badRequest('validation-failed', 'the amount has to be positive', { path: ['amount'] })
      // Both changes are committed or neither, and each needs the caller's permission.
      for (const [id, n] of [[from, -amount] as const, [to, amount] as const]) {
        const { account } = await client.graphql<{ account: object | null }>(add, { id, n })
        if (!account) throw badRequest('not-found', `you have no access to the account ${id}`)
      }
      return { from, to }
    })
    engine.use(rowEvents).on<Account>(
      {
        name: 'statement_lines',
        table: 'account',
        operations: ['update'],
        columns: ['balance'],
        orderingKey: ['id'],
        retry: { retries: 5, interval: 10 },
      },
      async ({ event, session }) => {
        const difference = event.new!.balance - event.old!.balance
        // An event may come twice, with the same id.
        await engine.database.rows(
          'insert into trellis.statement_line values ($1, $2, $3, $4) on conflict do nothing',
          [event.id, event.new!.id, difference, session?.role],
        )
      },
    )
  },
})
