// `$patch` of `update`: operations within a jsonb value, after RFC 6902.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { refused, startOffice } from './office.ts'

const add = (path: string, value: unknown) => ({ op: 'add', path, value })
const replace = (path: string, value: unknown) => ({ op: 'replace', path, value })
const remove = (path: string) => ({ op: 'remove', path })
const is = (path: string, value: unknown) => ({ op: 'test', path, value })

/** Values, patches and results; undefined: the row is left alone. */
const patches: readonly (readonly [unknown, readonly object[], unknown])[] = [
  [{ a: 1 }, [add('/b', [1])], { a: 1, b: [1] }],
  [{ a: 1 }, [add('/a', null)], { a: null }],
  [{ a: [1, 3] }, [add('/a/1', 2)], { a: [1, 2, 3] }],
  [{ a: [1, 2] }, [add('/a/2', 3)], { a: [1, 2, 3] }],
  [{ a: [1, 2] }, [add('/a/3', 3)], undefined],
  [{ a: [1] }, [add('/a/-', [2])], { a: [1, [2]] }],
  [[], [add('/-', 'x')], ['x']],
  [[], [add('/0', 'x')], ['x']],
  [[1], [add('/-1', 2)], undefined],
  [[1], [add('/01', 2)], undefined],
  [[1], [add('/x', 2)], undefined],
  [{}, [add('/-', 1), add('/01', 2), add('/', 3)], { '-': 1, '01': 2, '': 3 }],
  [{}, [add('/a/b', 1)], undefined],
  [{}, [add('/a', {}), add('/a/b', 1), replace('/a/b', 2), is('/a', { b: 2 })], { a: { b: 2 } }],
  ['text', [add('/a', 1)], undefined],
  ['text', [add('', { a: 1 }), remove('/a')], {}],
  [{ a: { b: 1 } }, [remove('/a/b')], { a: {} }],
  [[1, 2, 3], [remove('/0'), remove('/0')], [3]],
  [[1], [remove('/-')], undefined],
  [[1], [remove('/-1')], undefined],
  [[1], [remove('/1')], undefined],
  [{ '-1': [1] }, [remove('/-1/0')], { '-1': [] }],
  [{ a: null }, [remove('/a')], {}],
  [{ a: 1 }, [remove('/b')], undefined],
  [{ a: 1 }, [replace('/b', 1)], undefined],
  [{ 'a/b': { 'm~n': 1, '~1': 2 } }, [replace('/a~1b/m~0n', 3), remove('/a~1b/~01')], { 'a/b': { 'm~n': 3 } }],
  [{ 'a"b\\c,d': 1, null: 2 }, [replace('/a"b\\c,d', 2), remove('/null')], { 'a"b\\c,d': 2 }],
  [{ a: 1 }, [replace('', [])], []],
  [{ a: 1 }, [is('/a', 1.0), replace('/a', 'é')], { a: 'é' }],
  [{ a: 1 }, [is('/a', '1'), replace('/a', 2)], undefined],
  [{ a: { x: 1, y: [2] } }, [is('/a', { y: [2], x: 1 }), remove('/a')], {}],
  [{ a: 1 }, [replace('/a', 2), is('/a', 1)], undefined],
  [null, [is('', null), replace('', 1)], 1],
]

test('a patch changes places within a value, or leaves the row alone', async (t) => {
  const trellis = await startOffice(t)
  const { op, opError, sql } = trellis
  const patch = (extra: readonly object[], where: object = { id: 1 }) =>
    op('update', { table: 'person', where, $patch: { extra } })
  for (const [before, operations, after] of patches) {
    await sql(`update person set extra = '${JSON.stringify(before)}' where id = 1`)
    const title = JSON.stringify([before, operations])
    assert.deepEqual(await patch(operations), { affected_rows: after === undefined ? 0 : 1 }, title)
    const [row] = await sql<{ extra: unknown }>('select extra from person where id = 1')
    assert.deepEqual(row!.extra, after === undefined ? before : after, title)
  }

  // A column that is NULL has no places, and other rows are changed all the same.
  await sql(`update person set extra = '{"n": 1}' where id = 1; update person set extra = '{"n": 2}' where id = 2`)
  assert.deepEqual(await patch([add('/m', 1)], {}), { affected_rows: 2 })
  assert.deepEqual(await patch([is('/n', 2), add('/m', 3)], {}), { affected_rows: 1 })

  // Numbers keep their digits.
  const body = `{"type": "update", "args": {"table": "person", "where": {"id": 1}, "returning": ["extra"], "$set": {"first": "x"},
    "$patch": {"extra": [{"op": "test", "path": "/m", "value": 1.0}, {"op": "add", "path": "/big", "value": 12345678901234567890.10}]}}}`
  const { text } = await trellis.request('/v1/query', { body })
  assert.equal(text, '{"returning":[{"extra":{"m":1,"n":1,"big":12345678901234567890.10}}],"affected_rows":1}')

  // A hundred operations are one statement.
  const hundred = Array.from({ length: 100 }, (_, i) => add(`/k${i}`, i))
  assert.deepEqual(await patch(hundred, { id: 2 }), { affected_rows: 1 })

  const extra = `$.args['$patch'].extra`
  const kinds = 'expecting one of "add", "remove", "replace", "test"'
  const refusals: readonly (readonly [object, object])[] = [
    [{ pay: [remove('/a')] }, refused('unexpected-payload', 'column "pay" is not of type jsonb', `$.args['$patch']`)],
    [{ nope: [remove('/a')] }, refused('permission-denied', 'no such column exists : "nope"', `$.args['$patch']`)],
    [
      { extra: [remove('/a'), remove('a')] },
      refused('unexpected-payload', '"a" is not a JSON Pointer', `${extra}[1].path`),
    ],
    [{ extra: [remove('/~2')] }, refused('unexpected-payload', '"/~2" is not a JSON Pointer', `${extra}[0].path`)],
    [{ extra: [remove('')] }, refused('unexpected-payload', 'the whole value cannot be removed', `${extra}[0].path`)],
    [{ extra: [{ op: 'move', path: '/a' }] }, refused('unexpected-payload', kinds, `${extra}[0].op`)],
    [{ extra: [{ op: 'test' }] }, refused('unexpected-payload', 'undefined is not a JSON Pointer', `${extra}[0].path`)],
    [{ extra: [] }, refused('unexpected-payload', 'expecting a list of operations', extra)],
    [{ extra: [{ op: 'add', path: '/a' }] }, refused('unexpected-payload', '"add" needs a value', `${extra}[0]`)],
    [
      { extra: [...hundred, remove('/k1')] },
      refused('unexpected-payload', 'a patch has at most 100 operations', `$.args['$patch']`),
    ],
  ]
  for (const [$patch, error] of refusals) {
    assert.deepEqual(await opError('update', { table: 'person', where: {}, $patch }), error, JSON.stringify($patch))
  }
  // A patch would tell of values that the role may not read.
  const blind = { columns: ['extra'], filter: {}, check: { extra: { _has_key: 'n' } } }
  await op('create_update_permission', { table: 'person', role: 'blind', permission: blind })
  await op('create_select_permission', { table: 'person', role: 'blind', permission: { columns: ['id'], filter: {} } })
  const asBlind = (operations: readonly object[]) =>
    opError('update', { table: 'person', where: { id: 1 }, $patch: { extra: operations } }, { role: 'blind' })
  assert.deepEqual(
    await asBlind([is('/n', 1)]),
    refused('permission-denied', 'role "blind" does not have permission to select column "extra"', `$.args['$patch']`),
  )
  await op('drop_select_permission', { table: 'person', role: 'blind' })
  await op('create_select_permission', {
    ...{ table: 'person', role: 'blind', permission: { columns: ['id', 'extra'], filter: {} } },
  })
  assert.deepEqual(
    await asBlind([remove('/n')]),
    refused('permission-error', 'Check constraint violation. update check constraint failed'),
  )
})
