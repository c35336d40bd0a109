// Permissions of roles on remote schemas, and presets.

import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { startLibrary } from '../support/library.ts'
import { startCrm } from './crm.ts'

const clerk = `
  type Query {
    user(id: Int! @preset(value: "x-service-user-id")): User
    users(where: UserFilter, limit: Int @preset(value: 1)): [User!]!
    thing(id: ID!): Thing
    echo(value: JSON @preset(value: "x-service-user-id", static: true)): JSON
  }
  scalar JSON
  interface Named { name: String! }
  type User implements Named { id: Int! name: String! notes(first: Int): [Note] }
  type Note { id: ID! }
  union Thing = User
  input UserFilter { ids: [Int!] city: String @preset(value: "x-service-city") nested: UserFilter }
`

async function start(t: TestContext, schema: string) {
  const crm = await startCrm(t)
  const trellis = await startLibrary(t, { settings: { enableRemoteSchemaPermissions: true } })
  await trellis.op('add_remote_schema', { name: 'crm', definition: { url: crm.url } })
  await trellis.op('add_remote_schema_permissions', { remote_schema: 'crm', role: 'clerk', definition: { schema } })
  const headers = { 'x-service-user-id': '7', 'x-service-city': 'Rome' }
  const ask = (query: string, variables = {}) => trellis.graphql<never>(query, variables, { role: 'clerk', headers })
  return { crm, trellis, ask }
}

const unknown = (name: string, type: string) => `field "${name}" not found in type: '${type}'`

async function refusal(ask: (query: string) => Promise<{ errors: { message: string }[] }>, query: string) {
  return (await ask(query)).errors[0]?.message
}

test('roles see only the parts in their permissions', async (t) => {
  const { crm, trellis, ask } = await start(t, clerk)
  assert.deepEqual(await ask('{ user { id name } }'), { data: { user: { id: 7, name: 'user 7' } } })
  assert.equal(await refusal(ask, '{ user { secret } }'), unknown('secret', 'User'))
  assert.equal(await refusal(ask, '{ user(id: 1) { id } }'), '"user" has no argument named "id"')
  assert.equal(await refusal(ask, '{ named { name } }'), unknown('named', 'query_root'))
  assert.equal(await refusal(ask, 'mutation { rename(id: 1, name: "x") { id } }'), 'no mutations exist')
  const before = crm.asked().length
  const hidden =
    '{ thing(id: "car") { __typename ... on Car { wheels } ... on Note { text } } thing2: thing(id: "1") { ... on User { name } } }'
  const message = 'the type of a value of field "thing" is not one of "Thing"'
  assert.deepEqual(await ask(hidden), {
    data: { thing: null, thing2: { name: 'user 1' } },
    errors: [{ extensions: { path: '$.selectionSet.thing', code: 'unexpected' }, message, path: ['thing'] }],
  })
  assert.doesNotMatch(crm.asked()[before]!.query, /wheels|text/)
  const guest = await trellis.graphql<{ errors: { message: string }[] }>(
    '{ user(id: 1) { id } }',
    {},
    { role: 'guest' },
  )
  assert.equal(guest.errors[0]?.message, unknown('user', 'query_root'))
  assert.deepEqual(await trellis.graphql('{ user(id: 1) { secret } }'), { data: { user: { secret: 'secret 1' } } })
})

test('presets are added to arguments and input objects, in literals and in variables', async (t) => {
  const { crm, ask } = await start(t, clerk)
  const query =
    'query ($w: UserFilter) { a: users(where: $w) { id } b: users(where: {ids: [3], nested: {ids: []}}) { id } user { id } echo }'
  assert.deepEqual(await ask(query, { w: { ids: [5, 6], nested: { ids: [1] } } }), {
    data: { a: [{ id: 5 }], b: [{ id: 3 }], user: { id: 7 }, echo: 'x-service-user-id' },
  })
  const [sent] = crm.asked()
  assert.deepEqual(sent!.variables.w, { ids: [5, 6], nested: { ids: [1], city: 'Rome' }, city: 'Rome' })
  assert.match(
    sent!.query,
    /b: users\(where: \{ids: \[3\], nested: \{ids: \[\], city: \$preset_1_0\}, city: \$preset_1_1\}, limit: 1\)/,
  )
  assert.equal(await refusal(ask, '{ users(where: {city: "Oslo"}) { id } }'), unknown('city', 'UserFilter'))
})

test('presets are added to input objects in a list variable', async (t) => {
  const types = `type Query { found(any: [Filter!], table: [[Filter]]): String }
    input Filter { id: Int  owner: Int }`
  const crm = await startCrm(t, types, { found: (args: object) => JSON.stringify(args) })
  const trellis = await startLibrary(t, { settings: { enableRemoteSchemaPermissions: true } })
  await trellis.op('add_remote_schema', { name: 'crm', definition: { url: crm.url } })
  const schema = types.replace('owner: Int', 'owner: Int @preset(value: "x-service-user-id")')
  await trellis.op('add_remote_schema_permissions', { remote_schema: 'crm', role: 'clerk', definition: { schema } })
  const query = 'query ($any: [Filter!], $table: [[Filter]]) { found(any: $any, table: $table) }'
  const found = async (variables: Record<string, unknown>) => {
    const headers = { 'x-service-user-id': '7' }
    const { data } = await trellis.graphql<{ data: { found: string } }>(query, variables, { role: 'clerk', headers })
    return JSON.parse(data.found)
  }
  const own = { id: 1, owner: 7 }
  assert.deepEqual(await found({ any: [{ id: 1 }, {}], table: [[{ id: 1 }, null], null] }), {
    any: [own, { owner: 7 }],
    table: [[own, null], null],
  })
  assert.deepEqual(await found({ any: { id: 1 }, table: { id: 1 } }), { any: [own], table: [[own]] })
})

test('the default of a variable may lack fields that presets give', async (t) => {
  const types = `type Query { found(by: Filter!, or: Filter): String }
    input Filter { id: Int  owner: Int! }`
  const crm = await startCrm(t, types, { found: (args: object) => JSON.stringify(args) })
  const trellis = await startLibrary(t, { settings: { enableRemoteSchemaPermissions: true } })
  await trellis.op('add_remote_schema', { name: 'crm', definition: { url: crm.url } })
  const schema = types.replace('owner: Int!', 'owner: Int! @preset(value: "x-service-user-id")')
  await trellis.op('add_remote_schema_permissions', { remote_schema: 'crm', role: 'clerk', definition: { schema } })
  const query = 'query ($by: Filter = {id: 1}, $or: Filter = {}) { found(by: $by, or: $or) }'
  const found = async (variables: Record<string, unknown>) => {
    const headers = { 'x-service-user-id': '7' }
    const { data } = await trellis.graphql<{ data: { found: string } }>(query, variables, { role: 'clerk', headers })
    return JSON.parse(data.found)
  }
  const by = { id: 1, owner: 7 }
  assert.deepEqual(await found({}), { by, or: { owner: 7 } })
  assert.deepEqual(await found({ or: null }), { by, or: null })
  assert.deepEqual(await found({ by: { id: 2 }, or: { id: 3 } }), { by: { id: 2, owner: 7 }, or: { id: 3, owner: 7 } })
})

test('variables of the client may have the names of variables for presets', async (t) => {
  const { crm, ask } = await start(t, clerk)
  const query = `query ($preset_0_0: Int, $preset_1_0: [Int!]) {
    notes: user { notes(first: $preset_0_0) { id } }  users(where: {ids: $preset_1_0}) { id }
  }`
  assert.deepEqual(await ask(query, { preset_0_0: 2, preset_1_0: [4] }), {
    data: { notes: { notes: [{ id: '7-0' }, { id: '7-1' }] }, users: [{ id: 4 }] },
  })
  const [sent] = crm.asked()
  assert.deepEqual(sent!.variables, { preset_0_0: 2, preset_1_0: [4], preset__0_0: 7, preset__1_0: 'Rome' })
})

test('an input object with presets for all fields is always sent, and hidden', async (t) => {
  const types = `type Query { found(by: Filter, within: Outer): String }
    input Filter { id: Int = 3  owner: Int  again: Again }
    input Again { owner: Int }
    input Outer { filter: Filter!  limit: Int }`
  const crm = await startCrm(t, types, { found: (args: object) => JSON.stringify(args) })
  const trellis = await startLibrary(t, { settings: { enableRemoteSchemaPermissions: true } })
  await trellis.op('add_remote_schema', { name: 'crm', definition: { url: crm.url } })
  const schema = types.replaceAll('owner: Int', 'owner: Int @preset(value: "x-service-user-id")')
  const own = schema.replace('id: Int = 3', 'id: Int @preset(value: 5)')
  await trellis.op('add_remote_schema_permissions', {
    remote_schema: 'crm',
    role: 'clerk',
    definition: { schema: own },
  })
  const ask = async (query: string, variables = {}) => {
    const options = { role: 'clerk', headers: { 'x-service-user-id': '7' } }
    const { data } = await trellis.graphql<{ data: { found: string } }>(query, variables, options)
    return JSON.parse(data.found)
  }
  const by = { id: 5, owner: 7, again: { owner: 7 } }
  assert.deepEqual(await ask('{ found }'), { by })
  assert.deepEqual(await ask('{ found(within: {limit: 1}) }'), { within: { limit: 1, filter: by }, by })
  const query = 'query ($within: Outer) { found(within: $within) }'
  assert.deepEqual(await ask(query, { within: {} }), { within: { filter: by }, by })
  const shown = await trellis.graphql(
    '{ filter: __type(name: "Filter") { name } outer: __type(name: "Outer") { inputFields { name } } }',
    {},
    { role: 'clerk' },
  )
  assert.deepEqual(shown, { data: { filter: null, outer: { inputFields: [{ name: 'limit' }] } } })
})

test('session variables may be nested in the values of presets', async (t) => {
  const where = '{ids: [1, "x-service-user-id"], nested: {city: "x-service-city", kind: BAD}}'
  const { crm, ask } = await start(
    t,
    `type Query { users(where: UserFilter @preset(value: ${where})): [User!]! echo(value: JSON @preset(value: {a: ["x-service-city", 1]})): JSON }
    type User { id: Int! } input UserFilter { city: String } scalar JSON`,
  )
  assert.deepEqual(await ask('{ users { id } echo }'), {
    data: { users: [{ id: 1 }, { id: 7 }], echo: { a: ['Rome', 1] } },
  })
  const [{ query, variables }] = crm.asked() as [{ query: string; variables: object }]
  assert.equal(
    query,
    'query($preset_0_0: UserFilter, $preset_1_0: JSON) { users(where: $preset_0_0) { id } echo(value: $preset_1_0) }',
  )
  assert.deepEqual(variables, {
    preset_0_0: { ids: [1, 7], nested: { city: 'Rome', kind: 'BAD' } },
    preset_1_0: { a: ['Rome', 1] },
  })
})

test('a session variable that holds an array is a list, for presets as for tables', async (t) => {
  const types = `type Query { found(ids: [Int!], where: Filter, grid: [[String]]): String }
    input Filter { names: [String] only: Filter }`
  const crm = await startCrm(t, types, { found: () => 'one' })
  const trellis = await startLibrary(t, { settings: { enableRemoteSchemaPermissions: true } })
  await trellis.op('add_remote_schema', { name: 'crm', definition: { url: crm.url } })
  const schema = `type Query { found(ids: [Int!] @preset(value: "x-service-ids"), where: Filter,
      grid: [[String]] @preset(value: "x-service-grid")): String }
    input Filter { names: [String] @preset(value: "x-service-names") only: Filter }`
  await trellis.op('add_remote_schema_permissions', { remote_schema: 'crm', role: 'clerk', definition: { schema } })
  await trellis.op('create_select_permission', {
    ...{ table: 'book', role: 'clerk' },
    permission: { columns: ['id'], filter: { id: { _in: 'x-service-ids' } } },
  })
  const ask = (headers: Record<string, string>) =>
    trellis.graphql<{ errors?: object[] }>(
      'query ($w: Filter) { found(where: $w) book(order_by: {id: asc}) { id } }',
      { w: {} },
      {
        role: 'clerk',
        headers: { 'x-service-grid': '{{a,NULL},{"b c",d}}', 'x-service-names': 'Ann', ...headers },
      },
    )
  assert.deepEqual(await ask({ 'x-service-ids': '{1, 3}' }), { data: { found: 'one', book: [{ id: 1 }, { id: 3 }] } })
  const sent = () => Object.values(JSON.parse(crm.received.at(-1)!.body).variables)
  assert.deepEqual(sent(), [
    { names: 'Ann' },
    [1, 3],
    [
      ['a', null],
      ['b c', 'd'],
    ],
  ])
  assert.deepEqual(await ask({ 'x-service-ids': '{}', 'x-service-names': '{Ann,"B, C"}' }), {
    data: { found: 'one', book: [] },
  })
  assert.deepEqual(sent(), [
    { names: ['Ann', 'B, C'] },
    [],
    [
      ['a', null],
      ['b c', 'd'],
    ],
  ])
  const { errors } = await ask({ 'x-service-ids': '{1' })
  assert.deepEqual(errors, [
    { extensions: { path: '$', code: 'data-exception' }, message: 'malformed array literal: "{1"' },
  ])
  const alone = await trellis.graphql(
    '{ found }',
    {},
    {
      role: 'clerk',
      headers: { 'x-service-ids': '{1', 'x-service-grid': '{}', 'x-service-names': '' },
    },
  )
  const message = 'malformed array literal: "{1"'
  const own = { extensions: { path: '$.selectionSet.found', code: 'data-exception' }, message, path: ['found'] }
  assert.deepEqual(alone, { data: { found: null }, errors: [own] })
})

test('numbers in presets keep their digits', async (t) => {
  const types = `type Query { found(where: Filter, any: JSON): String } type Mutation { keep: Int } scalar JSON
    input Filter { id: Int  big: JSON  price: JSON }`
  const crm = await startCrm(t, types, { found: () => 'one' })
  const trellis = await startLibrary(t, { settings: { enableRemoteSchemaPermissions: true } })
  await trellis.op('add_remote_schema', { name: 'crm', definition: { url: crm.url } })
  const schema = `type Query { found(where: Filter, any: JSON @preset(value: [9007199254740993, "x-service-user-id"])): String }
    scalar JSON input Filter { id: Int  big: JSON @preset(value: 9007199254740993)  price: JSON @preset(value: {of: 1.10}) }`
  await trellis.op('add_remote_schema_permissions', { remote_schema: 'crm', role: 'clerk', definition: { schema } })
  const as = { role: 'clerk', headers: { 'x-service-user-id': '7' } }
  const query = 'query ($w: Filter) { a: found(where: $w)  b: found(where: {id: 2}) }'
  assert.deepEqual(await trellis.graphql(query, { w: { id: 1 } }, as), { data: { a: 'one', b: 'one' } })
  const { body } = crm.received.at(-1)!
  assert.match(body, /"w":\{"id":1,"big":9007199254740993,"price":\{"of":1\.10\}\}/)
  assert.match(body, /where: \{id: 2, big: 9007199254740993, price: \{ of: 1\.10 \}\}/)
  assert.match(body, /\[9007199254740993,"7"\]/)
})

test('a missing session variable is an error', async (t) => {
  const { trellis } = await start(t, clerk)
  const { errors } = await trellis.graphql<{ errors: { message: string; extensions: { code: string } }[] }>(
    '{ user { id } }',
    {},
    { role: 'clerk' },
  )
  assert.deepEqual(
    [errors[0]?.extensions.code, errors[0]?.message],
    ['not-found', 'missing session variables: "x-service-user-id"'],
  )
})

test('introspection shows a role its part of the schema', async (t) => {
  const { ask } = await start(t, clerk)
  const query = `{ user: __type(name: "User") { fields { name } } thing: __type(name: "Thing") { possibleTypes { name } }
    car: __type(name: "Car") { name } filter: __type(name: "UserFilter") { inputFields { name } } }`
  assert.deepEqual(await ask(query), {
    data: {
      user: { fields: [{ name: 'id' }, { name: 'name' }, { name: 'notes' }] },
      thing: { possibleTypes: [{ name: 'User' }] },
      car: null,
      filter: { inputFields: [{ name: 'ids' }, { name: 'nested' }] },
    },
  })
})

test('a permission of * shows the whole schema', async (t) => {
  const { ask } = await start(t, '*')
  assert.deepEqual(await ask('{ user(id: 1) { secret } }'), { data: { user: { secret: 'secret 1' } } })
})

test('invalid permissions and operations are refused', async (t) => {
  const { trellis } = await start(t, '*')
  const said = async (type: string, args: object) => {
    const { status, body } = await trellis.opError(type, { remote_schema: 'crm', role: 'other', ...args })
    const { path, code, error } = body as { path: string; code: string; error: string }
    return [status, path, code, error]
  }
  const add = (schema: string, more = {}) => said('add_remote_schema_permissions', { definition: { schema }, ...more })
  const one = 'validation for the given role-based schema failed because '
  const broken = (reason: string) => [400, '$.args', 'constraint-violation', one + reason]
  assert.deepEqual(
    await add('type Query { nobody: Int }'),
    broken('field "nobody" does not exist in the "Object": "Query"'),
  )
  assert.deepEqual(
    await add('type Query { version: Int! }'),
    broken('expected type of "version"("Object field") to be String! but received Int!'),
  )
  assert.deepEqual(
    await add('type Query { version: String! } type Lost { a: Int }'),
    broken('"Object": "Lost" does not exist in the upstream remote schema'),
  )
  assert.deepEqual(await add('type Query { user(id: Int!): User }'), broken('the type "User" is not defined'))
  assert.deepEqual(
    await add('type Query { user: User } type User { id: Int! }'),
    broken('field: "user" expects the following non nullable arguments to be present: "id"'),
  )
  assert.deepEqual(
    await add('type Mutation { fail: User } type User { id: Int! }'),
    broken('query root does not exist in the schema definition'),
  )
  const others: [schema: string, reason: string][] = [
    ['type Query { version: String! } type Query { version: String! }', 'duplicate type names found: "Query"'],
    [
      'type Query { user(id: Int!, age: Int): User } type User { id: Int! }',
      'input argument "age" does not exist in the input object:"user"',
    ],
    [
      'type Query { echo(kind: Kind): JSON } enum Kind { GOOD WORSE WORST } scalar JSON',
      'enum "Kind" contains the following enum values that do not exist in the corresponding upstream remote enum: "WORSE" and "WORST"',
    ],
    [
      'type Query { thing(id: ID!): Thing } union Thing = Car | Query type Car { name: String! }',
      'union "Thing" contains members which do not exist in the members of the remote schema union :"Query"',
    ],
    [
      'type Query { user(id: Int!): User } type User implements Named & Kept { id: Int! name: String! } interface Named { name: String! }',
      'object "User" is trying to implement the following interfaces that do not exist in the corresponding upstream remote object: "Kept"',
    ],
    ['type Query', 'the type "Query" is empty'],
    ['type Query { thing(id: ID!): Thing } union Thing', 'the type "Thing" is empty'],
    ['type Query { version: String! version: String! }', 'there are several "version" in "Query"'],
    [
      'type Query { user(id: Int!): User } type User implements Named { id: Int! } interface Named { name: String! }',
      'the field "User"."name" is missing, which the interface "Named" has',
    ],
  ]
  for (const [schema, reason] of others) assert.deepEqual(await add(schema), broken(reason))
  const presets: [preset: string, reason: string][] = [
    ['Int! @preset', 'no arguments found in the preset directive'],
    ['Int! @preset(static: true)', 'preset argument "value" not found at "id"'],
    ['Int! @preset(value: "a")', 'the preset of the input "id" of "Query"."user" is not a value of type Int!'],
    ['Int! @preset(value: null)', 'the preset of the input "id" of "Query"."user" is not a value of type Int!'],
    ['Int! @preset(value: [[1]])', 'expected preset value "[[1]]" of type "Int" to be a scalar value'],
    ['Int! @preset(value: GOOD)', 'expected preset value "GOOD" of type "Int" to be a scalar value'],
    ['Int! @preset(value: 1, static: 2)', 'expected preset static value to be a Boolean value'],
    [
      'Int! @preset(value: 1) @preset(value: 2)',
      'found multiple preset directives at the input "id" of "Query"."user"',
    ],
    [
      'ID! @preset(value: "x-service-user-id")',
      'expected type of "id"("Input object argument") to be Int! but received ID!',
    ],
  ]
  for (const [preset, reason] of presets) {
    const schema = `type Query { user(id: ${preset}): User } type User { id: Int! }`
    assert.deepEqual(await add(schema), broken(reason))
  }
  const structured: [input: string, preset: string, reason: string][] = [
    ['kind: Kind', '"GOOD"', 'expected preset value ""GOOD"" of type "Kind" to be an enum value'],
    ['kind: Kind', 'BEST', '"BEST" not found in the enum: "Kind"'],
    ['where: UserFilter', '5', 'expected preset value "5" of type "UserFilter" to be an input object value'],
    ['where: UserFilter', '{street: 5}', '"street" does not exist in the input object "UserFilter"'],
    ['where: UserFilter', '{ids: [1, {a: 1}]}', 'expected preset value "{ a: 1 }" of type "Int" to be a scalar value'],
  ]
  for (const [input, preset, reason] of structured) {
    const argument = `${input} @preset(value: ${preset})`
    const field = input.startsWith('kind') ? `echo(${argument}): JSON` : `users(${argument}): [User!]!`
    const schema = `type Query { ${field} } scalar JSON enum Kind { GOOD } type User { id: Int! } input UserFilter { city: String }`
    assert.deepEqual(await add(schema), broken(reason))
  }
  assert.match(String((await add('type Query {'))[3]), /^parsing the schema failed: Syntax Error/)
  assert.deepEqual(await add('*', { remote_schema: 'no' }), [
    400,
    '$.args',
    'not-exists',
    'remote schema with name "no" does not exist',
  ])
  const exists = 'permissions for role: "clerk" for remote schema: "crm" already exists'
  assert.deepEqual(await add('*', { role: 'clerk' }), [400, '$.args', 'already-exists', exists])
  const missing = `permissions for role: "other" for remote schema: "crm" doesn't exist`
  assert.deepEqual(await said('drop_remote_schema_permissions', {}), [400, '$.args', 'not-exists', missing])
})

test('permissions are exported, replaced, and dropped', async (t) => {
  const { trellis, ask } = await start(t, clerk)
  const exported = await trellis.op<{ remote_schemas: { permissions: unknown }[] }>('export_metadata', {})
  assert.deepEqual(exported.remote_schemas[0]?.permissions, [{ role: 'clerk', definition: { schema: clerk } }])
  await trellis.op('replace_metadata', exported)
  assert.deepEqual(await trellis.op('export_metadata', {}), exported)
  await trellis.op('drop_remote_schema_permissions', { remote_schema: 'crm', role: 'clerk' })
  assert.equal(await refusal(ask, '{ user { id } }'), unknown('user', 'query_root'))
})

test('remote relationships respect permissions, and their arguments replace presets', async (t) => {
  const { trellis, ask } = await start(t, clerk)
  const relationship = { table: 'book', service_fields: ['id'], remote_schema: 'crm' }
  const user = { user: { arguments: { id: '$id' } } }
  await trellis.op('create_remote_relationship', { ...relationship, name: 'author', remote_field: user })
  await trellis.op('create_remote_relationship', {
    ...relationship,
    name: 'version',
    remote_field: { version: { arguments: {} } },
  })
  await trellis.op('create_remote_relationship', {
    ...relationship,
    name: 'all',
    remote_field: { users: { arguments: { where: { ids: ['$id'] } } } },
  })
  await trellis.op('create_select_permission', {
    table: 'book',
    role: 'clerk',
    permission: { columns: ['id'], filter: {} },
  })
  assert.deepEqual(await ask('{ book(limit: 1) { author { id name } all { id } } }'), {
    data: { book: [{ author: { id: 1, name: 'user 1' }, all: [{ id: 1 }] }] },
  })
  assert.equal(await refusal(ask, '{ book { version } }'), unknown('version', 'book'))
  assert.equal(await refusal(ask, '{ book { author { secret } } }'), unknown('secret', 'User'))
})

test('presets of input objects are added to the arguments of remote relationships', async (t) => {
  const { crm, trellis, ask } = await start(t, clerk)
  const relationship = { table: 'book', service_fields: ['id'], remote_schema: 'crm' }
  const users = (where?: object) => ({ users: { arguments: where ? { where } : {} } })
  for (const [name, remote_field] of Object.entries({
    open: users(),
    own: users({ ids: ['$id'] }),
    there: users({ city: 'Oslo' }),
  })) {
    await trellis.op('create_remote_relationship', { ...relationship, name, remote_field })
  }
  const permission = { columns: ['id'], filter: {} }
  await trellis.op('create_select_permission', { table: 'book', role: 'clerk', permission })
  const query = `query ($w: UserFilter) { book(limit: 1) {
    all: open { id }  a: open(where: {ids: [3], nested: {ids: null}}) { id }  b: open(where: $w) { id }
    own { id }  more: own(where: {ids: [5]}) { id }  there(where: {ids: [6]}) { id }
  } }`
  await ask(query, { w: { nested: { ids: [4] } } })
  const { variables } = crm.asked()[0]!
  assert.deepEqual(Object.values(variables), [
    { ids: [3], city: 'Rome', nested: { ids: null, city: 'Rome' } },
    { city: 'Rome', nested: { ids: [4], city: 'Rome' } },
    { ids: [1], city: 'Rome' },
    { ids: [5, 1], city: 'Rome' },
    { ids: [6], city: 'Oslo' },
  ])
})

test('without the option every role sees everything, and permissions are refused', async (t) => {
  const crm = await startCrm(t)
  const trellis = await startLibrary(t)
  await trellis.op('add_remote_schema', { name: 'crm', definition: { url: crm.url } })
  const { body } = await trellis.opError('add_remote_schema_permissions', {
    remote_schema: 'crm',
    role: 'clerk',
    definition: { schema: clerk },
  })
  const error =
    'remote schema permissions can only be defined when remote schema permissions are enabled in the graphql-engine'
  assert.equal((body as { error: string }).error, error)
  assert.deepEqual(await trellis.graphql('{ user(id: 1) { secret } }', {}, { role: 'clerk' }), {
    data: { user: { secret: 'secret 1' } },
  })
})

test('an inherited role sees what its parents show, if they agree where they overlap', async (t) => {
  const { trellis } = await start(t, clerk)
  const permit = async (role: string, schema: string) => {
    await trellis.op('drop_remote_schema_permissions', { remote_schema: 'crm', role }).catch(() => {})
    await trellis.op('add_remote_schema_permissions', { remote_schema: 'crm', role, definition: { schema } })
  }
  const user = 'type User { id: Int! }'
  await permit('one', `type Query { user(id: Int! @preset(value: 7)): User version: String! } ${user}`)
  await permit('other', `type Query { users(limit: Int @preset(value: 1)): [User!]! version: String! } ${user}`)
  await trellis.op('add_inherited_role', { role_name: 'both', role_set: ['one', 'other'] })
  type Answer = { errors?: { message: string }[] }
  const ask = (query: string) => trellis.graphql<Answer>(query, {}, { role: 'both' })
  const listed = async () => {
    const objects = await trellis.op<{ type: string; definition: unknown }[]>('get_inconsistent_metadata', {})
    return objects.map(({ type }) => type)
  }
  const first = await ask('{ user { id } users { id } version }')
  assert.deepEqual(first, { data: { user: { id: 7 }, users: [{ id: 1 }], version: '1' } })
  for (const field of ['user(id: 1)', 'users(limit: 2)']) {
    const { errors } = await ask(`{ ${field} { id } }`)
    assert.match(errors![0]!.message, /has no argument named/)
  }
  assert.equal((await ask('{ user { id name } }')).errors![0]!.message, unknown('name', 'User'))
  assert.deepEqual(await listed(), [])
  const differing = [
    // A parent that sees more of the user would show it below the field of the other.
    `type Query { users: [User!]! } type User { id: Int! secret: String }`,
    `type Query { user(id: Int! @preset(value: 8)): User } ${user}`,
    `type Query { user(id: Int!): User } ${user}`,
    '*',
  ]
  for (const schema of differing) {
    await permit('other', schema)
    assert.equal((await ask('{ user { id } }')).errors?.[0]?.message, unknown('user', 'query_root'))
    assert.deepEqual(await listed(), ['inherited role permission inconsistency'])
  }
  await permit('other', 'type Query { thing(id: ID!): Thing } union Thing = Note type Note { text: String! }')
  assert.deepEqual(await ask('{ user { id } thing(id: "note") { ... on Note { text } } }'), {
    data: { user: { id: 7 }, thing: { text: 'n' } },
  })
  assert.deepEqual(await listed(), [])
})

test('presets outside of arguments and input fields are refused', async (t) => {
  const { trellis } = await start(t, clerk)
  const misplaced = 'Preset directives can be defined only on INPUT_FIELD_DEFINITION or ARGUMENT_DEFINITION'
  const schemas = [
    'type Query { version: String! @preset(value: "x") }',
    'type Query @preset(value: 1) { version: String! }',
  ]
  for (const schema of schemas) {
    const args = { remote_schema: 'crm', role: 'other', definition: { schema } }
    const { status, body } = await trellis.opError('add_remote_schema_permissions', args)
    const error = `validation for the given role-based schema failed because ${misplaced}`
    const { code, ...told } = body as unknown as Record<string, unknown>
    assert.deepEqual([status, code, told['path'], told['error']], [400, 'constraint-violation', '$.args', error])
    const later = await trellis.request('/v1/metadata', { body: { type: 'add_remote_schema_permissions', args } })
    assert.deepEqual(later.body, { path: '$.args', error, code: 'validation-failed' })
  }
})
