import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startTrellis, type TestTrellis } from '../support/trellis.ts'
import { startOffice } from './office.ts'

const ok = { message: 'success' }
const publicName = (name: string) => ({ schema: 'public', name })
const lead = { schema: 'crm', name: 'lead' }

async function personEntry(trellis: TestTrellis) {
  const { tables } = await trellis.op<{ tables: { table: { name: string }; computed_fields?: { name: string }[] }[] }>(
    'export_metadata',
    {},
  )
  return tables.find(({ table }) => table.name === 'person')!
}

const inconsistent = (trellis: TestTrellis) => trellis.op('get_inconsistent_metadata', {})

const refused = (code: string, error: string, path = '$.args') => ({ path, error, code })
const conflicting = (name: string, kind: string) => ({
  ...refused('constraint-violation', `field definition conflicts with ${kind}`),
  hint: `give the field "${name}" of table "person" a name that no column has`,
})
const broken = (name: string, error: string) =>
  refused('constraint-violation', `in table "person": in computed field "${name}": ${error}`)
const unfit = (name: string, ...reasons: readonly string[]) => {
  const what = `the computed field "${name}" cannot be added to table "person"`
  if (reasons.length === 1) return broken(name, `${what} because ${reasons[0]}`)
  return broken(name, `${what} for the following reasons:\n${reasons.map((reason) => `  • ${reason}\n`).join('')}`)
}
const notBase = (name: string, type: string) => `the function "${name}" returning type ${type} is not a BASE type`
const isVolatile = (name: string) => `the function "${name}" is of type VOLATILE; cannot be added as a computed field`
const isNotTable = (argument: string, name: string, type: string) => {
  const rule = 'is not the table to which the computed field is being added'
  return `${argument} argument of the function "${name}" of type "${type}" ${rule}`
}
const isNotComposite = (argument: string, name: string) =>
  `${argument} argument of the function "${name}" is not COMPOSITE type`
const isNoArgument = (argument: string) => `"${argument}" is not an input argument of the function "of_named"`

const field = (name: string, definition: object | string = name, table: unknown = 'person') => ({
  table,
  name,
  definition: typeof definition === 'string' ? { function: definition } : definition,
})
const ofNamed = (definition: object) => field('n', { function: 'of_named', ...definition })

const refusals: readonly (readonly [args: unknown, answer: object])[] = [
  [field('f', 'full_name', 'nope'), refused('not-exists', 'table "nope" does not exist', '$.args.table')],
  [field('big'), refused('already-exists', 'field with name "big" already exists in table "person"')],
  [field('leads', 'big'), refused('already-exists', 'field with name "leads" already exists in table "person"')],
  [field('first', 'big'), conflicting('first', 'postgres column')],
  [field('nope'), broken('nope', 'no such function exists in postgres : "nope"')],
  [
    field('n', { function: { schema: 'crm', name: 'big' } }),
    broken('n', 'no such function exists in postgres : "crm.big"'),
  ],
  [field('same'), broken('same', 'function "same" is overloaded. Overloaded functions are not supported')],
  [field('a b', 'big'), unfit('a b', '"a b" is not valid GraphQL name')],
  [field('changing'), unfit('changing', isVolatile('changing'))],
  [field('feeling'), unfit('feeling', notBase('feeling', 'mood'))],
  [field('labelled'), unfit('labelled', notBase('labelled', 'label'))],
  [field('period'), unfit('period', notBase('period', 'interval'))],
  [field('listed'), unfit('listed', notBase('listed', '_text'))],
  [
    field('hidden'),
    unfit('hidden', 'the function "hidden" returning set of table "untracked" is not tracked or not found in database'),
  ],
  [field('nobody'), unfit('nobody', 'the function "nobody" has no input arguments')],
  [field('owner_name'), unfit('owner_name', isNotTable('first', 'owner_name', 'crm.lead'))],
  [
    field('of_text'),
    unfit('of_text', isNotComposite('first', 'of_text'), isNotTable('first', 'of_text', 'pg_catalog.text')),
  ],
  [
    field('a b', 'poor'),
    unfit(
      'a b',
      '"a b" is not valid GraphQL name',
      isVolatile('poor'),
      notBase('poor', 'mood'),
      isNotComposite('first', 'poor'),
      isNotTable('first', 'poor', 'pg_catalog.text'),
    ),
  ],
  [
    ofNamed({ table_argument: 'a' }),
    unfit('n', isNotComposite('"a"', 'of_named'), isNotTable('"a"', 'of_named', 'pg_catalog.text')),
  ],
  [ofNamed({ table_argument: 'z' }), unfit('n', isNoArgument('z'))],
  [ofNamed({ table_argument: 'p', session_argument: 'y' }), unfit('n', isNoArgument('y'))],
  [
    ofNamed({ table_argument: 'p', session_argument: 'a' }),
    unfit('n', '"a" argument of the function "of_named" is not of type JSON'),
  ],
  [{ name: 'f', definition: {} }, refused('parse-failed', "the key 'table' was not present", '$')],
  [{ table: 'person', definition: {} }, refused('parse-failed', "the key 'name' was not present", '$')],
  [{ table: 'person', name: 'f' }, refused('parse-failed', "the key 'definition' was not present", '$')],
  [field('f', {}), refused('parse-failed', "the key 'function' was not present", '$.definition')],
  [field('', 'big'), refused('parse-failed', 'empty string not allowed', '$.name')],
]

test('an invalid computed field is refused with every reason', async (t) => {
  const trellis = await startOffice(t)
  const before = await personEntry(trellis)
  for (const [args, answer] of refusals) {
    const { status, body } = await trellis.opError('add_computed_field', args)
    const { internal: _, ...rest } = body as Record<string, unknown>
    assert.deepEqual({ status, ...rest }, { status: 400, ...answer })
  }
  assert.deepEqual(await personEntry(trellis), before)
})

test('the custom name of a column is refused', async (t) => {
  const trellis = await startOffice(t)
  const configuration = { custom_column_names: { first: 'given' } }
  await trellis.op('set_table_custom_fields', { table: 'person', ...configuration }, { version: 2 })
  const { body } = await trellis.opError('add_computed_field', field('given', 'big'))
  const { internal: _, ...rest } = body as Record<string, unknown>
  const error = 'field definition conflicts with custom field name for postgres column "first"'
  assert.deepEqual(rest, conflicting('given', 'custom field name for postgres column "first"'))
  const clash = { table: 'person', custom_column_names: { first: 'big' } }
  const answer = await trellis.opError('set_table_custom_fields', clash, { version: 2 })
  const { internal, ...outer } = answer.body as { internal: { reason: string }[] }
  assert.deepEqual(outer, refused('unexpected', 'cannot continue due to new inconsistent metadata'))
  assert.deepEqual(
    internal.map(({ reason }) => reason),
    [error],
  )
})

test('a relationship cannot take the name of a computed field', async (t) => {
  const trellis = await startOffice(t)
  const using = { foreign_key_constraint_on: { table: lead, column: 'owner_id' } }
  assert.deepEqual(await trellis.opError('create_array_relationship', { table: 'person', name: 'big', using }), {
    status: 400,
    body: refused('already-exists', 'field with name "big" already exists in table "person"'),
  })
  const { tables } = await trellis.op<{ tables: { table: { name: string }; array_relationships?: unknown[] }[] }>(
    'export_metadata',
    {},
  )
  tables.find(({ table }) => table.name === 'person')!.array_relationships!.push({ name: 'big', using })
  const { body } = await trellis.opError('replace_metadata', { version: 2, tables })
  const { internal } = body as { internal: { reason: string; objects: { type: string }[] }[] }
  assert.deepEqual(
    internal.map(({ reason, objects }) => [reason, objects.map(({ type }) => type)]),
    [['conflicting definitions for field "big"', ['array_relation', 'computed_field']]],
  )
})

test('computed fields are exported by name and imported again', async (t) => {
  const trellis = await startOffice(t)
  await trellis.op('add_computed_field', { ...field('about', 'facts'), comment: 'All there is' })
  const { computed_fields: fields } = await personEntry(trellis)
  assert.deepEqual(fields!.slice(0, 2), [
    { name: 'about', definition: { function: publicName('facts') }, comment: 'All there is' },
    { name: 'best_lead', definition: { function: publicName('best_lead') } },
  ])
  assert.deepEqual(fields!.at(-2), {
    name: 'viewer',
    definition: { function: publicName('viewer'), table_argument: 'p', session_argument: 'session' },
  })
  const names = fields!.map(({ name }) => name)
  assert.deepEqual(names, [...names].sort())
  const document = await trellis.op('export_metadata', {})
  await trellis.op('clear_metadata', {})
  await trellis.op('replace_metadata', document)
  assert.deepEqual(await trellis.op('export_metadata', {}), document)
})

test('a document may hold no other keys in a computed field, and no name twice', async (t) => {
  const trellis = await startOffice(t)
  const definition = { function: 'full_name' }
  const error = async (...fields: object[]) => {
    const { body } = await trellis.opError('replace_metadata', {
      tables: [{ table: 'person', computed_fields: fields }],
    })
    return body
  }
  const path = '$.tables[0].computed_fields[0]'
  assert.deepEqual(
    await error({ name: 'f', definition, kind: 1 }),
    refused('parse-failed', 'unexpected key "kind"', `${path}.kind`),
  )
  assert.deepEqual(
    await error({ name: 'f', definition: { ...definition, kind: 1 } }),
    refused('parse-failed', 'unexpected key "kind"', `${path}.definition.kind`),
  )
  assert.deepEqual(
    await error({ name: 'f', definition }, { name: 'f', definition }),
    refused(
      'already-exists',
      'multiple declarations exist for the following computed fields : "f"',
      '$.args.tables[0].person',
    ),
  )
})

const dropRefusals: readonly (readonly [args: unknown, answer: object])[] = [
  [{ table: 'nope', name: 'f' }, refused('not-exists', 'table "nope" does not exist', '$.args.table')],
  [{ table: 'person', name: 'f' }, refused('not-exists', 'computed field "f" does not exist', '$.args.name')],
  [
    { table: 'person', name: 'first' },
    refused('unexpected-payload', 'expecting a computed field; but, "first" is a column; ', '$.args.name'),
  ],
  [
    { table: 'person', name: 'leads' },
    refused('unexpected-payload', 'expecting a computed field; but, "leads" is a relationship; ', '$.args.name'),
  ],
  [
    { table: 'person', name: 'big' },
    refused('dependency-error', 'cannot drop due to the following dependent objects : permission person.clerk.select'),
  ],
  [{ name: 'f' }, refused('parse-failed', 'key "table" not found', '$')],
  [{ table: 'person' }, refused('parse-failed', 'key "name" not found', '$')],
]

test('drop_computed_field refuses unknown fields and those that permissions list', async (t) => {
  const trellis = await startOffice(t)
  await trellis.op('create_select_permission', {
    table: 'person',
    role: 'clerk',
    permission: { columns: [], computed_fields: ['big'], filter: {} },
  })
  for (const [args, body] of dropRefusals) {
    assert.deepEqual(await trellis.opError('drop_computed_field', args), { status: 400, body })
  }
  assert.deepEqual(await trellis.op('drop_computed_field', { table: 'person', name: 'wage' }), ok)
  assert.deepEqual(await trellis.op('drop_computed_field', { table: 'person', name: 'big', cascade: true }), ok)
  const entry = await personEntry(trellis)
  assert.equal('select_permissions' in entry, false)
  const names = entry.computed_fields!.map(({ name }) => name)
  assert.equal(names.includes('wage') || names.includes('big'), false)
})

test('permissions list scalar computed fields only', async (t) => {
  const trellis = await startOffice(t)
  const error = async (name: string) => {
    const permission = { columns: [], computed_fields: [name], filter: {} }
    const { body } = await trellis.opError('create_select_permission', { table: 'person', role: 'clerk', permission })
    const { internal: _, ...rest } = body as Record<string, unknown>
    return rest
  }
  const inPermission = (reason: string) =>
    refused('constraint-violation', `in table "person": in permission for role "clerk": ${reason}`)
  assert.deepEqual(await error('nope'), inPermission('computed field "nope" does not exist'))
  assert.deepEqual(await error('first'), inPermission('expecting a computed field; but, "first" is a column; '))
  const derived =
    'select permissions on computed field "others" are auto-derived from the permissions on its returning table "person" and cannot be specified manually'
  assert.deepEqual(await error('others'), inPermission(derived))
})

test('untracking a table also removes computed fields of other tables that return its rows', async (t) => {
  const trellis = await startOffice(t)
  await trellis.op('drop_relationship', { table: 'person', relationship: 'leads' })
  const { status, body } = await trellis.opError('untrack_table', { table: lead })
  const objects = 'computed field person.best_lead, computed field person.top_leads'
  assert.equal(status, 400)
  assert.deepEqual(body, refused('dependency-error', `cannot drop due to the following dependent objects : ${objects}`))
  assert.deepEqual(await trellis.op('untrack_table', { table: lead, cascade: true }), ok)
  assert.doesNotMatch(JSON.stringify(await trellis.op('export_metadata', {})), /best_lead|top_leads/)
  assert.deepEqual(await trellis.op('untrack_table', { table: 'person', cascade: true }), ok)
})

test('changes of the function are seen when the metadata is reloaded, and at the start', async (t) => {
  const trellis = await startOffice(t)
  await trellis.sql('alter function full_name(person) rename to hidden_name')
  await trellis.op('reload_metadata', {})
  const definition = { function: publicName('full_name') }
  const listed = [
    {
      type: 'computed_field',
      definition: { table: publicName('person'), name: 'full_name', definition, comment: null },
      reason: 'in table "person": in computed field "full_name": no such function exists in postgres : "full_name"',
    },
  ]
  assert.deepEqual(await inconsistent(trellis), listed)
  const restarted = await startTrellis(t, { database: trellis.database })
  assert.deepEqual(await inconsistent(restarted), listed)
  assert.deepEqual(await restarted.graphql('{ person_by_pk(id: 1) { wage } }'), {
    data: { person_by_pk: { wage: 10.5 } },
  })
  await trellis.sql('alter function hidden_name(person) rename to full_name')
  await restarted.op('reload_metadata', {})
  assert.deepEqual(await inconsistent(restarted), [])
  assert.deepEqual(await restarted.graphql('{ person_by_pk(id: 1) { full_name } }'), {
    data: { person_by_pk: { full_name: 'Ann Ash' } },
  })
})
