import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startTrellis, type TestTrellis } from '../support/trellis.ts'
import { startOffice } from './office.ts'

const ok = { message: 'success' }
const publicName = (name: string) => ({ schema: 'public', name })
const sessionArgument = (name: string, session_argument?: string) => ({
  function: name,
  configuration: { session_argument },
})

const exported = async (trellis: TestTrellis) =>
  (await trellis.op<{ functions?: unknown[] }>('export_metadata', {})).functions

const inconsistent = (trellis: TestTrellis) => trellis.op('get_inconsistent_metadata', {})

test('functions are tracked in every form, exported in order, and untracked', async (t) => {
  const trellis = await startOffice(t)
  assert.deepEqual(await trellis.op('track_function', 'people'), ok)
  await trellis.op('track_function', { name: 'everyone' })
  await trellis.op('track_function', { function: { schema: 'crm', name: 'leads' } }, { version: 2 })
  await trellis.op('track_function', sessionArgument('mine', 'session'), { version: 2 })
  await trellis.op('track_function', sessionArgument('gaps'), { version: 2 })
  const rest = ['everyone', 'gaps', 'mine', 'people'].map((name) => ({ function: publicName(name) }))
  Object.assign(rest[2]!, { configuration: { session_argument: 'session' } })
  assert.deepEqual(await exported(trellis), [{ function: { schema: 'crm', name: 'leads' } }, ...rest])
  assert.deepEqual(await trellis.op('untrack_function', { schema: 'crm', name: 'leads' }), ok)
  assert.deepEqual(await exported(trellis), rest)
  for (const { function: name } of rest) await trellis.op('untrack_function', name)
  assert.equal(await exported(trellis), undefined)
  assert.deepEqual(await trellis.graphql('{ people(args: {search: "%"}) { id } }'), {
    errors: [
      {
        extensions: { path: '$.selectionSet.people', code: 'validation-failed' },
        message: `field "people" not found in type: 'query_root'`,
      },
    ],
  })
})

const refused = (code: string, error: string, path = '$.args') => ({ path, error, code })
const broken = (name: string, error: string) => refused('constraint-violation', `in function "${name}": ${error}`)
const untrackable = (name: string, ...reasons: readonly string[]) => {
  const what = `the function "${name}" cannot be tracked`
  if (reasons.length === 1) return broken(name, `${what} because ${reasons[0]}`)
  return broken(name, `${what} for the following reasons:\n${reasons.map((reason) => `  • ${reason}\n`).join('')}`)
}

const noComposite = 'the function does not return a "COMPOSITE" type'
const noSet = 'the function does not return a SETOF'
const noTable = 'the function does not return a SETOF table'
const missing = (name: string) => `no such function exists in postgres : "${name}"`

const refusals: readonly (readonly [args: unknown, answer: object, version?: number])[] = [
  ['people', refused('already-tracked', 'function already tracked : "people"')],
  ['person', refused('not-supported', 'table with name "person" already exists')],
  [{ schema: 'crm', name: 'lead' }, refused('not-supported', 'table with name "crm.lead" already exists')],
  ['nope', broken('nope', missing('nope'))],
  ['PEOPLE', broken('PEOPLE', missing('PEOPLE'))],
  [{ schema: 'crm', name: 'people' }, broken('crm.people', missing('crm.people'))],
  ['total', broken('total', missing('total'))],
  ['same', broken('same', 'function "same" is overloaded. Overloaded functions are not supported')],
  ['bad name', untrackable('bad name', 'function name is not a legal GraphQL identifier')],
  ['many', untrackable('many', 'function with "VARIADIC" parameters are not supported')],
  ['word', untrackable('word', noComposite, noSet, noTable)],
  ['words', untrackable('words', noComposite, noTable)],
  ['pairs', untrackable('pairs', noComposite, noTable)],
  [
    'bad_arguments',
    untrackable('bad_arguments', 'the function arguments a b,c-d are not in compliance with GraphQL spec'),
  ],
  ['wrong', untrackable('wrong', noComposite, noSet, noTable)],
  ['hidden', refused('constraint-violation', 'table "untracked" is not tracked')],
  [
    sessionArgument('binary_session', 'session'),
    untrackable('binary_session', 'given session argument "session" is not of type json'),
    2,
  ],
  [
    sessionArgument('binary_session', 'nope'),
    untrackable('binary_session', 'given session argument "nope" not the input argument of the function'),
    2,
  ],
  [5, refused('parse-failed', 'expecting a string/object for QualifiedObject', '$')],
  [{ schema: 'crm' }, refused('parse-failed', 'key "name" not found', '$')],
  [{}, refused('parse-failed', 'key "function" not found', '$'), 2],
  [{ function: {} }, refused('parse-failed', 'key "name" not found', '$.function'), 2],
  [
    { function: 'people', configuration: { session_argument: 5 } },
    refused(
      'parse-failed',
      'parsing Text failed, expected String, but encountered Number',
      '$.configuration.session_argument',
    ),
    2,
  ],
]

test('a function that cannot be tracked is refused with every reason', async (t) => {
  const trellis = await startOffice(t)
  await trellis.op('track_function', 'people')
  for (const [args, answer, version = 1] of refusals) {
    const { status, body } = await trellis.opError('track_function', args, { version })
    const { internal: _, hint: __, ...rest } = body as Record<string, unknown>
    assert.deepEqual({ status, ...rest }, { status: 400, ...answer })
  }
  assert.deepEqual(await exported(trellis), [{ function: publicName('people') }])
  assert.deepEqual(await trellis.opError('untrack_function', 'everyone'), {
    status: 400,
    body: refused('not-exists', 'function not found in cache "everyone"'),
  })
  assert.deepEqual(await trellis.opError('untrack_function', []), {
    status: 400,
    body: refused('parse-failed', 'expecting a string/object for QualifiedObject', '$'),
  })
})

test('a function that returns rows of a composite type is refused', async (t) => {
  const trellis = await startTrellis(t, {
    sql: `create type pair as (a int, b int);
      create function pairs() returns setof pair language sql stable as $$ select 1, 2 $$`,
  })
  const { body } = await trellis.opError('track_function', 'pairs')
  const { internal: _, ...rest } = body as Record<string, unknown>
  assert.deepEqual(rest, untrackable('pairs', noTable))
})

test('a table cannot be tracked beside a function of its name', async (t) => {
  const trellis = await startOffice(t)
  await trellis.sql('create table everyone (id int primary key)')
  await trellis.op('track_function', 'everyone')
  assert.deepEqual(await trellis.opError('track_table', 'everyone'), {
    status: 400,
    body: refused('not-supported', 'function with name "everyone" already exists'),
  })
  const document = await trellis.op<{ tables: unknown[] }>('export_metadata', {})
  document.tables.push({ table: 'everyone' })
  const { body } = await trellis.opError('replace_metadata', document)
  const { internal, ...rest } = body as { internal: unknown }
  assert.deepEqual(rest, refused('unexpected', 'cannot continue due to inconsistent metadata'))
  const reason = 'in function "everyone": table with name "everyone" already exists'
  assert.deepEqual(internal, [{ type: 'function', definition: publicName('everyone'), reason }])
})

test('a function depends on the table that it returns', async (t) => {
  const trellis = await startOffice(t)
  await trellis.op('track_function', { schema: 'crm', name: 'leads' })
  await trellis.op('track_function', 'everyone')
  await trellis.op('drop_relationship', { table: 'person', relationship: 'leads' })
  const lead = { schema: 'crm', name: 'lead' }
  assert.deepEqual(await trellis.opError('untrack_table', { table: lead }), {
    status: 400,
    body: refused('dependency-error', 'cannot drop due to the following dependent objects : function crm.leads'),
  })
  assert.deepEqual(await trellis.op('untrack_table', { table: lead, cascade: true }), ok)
  assert.deepEqual(await exported(trellis), [{ function: publicName('everyone') }])
})

test('changes of a function in the database are seen when the metadata is reloaded', async (t) => {
  const trellis = await startOffice(t)
  await trellis.op('track_function', 'everyone')
  const listed = (error: string) => [
    { type: 'function', definition: publicName('everyone'), reason: `in function "everyone": ${error}` },
  ]
  await trellis.sql('alter function everyone rename to nobody')
  assert.deepEqual(await inconsistent(trellis), [])
  await trellis.op('reload_metadata', {})
  assert.deepEqual(await inconsistent(trellis), listed(missing('everyone')))
  await trellis.sql('alter function nobody rename to everyone; alter function everyone volatile')
  await trellis.op('reload_metadata', {})
  assert.deepEqual(await inconsistent(trellis), [])
  assert.deepEqual(await trellis.graphql('mutation { everyone(where: {id: {_eq: 3}}) { id } }'), {
    data: { everyone: [{ id: 3 }] },
  })
  await trellis.sql(`alter function everyone stable; drop function everyone;
    create function everyone(least_id int default 3) returns setof person language sql stable
      as $$ select * from person where id >= least_id $$`)
  await trellis.op('reload_metadata', {})
  assert.deepEqual(await inconsistent(trellis), [])
  assert.deepEqual(await trellis.graphql('{ a: everyone { id } b: everyone(args: {least_id: 4}) { id } }'), {
    data: { a: [{ id: 3 }], b: [] },
  })
})

test('a function that is gone when the server starts is listed, and the rest is served', async (t) => {
  const trellis = await startOffice(t)
  await trellis.op('track_function', 'everyone')
  await trellis.op('track_function', 'people')
  await trellis.sql('drop function everyone')
  const restarted = await startTrellis(t, { database: trellis.database })
  const reason = `in function "everyone": ${missing('everyone')}`
  assert.deepEqual(await inconsistent(restarted), [{ type: 'function', definition: publicName('everyone'), reason }])
  assert.deepEqual(await restarted.graphql('{ people(args: {search: "A%"}) { id } }'), {
    data: { people: [{ id: 1 }] },
  })
  assert.deepEqual(await restarted.op('drop_inconsistent_metadata', {}), ok)
  assert.deepEqual(await exported(restarted), [{ function: publicName('people') }])
})

test('documents hold functions as names in format 1 and as objects in format 2', async (t) => {
  const trellis = await startOffice(t)
  const { tables } = await trellis.op<{ tables: unknown }>('export_metadata', {})
  const replace = (document: object) => trellis.op('replace_metadata', { tables, ...document })
  const error = async (document: object) => (await trellis.opError('replace_metadata', { tables, ...document })).body
  await replace({ functions: ['everyone', { schema: 'crm', name: 'leads' }] })
  const leads = { function: { schema: 'crm', name: 'leads' } }
  assert.deepEqual(await exported(trellis), [leads, { function: publicName('everyone') }])
  const functions = [
    { function: { schema: 'crm', name: 'leads' }, configuration: {} },
    { function: 'mine', configuration: { session_argument: 'session' } },
  ]
  await replace({ version: 2, functions })
  const mine = { function: publicName('mine'), configuration: { session_argument: 'session' } }
  assert.deepEqual(await exported(trellis), [leads, mine])
  const complaint = (path: string, message: string) => refused('parse-failed', message, path)
  assert.deepEqual(
    await error({ version: 2, functions: ['everyone'] }),
    complaint('$.functions[0]', 'parsing Object failed, expected Object, but encountered String'),
  )
  assert.deepEqual(
    await error({ version: 2, functions: [{ function: 'mine', exposed: 1 }] }),
    complaint('$.functions[0].exposed', 'unexpected key "exposed"'),
  )
  assert.deepEqual(
    await error({ version: 2, functions: [{ function: 'mine', configuration: { session: 1 } }] }),
    complaint('$.functions[0].configuration.session', 'unexpected key "session"'),
  )
  assert.deepEqual(
    await error({ functions: {} }),
    complaint('$.functions', 'parsing [] failed, expected Array, but encountered Object'),
  )
  const { code, path } = (await error({ functions: ['mine', publicName('mine')] })) as Record<string, string>
  assert.deepEqual({ code, path }, { code: 'already-exists', path: '$.args.functions' })
  assert.deepEqual(await exported(trellis), [leads, mine])
  await trellis.op('clear_metadata', {})
  assert.equal(await exported(trellis), undefined)
})

test('a function that one instance tracks is served by the others', async (t) => {
  const trellis = await startOffice(t)
  const other = await startTrellis(t, { database: trellis.database })
  await trellis.op('track_function', 'everyone')
  const query = '{ everyone(where: {id: {_eq: 1}}) { first } }'
  const expected = { data: { everyone: [{ first: 'Ann' }] } }
  const deadline = Date.now() + 10_000
  for (;;) {
    const answer = await other.graphql(query)
    if ('data' in (answer as object) || Date.now() > deadline) {
      assert.deepEqual(answer, expected)
      break
    }
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
})
