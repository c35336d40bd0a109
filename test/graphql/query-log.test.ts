import assert from 'node:assert/strict'
import test from 'node:test'
import type { LogEntry, Observer, QueryLog } from '../../core/log/observe.ts'
import { startLibrary } from '../support/library.ts'

test('the query log has the SQL and its arguments by response name, and null for fields without a query', async (t) => {
  const entries: LogEntry[] = []
  const observe: Observer = { isEnabled: () => true, log: (entry) => entries.push(entry), flush: () => {} }
  const trellis = await startLibrary(t, { observe })
  const logged = async (query: string, variables?: Record<string, unknown>) => {
    entries.length = 0
    await trellis.graphql(query, variables)
    return entries.find(({ type }) => type === 'query-log')!.detail as QueryLog
  }

  const variables = { t: 'Dawn' }
  const query = 'query ($t: String!) { a: book(where: {title: {_eq: $t}}) { id } b: publisher { id } }'
  const both = await logged(query, variables)
  assert.deepEqual(both.query, { query, variables })
  assert.deepEqual(Object.keys(both.generated_sql!), ['a', 'b'])
  assert.deepEqual(both.generated_sql!.a!.prepared_arguments, ['Dawn'])
  assert.match(both.generated_sql!.a!.query, /^select .*"book"/)

  const mixed = await logged('{ a: book { id } __schema { queryType { name } } }')
  assert.deepEqual(Object.keys(mixed.generated_sql!), ['a', '__schema'])
  assert.equal(mixed.generated_sql!.__schema, null)

  assert.equal((await logged('mutation { delete_book(where: {}) { affected_rows } }')).generated_sql, null)
})
