// Any document over a fixed database: its export equals the input, on this instance and on a fresh one.

import assert from 'node:assert/strict'
import test from 'node:test'
import fc from '../support/fast-check.ts'
import { marksPlugin } from './marks-plugin.ts'
import { startService } from './service.ts'

const tables = ['a', 'b', '__proto__', 'a "quoted" name 🍎', 'x'.repeat(63)]

const quoted = (name: string) => `"${name.replaceAll('"', '""')}"`

const sql = tables
  .map((name) => `create table ${quoted(name)} (id int primary key, up int references a, name text);`)
  .join('')

const text = fc.oneof(
  fc.constantFrom('__proto__', 'constructor', 'toString', 'r', 'X-Service-User-Id'),
  fc.string({ minLength: 1, maxLength: 8, unit: 'binary' }),
)
const comparison = fc.oneof(
  fc.record({ id: fc.dictionary(fc.constantFrom('_eq', '_gt', '$lt'), fc.integer({ min: -9, max: 9 })) }),
  fc.record({ name: fc.dictionary(fc.constantFrom('_eq', '_like', '$neq'), text) }),
)
const { expression } = fc.letrec<{ expression: Record<string, unknown> }>((tie) => ({
  expression: fc.oneof(
    { maxDepth: 3 },
    comparison,
    fc.constant({}),
    fc.record({ _and: fc.array(tie('expression'), { maxLength: 2 }) }),
    fc.record({ _or: fc.array(tie('expression'), { maxLength: 2 }) }),
    fc.record({ _not: tie('expression') }),
  ),
}))

const columns = fc.oneof(fc.constant('*' as const), fc.uniqueArray(fc.constantFrom('id', 'up', 'name')))

/** An array that is absent when empty, sorted by name as in exports. */
const sortedList = <T extends object>(entry: fc.Arbitrary<T>, name: (entry: T) => string) =>
  fc
    .uniqueArray(entry, { maxLength: 3, selector: name })
    .map((list) => list.sort((a, b) => (name(a) < name(b) ? -1 : 1)))

const permissions = <T extends object>(permission: fc.Arbitrary<T>) =>
  sortedList(
    fc.record(
      { role: text.filter((role) => role !== 'admin'), permission, comment: text },
      { requiredKeys: ['role', 'permission'] },
    ),
    ({ role }) => role as string,
  )

const entry = fc
  .record({
    marks: sortedList(fc.record({ name: text }), ({ name }) => name),
    select: permissions(
      fc.record(
        { columns, filter: expression, limit: fc.nat(100), allow_aggregations: fc.constant(true) },
        { requiredKeys: ['columns', 'filter'] },
      ),
    ),
    insert: permissions(fc.record({ check: expression, columns }, { requiredKeys: ['check'] })),
    remove: permissions(fc.record({ filter: expression })),
  })
  .map(({ marks, select, insert, remove }) => ({
    ...(insert.length > 0 && { insert_permissions: insert }),
    ...(select.length > 0 && { select_permissions: select }),
    ...(remove.length > 0 && { delete_permissions: remove }),
    ...(marks.length > 0 && { test_marks: marks.filter(({ name }) => name !== 'bad') }),
  }))

const document = fc
  .record({
    entries: fc.dictionary(fc.constantFrom(...tables), entry, { noNullPrototype: true }),
    stickers: sortedList(fc.record({ name: text, text: fc.jsonValue() }), ({ name }) => name),
    motto: fc.option(text),
  })
  .map(({ entries, stickers, motto }) => {
    const names = Object.keys(entries).sort((a, b) => (a < b ? -1 : 1))
    return {
      version: 2,
      tables: names.map((name) => ({ table: { schema: 'public', name }, ...entries[name] })),
      ...(names.length > 0 &&
        stickers.length > 0 && {
          test_stickers: stickers.map((sticker) => ({ ...sticker, table: { schema: 'public', name: names[0] } })),
        }),
      ...(motto !== null && { test_motto: { text: motto } }),
    }
  })

test('any document is exported as it was given', { timeout: 120_000 }, async (t) => {
  const { op, database } = await startService(t, { sql, plugins: [marksPlugin()] })
  const byName = (list: { name: string }[] = []) => [...list].sort((a, b) => (a.name < b.name ? -1 : 1))
  const canonical = (given: unknown) => {
    const { test_stickers, ...rest } = JSON.parse(JSON.stringify(given))
    return { ...rest, stickers: byName(test_stickers) }
  }
  await fc.assert(
    fc.asyncProperty(document, async (given) => {
      await op('replace_metadata', JSON.parse(JSON.stringify(given)))
      const exported = await op('export_metadata', {})
      assert.deepEqual(canonical(exported), canonical(given))
      await op('clear_metadata', {})
      await op('replace_metadata', JSON.parse(JSON.stringify(exported)))
      assert.deepEqual(await op('export_metadata', {}), exported)
    }),
    { numRuns: 60 },
  )
  const fresh = await startService(t, { database, plugins: [marksPlugin()] })
  assert.deepEqual(canonical(await fresh.op('export_metadata', {})), canonical(await op('export_metadata', {})))
})
