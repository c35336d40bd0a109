// A database that runs statements, and loses some of their answers with the connection.

import type { TestContext } from 'node:test'
import type { Database, Row } from '../../sdk/sql.ts'
import { openDatabase } from './connections.ts'

/** A database that loses the answers to some statements. */
export async function losing(t: TestContext, url: string, isLost: (text: string) => boolean) {
  const { database } = await openDatabase(t, { url })
  const rows: Database['rows'] = async <R extends Row>(text: string, values?: readonly unknown[]) => {
    const answer = await database.rows<R>(text, values)
    if (isLost(text)) throw new Error('the connection was lost')
    return answer
  }
  const texts: Database['texts'] = async (statement, values, options) => {
    const answer = await database.texts(statement, values, options)
    if (isLost(statement.text)) throw new Error('the connection was lost')
    return answer
  }
  const transaction: Database['transaction'] = async (work, options) => {
    const answer = await database.transaction(work, options)
    if (isLost('transaction')) throw new Error('the connection was lost')
    return answer
  }
  return { rows, texts, transaction }
}

/** Whether it is the first, the third, ... of its kind. */
export const everyOther = (isMeant: (text: string) => boolean) => {
  let count = 0
  return (text: string) => isMeant(text) && ++count % 2 === 1
}
