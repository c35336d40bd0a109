// Functions of plugins that return nothing where they must decide. The request fails; nothing is left unrestricted.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { badRequest, definePlugin, type Engine } from '../../sdk/index.ts'
import { recordingObserver } from '../http/server.ts'
import { startTrellis } from '../support/trellis.ts'

/** A function that forgets its `return`, as JavaScript allows. */
const forgets = (): never => undefined as never

const schema = `create table lock (id int primary key, code text); insert into lock values (1, 'a'), (2, 'b')`
const remove = 'mutation { delete_lock(where: {}) { affected_rows } }'
const insert = `mutation { insert_lock(objects: {id: 3, code: "c"}) { affected_rows } }`

const cases: Readonly<Record<string, readonly [query: string, declare: (engine: Engine) => void, logged: RegExp]>> = {
  'the condition of rows': [
    '{ lock { id } }',
    ({ access }) => access.narrow({ name: 'mine', rows: forgets }),
    /narrowing "mine" of plugin "forgetful" failed for table "lock": "rows" must return a condition or null, but returned undefined/,
  ],
  'the condition of written rows': [
    insert,
    ({ access }) => access.narrow({ name: 'mine', written: forgets }),
    /narrowing "mine" of plugin "forgetful" failed for table "lock": "written" must return a condition or null, but returned undefined/,
  ],
  'the replacement of a change': [
    remove,
    ({ access }) => access.narrow({ name: 'mine', change: forgets }),
    /narrowing "mine" of plugin "forgetful" failed for table "lock": "change" must return a change, but returned undefined/,
  ],
  'the guard of a change': [
    remove,
    ({ graphql }) => graphql.contribute({ name: 'mine', guard: forgets }),
    /plugin "forgetful": .*"guard" must return a guard or null, but returned undefined/,
  ],
  'the form of a column': [
    '{ lock { code } }',
    ({ columns }) => columns.transform({ name: 'mine', applies: (_, { name }) => name === 'code', read: forgets }),
    /transformation "mine" of plugin "forgetful" failed for the column "code" of table "lock": "read" must return a form of reading/,
  ],
}

for (const [title, [query, declare, logged]] of Object.entries(cases)) {
  test(`${title} that is undefined fails the request, and names the plugin`, async (t) => {
    const observe = recordingObserver()
    const plugin = definePlugin({ name: 'forgetful', dependencies: ['graphql'], register: declare })
    const trellis = await startTrellis(t, { sql: schema, plugins: [plugin], observe })
    await trellis.op('track_table', 'lock')
    const { data, errors } = await trellis.graphql<{ data?: unknown; errors?: { message: string }[] }>(query)
    assert.deepEqual([data, errors?.[0]?.message], [undefined, 'internal error'])
    const details = observe.entries.map(({ detail }) => String(detail))
    assert.ok(
      details.some((detail) => logged.test(detail)),
      details.join('\n'),
    )
    assert.deepEqual(await trellis.sql('select count(*)::int from lock'), [{ count: 2 }])
  })
}

test('a column whose transformation does not say whether it applies is not served', async (t) => {
  const register = ({ columns }: Engine) => columns.transform({ name: 'mine', applies: forgets, read: () => 'hidden' })
  const plugin = definePlugin({ name: 'forgetful', register })
  const trellis = await startTrellis(t, { sql: schema, plugins: [plugin] })
  const { status, body } = await trellis.opError('track_table', 'lock')
  const reason = '"applies" must return true or false, but returned undefined'
  const whose = 'the transformation "mine" of plugin "forgetful" failed for the column "id"'
  assert.deepEqual([status, Object(body).error], [400, `${whose}: ${reason}`])
})

test('a hook stays engaged if it is not told whether it is needed', async (t) => {
  const register = ({ around }: Engine) =>
    around({ operation: () => Promise.reject(badRequest('closed', 'no')) }, forgets)
  const trellis = await startTrellis(t, { sql: schema, plugins: [definePlugin({ name: 'forgetful', register })] })
  const { errors } = await trellis.graphql<{ errors?: { message: string }[] }>('{ __typename }')
  assert.equal(errors?.[0]?.message, 'no')
})
