// The forms in which the answer of a statement is read from its connection.

import type { StatementBefore } from '../database.ts'
import { prepare } from '../sql/prepared-statement.ts'
import type { AnswerCall, AnsweringClient } from '../wire/answering-client.ts'

/** The form of answer that a statement is asked for. */
export type Ask<T> = (client: AnsweringClient, call: AnswerCall) => Promise<T>

export const firstField: Ask<Buffer | null> = (client, call) => client.answer(call)

export const allRows: Ask<(Buffer | null)[][]> = (client, call) => client.bytes(call)

/** All rows, after another statement. */
export const rowsAfter =
  ({ statement: { name, text }, onAnswer }: StatementBefore): Ask<(Buffer | null)[][]> =>
  (client, call) => {
    const onRow = ([answer = null]: readonly (Buffer | null)[]) => onAnswer(answer)
    return client.bytes({ ...call, preface: { name: call.name && name, text, values: [], onRow } })
  }

/** A statement before a read that also makes the transaction read-only. */
export const readingOnlyAfter = ({ statement: { text }, onAnswer }: StatementBefore): StatementBefore => {
  const setting = `pg_catalog.set_config('transaction_read_only', 'on', true)`
  return { statement: prepare({ text: `select (${text}), ${setting}`, params: [] }), onAnswer }
}

export const allTexts: Ask<(string | null)[][]> = (client, call) => client.texts(call)
