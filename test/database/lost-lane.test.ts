import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Lane } from '../../core/database/placing/lane.ts'
import { SilentlyLost } from '../../core/database/placing/lost-connections.ts'
import { StatementHistory } from '../../core/database/sql/statement-history.ts'
import { AnsweringClient } from '../../core/database/wire/answering-client.ts'

/** A client that gets no answer until its statements fail. */
class SilentClient extends AnsweringClient {
  readonly #asked: ((error: Error) => void)[] = []

  override ask(...[, done]: Parameters<AnsweringClient['ask']>): void {
    this.#asked.push((error) => done(error, null))
  }

  override hold(): void {}
  override flush(): void {}

  fail(error: Error): void {
    for (const done of this.#asked) done(error)
  }
}

const ask = (lane: Lane, answer: string) => {
  const elsewhere = async () => Buffer.from(answer)
  const call = {
    text: '',
    values: [],
    name: null,
    history: new StatementHistory(),
    whenUnwanted: null,
    explained: (error: unknown) => error,
    elsewhere,
  }
  return lane.run(call, null)
}

test('all reads of a silently lost lane are answered on other connections', async () => {
  const client = new SilentClient({})
  const lane = new Lane(client, () => 0)
  const answers = ['first', 'second'].map((word) => ask(lane, word))
  client.fail(new SilentlyLost())
  assert.deepEqual((await Promise.all(answers)).map(String), ['first', 'second'])
})

test('when PostgreSQL ends a connection, the running read fails, since it may be the cause', async () => {
  const client = new SilentClient({})
  const lane = new Lane(client, () => 0)
  const answers = ['first', 'second'].map((word) => ask(lane, word))
  client.fail(new Error('Connection terminated unexpectedly'))
  const [first, second] = await Promise.allSettled(answers)
  assert.equal(first!.status, 'rejected')
  assert.equal(String((second as PromiseFulfilledResult<Buffer>).value), 'second')
})
