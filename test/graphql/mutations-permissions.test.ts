import assert from 'node:assert/strict'
import test from 'node:test'
import { startTrellis, type TestTrellis } from '../support/trellis.ts'
import { refusalOf, startBlog } from './mutations.ts'

const role = 'writer'
const writer = { role, headers: { 'x-service-user-id': '7' } }

/** Writers insert their own authors, and articles of these. */
async function allowWriters(trellis: TestTrellis) {
  const own = { owner: { _eq: 'X-Service-User-Id' } }
  await trellis.op('create_insert_permission', {
    table: 'author',
    role,
    permission: { check: own, columns: ['name'], set: { owner: 'x-service-user-id' } },
  })
  await trellis.op('create_select_permission', {
    table: 'author',
    role,
    permission: { columns: ['id', 'name', 'owner'], filter: own },
  })
  await trellis.op('create_insert_permission', {
    table: 'article',
    role,
    permission: { check: { author: own }, columns: ['title', 'author_id'], set: { published: true } },
  })
}

test('presets are set, and their columns cannot be given', async (t) => {
  const trellis = await startBlog(t)
  await allowWriters(trellis)
  const query = 'mutation ($o: [author_insert_input!]!) { insert_author(objects: $o) { returning { name owner } } }'
  const answer = await trellis.graphql(query, { o: [{ name: 'Ann' }, { name: 'Ben' }] }, writer)
  assert.deepEqual(answer, {
    data: {
      insert_author: {
        returning: [
          { name: 'Ann', owner: 7 },
          { name: 'Ben', owner: 7 },
        ],
      },
    },
  })
  assert.deepEqual(refusalOf(await trellis.graphql(query, { o: [{ name: 'Cid', owner: 8 }] }, writer)), {
    message: `field "owner" not found in type: 'author_insert_input'`,
    path: '$.selectionSet.insert_author.args.objects[0].owner',
    code: 'validation-failed',
  })
})

test('nothing is inserted unless the check holds for each row', async (t) => {
  const trellis = await startBlog(t)
  await allowWriters(trellis)
  await trellis.sql(`insert into author (name, owner) values ('Ann', 7), ('Ben', 8), ('Cid', null)`)
  const query = 'mutation ($o: [article_insert_input!]!) { insert_article(objects: $o) { affected_rows } }'
  const insert = (...authors: (number | null)[]) =>
    trellis.graphql(query, { o: authors.map((author_id, i) => ({ title: `T${i}`, author_id })) }, writer)
  const violation = {
    message: 'Check constraint violation. insert check constraint failed',
    path: '$.selectionSet.insert_article.args.objects',
    code: 'permission-error',
  }
  assert.deepEqual(refusalOf(await insert(1, 2)), violation)
  assert.deepEqual(refusalOf(await insert(3)), violation)
  assert.deepEqual(refusalOf(await insert(null)), violation)
  assert.deepEqual(await insert(1, 1), { data: { insert_article: { affected_rows: 2 } } })
  assert.deepEqual(await trellis.sql('select title, author_id, published from article'), [
    { title: 'T0', author_id: 1, published: true },
    { title: 'T1', author_id: 1, published: true },
  ])
})

test('related rows are inserted under the permissions of their own tables', async (t) => {
  const trellis = await startBlog(t)
  await allowWriters(trellis)
  const insert = (author: string) =>
    trellis.graphql(`mutation { insert_article(objects: [{title: "One", ${author}}]) { affected_rows } }`, {}, writer)
  assert.deepEqual(await insert('author: {data: {name: "Ann"}}'), { data: { insert_article: { affected_rows: 2 } } })
  assert.deepEqual(refusalOf(await insert('tags: {data: []}')), {
    message: `field "tags" not found in type: 'article_insert_input'`,
    path: '$.selectionSet.insert_article.args.objects[0].tags',
    code: 'validation-failed',
  })
  assert.deepEqual(await trellis.sql('select name, owner from author'), [{ name: 'Ann', owner: 7 }])
})

test('values determined by the parent override presets', async (t) => {
  const trellis = await startBlog(t)
  await trellis.sql(`insert into author (id, name) values (50, 'Preset')`)
  const permission = { check: {}, columns: ['title'], set: { author_id: 50 } }
  await trellis.op('create_insert_permission', { table: 'article', role, permission })
  await trellis.op('create_insert_permission', { table: 'author', role, permission: { check: {}, columns: ['name'] } })
  const answer = await trellis.graphql(
    `mutation {
      insert_author(objects: [{name: "Ann", articles: {data: [{title: "One"}]}}]) { affected_rows }
      insert_article(objects: [{title: "Two", author: {data: {name: "Ben"}}}, {title: "Three"}]) { affected_rows }
    }`,
    {},
    { role },
  )
  assert.deepEqual(answer, { data: { insert_author: { affected_rows: 2 }, insert_article: { affected_rows: 3 } } })
  const rows = await trellis.sql(
    'select title, name from article join author on author.id = author_id order by article.id',
  )
  assert.deepEqual(rows, [
    { title: 'One', name: 'Ann' },
    { title: 'Two', name: 'Ben' },
    { title: 'Three', name: 'Preset' },
  ])
})

test('exactly the session variables that are used must be present', async (t) => {
  const trellis = await startBlog(t)
  await allowWriters(trellis)
  await trellis.op('create_update_permission', {
    table: 'author',
    role,
    permission: { columns: ['name'], filter: { owner: 'X-Service-Org' }, check: { owner: 'X-Service-Team' } },
  })
  const missing = async (query: string) => refusalOf(await trellis.graphql(query, {}, { role }))
  const message = (...names: string[]) => ({
    message: `missing session variables: ${names.map((name) => `"x-service-${name}"`).join(', ')}`,
    path: '$',
    code: 'not-found',
  })
  const insert = (conflict: string) => `mutation { insert_author(objects: [{name: "A"}]${conflict}) { affected_rows } }`
  assert.deepEqual(await missing(insert('')), message('user-id'))
  assert.deepEqual(
    (await missing(insert(', on_conflict: {constraint: author_name_key, update_columns: [name]}'))).message
      .match(/x-service-[a-z-]+/g)
      ?.sort(),
    ['x-service-org', 'x-service-team', 'x-service-user-id'],
  )
  const idle = `mutation { insert_author(objects: []) { affected_rows } update_author(where: {}, _set: {}) { affected_rows } }`
  assert.deepEqual(await trellis.graphql(idle, {}, { role }), {
    data: { insert_author: { affected_rows: 0 }, update_author: { affected_rows: 0 } },
  })
})

test('permissions limit the columns of returned rows, not the rows', async (t) => {
  const trellis = await startBlog(t)
  await trellis.sql(
    `insert into author (name, owner) values ('Ann', 8); insert into article (title, author_id) values ('One', 1)`,
  )
  const select = { columns: ['id', 'title'], filter: { id: { _lt: 0 } }, limit: 1 }
  await trellis.op('create_select_permission', { table: 'article', role, permission: select })
  await trellis.op('create_select_permission', {
    table: 'author',
    role,
    permission: { columns: ['name'], filter: { owner: 'X-Service-User-Id' } },
  })
  await trellis.op('create_insert_permission', { table: 'article', role, permission: { check: {}, columns: '*' } })
  const answer = await trellis.graphql(
    `mutation { insert_article(objects: [{title: "Two", author_id: 1}, {title: "Three"}]) { returning { title author { name } } } }`,
    {},
    writer,
  )
  const returning = [
    { title: 'Two', author: null },
    { title: 'Three', author: null },
  ]
  assert.deepEqual(answer, { data: { insert_article: { returning } } })
  const hidden = await trellis.graphql(
    'mutation { insert_article(objects: []) { returning { published } } }',
    {},
    writer,
  )
  assert.deepEqual(refusalOf(hidden), {
    message: `field "published" not found in type: 'article'`,
    path: '$.selectionSet.insert_article.selectionSet.returning.selectionSet.published',
    code: 'validation-failed',
  })
})

test('fields follow from permissions', async (t) => {
  const trellis = await startBlog(t)
  const fields = async (given = writer) => {
    const query = '{ __schema { mutationType { fields { name } } } }'
    type Answer = { data: { __schema: { mutationType: { fields: { name: string }[] } | null } } }
    const body = await trellis.graphql<Answer>(query, {}, given)
    return body.data.__schema.mutationType?.fields.map(({ name }) => name) ?? null
  }
  assert.equal(await fields(), null)
  assert.deepEqual(refusalOf(await trellis.graphql('mutation { __typename }', {}, writer)), {
    message: 'no mutations exist',
    path: '$',
    code: 'validation-failed',
  })
  await trellis.op('create_insert_permission', { table: 'author', role, permission: { check: {} } })
  await trellis.op('create_update_permission', {
    table: 'author',
    role,
    permission: { columns: ['owner'], filter: {}, set: { owner: 1 } },
  })
  await trellis.op('create_delete_permission', { table: 'author', role, permission: { filter: {} } })
  assert.deepEqual(await fields(), ['delete_author', 'insert_author'])
  await trellis.op('create_select_permission', { table: 'author', role, permission: { columns: ['name'], filter: {} } })
  assert.deepEqual(await fields(), ['delete_author', 'insert_author', 'insert_author_one'])
  await trellis.op('drop_update_permission', { table: 'author', role })
  await trellis.op('create_update_permission', {
    table: 'author',
    role,
    permission: { columns: ['owner'], filter: {} },
  })
  await trellis.op('drop_select_permission', { table: 'author', role })
  await trellis.op('create_select_permission', { table: 'author', role, permission: { columns: ['id'], filter: {} } })
  const all = [
    'delete_author',
    'delete_author_by_pk',
    'insert_author',
    'insert_author_one',
    'update_author',
    'update_author_by_pk',
    'update_author_many',
  ]
  assert.deepEqual(await fields(), all)
})

test('an insert whose columns are all preset takes empty objects', async (t) => {
  const trellis = await startTrellis(t, { sql: 'create table visit (id serial primary key, who text, kind text)' })
  await trellis.op('track_table', 'visit')
  const permission = { check: {}, columns: ['who'], set: { who: 'X-Service-User-Id', kind: "it's" } }
  await trellis.op('create_insert_permission', { table: 'visit', role, permission })
  const query = 'mutation ($o: [visit_insert_input!]!) { insert_visit(objects: $o) { affected_rows } }'
  assert.deepEqual(await trellis.graphql(query, { o: [{}, {}] }, writer), {
    data: { insert_visit: { affected_rows: 2 } },
  })
  const type = await trellis.graphql('{ __type(name: "visit_insert_input") { kind inputFields { name } } }', {}, writer)
  assert.deepEqual(type, { data: { __type: { kind: 'INPUT_OBJECT', inputFields: [] } } })
  const visit = { who: '7', kind: "it's" }
  assert.deepEqual(await trellis.sql('select who, kind from visit'), [visit, visit])
})

test('backend-only inserts, also nested ones, need a request that asks for them', async (t) => {
  const trellis = await startBlog(t)
  await trellis.op('create_insert_permission', {
    table: 'article',
    role,
    permission: { check: {}, columns: ['title'] },
  })
  await trellis.op('create_insert_permission', {
    table: 'author',
    role,
    permission: { check: {}, columns: ['name'], backend_only: true },
  })
  const nested =
    'mutation { insert_article(objects: [{title: "One", author: {data: {name: "Ann"}}}]) { affected_rows } }'
  const direct = 'mutation { insert_author(objects: [{name: "Ben"}]) { affected_rows } }'
  assert.equal(
    refusalOf(await trellis.graphql(nested, {}, { role })).message,
    `field "author" not found in type: 'article_insert_input'`,
  )
  assert.equal(
    refusalOf(await trellis.graphql(direct, {}, { role })).message,
    `field "insert_author" not found in type: 'mutation_root'`,
  )
  const backend = { role, headers: { 'x-service-use-backend-only-permissions': 'true' } }
  assert.deepEqual(await trellis.graphql(nested, {}, backend), { data: { insert_article: { affected_rows: 2 } } })
  assert.deepEqual(await trellis.graphql(direct, {}, backend), { data: { insert_author: { affected_rows: 1 } } })
})
