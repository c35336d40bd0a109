import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startTrellis } from 'trellis/testing'
import search from '../../examples/search.ts'

const sql = `
  create table article (
    id int primary key,
    title text not null,
    body text not null,
    draft boolean not null default false,
    search tsvector generated always as (
      setweight(to_tsvector('english', title), 'A') || setweight(to_tsvector('english', body), 'B')) stored
  );
  create table note (id int primary key, body text);
  insert into article (id, title, body, draft) values
    (1, 'Gardens', 'What grows on a trellis, and what does not.', false),
    (2, 'Growing on a trellis', 'Peas.', false),
    (3, 'Stones', 'Nothing grows here.', false),
    (4, 'A growing trellis', 'Unfinished.', true)`

async function startArticles() {
  const trellis = await startTrellis({ plugins: [search], sql })
  await trellis.operation('bulk', [
    { type: 'track_table', args: 'article' },
    { type: 'track_table', args: 'note' },
    {
      type: 'create_select_permission',
      args: {
        table: 'article',
        role: 'reader',
        permission: { columns: ['id', 'title', 'search'], filter: { draft: false } },
      },
    },
  ])
  return trellis
}

const found = '{ search_article(query: "growing trellis") { id } }'

test('results are ordered by rank, and limited to rows that the role may read', async () => {
  await using trellis = await startArticles()
  assert.deepEqual(await trellis.graphql(found), { data: { search_article: [{ id: 4 }, { id: 2 }, { id: 1 }] } })
  const asReader = await trellis.graphql(found, { role: 'reader' })
  assert.deepEqual(asReader, { data: { search_article: [{ id: 2 }, { id: 1 }] } })
})

test('search takes conditions, a limit, and any text', async () => {
  await using trellis = await startArticles()
  const narrowed = '{ search_article(query: "grows", where: { draft: { _eq: false } }, limit: 1) { title } }'
  assert.deepEqual(await trellis.graphql(narrowed), { data: { search_article: [{ title: 'Growing on a trellis' }] } })
  const query = 'query ($q: String!) { search_article(query: $q) { id } }'
  for (const q of ['"', '!', "a' or true --", ' & ( ']) {
    assert.deepEqual((await trellis.graphql(query, { variables: { q } })).errors, undefined, q)
  }
})

test('columns of words can be compared, in GraphQL and in permissions', async () => {
  await using trellis = await startArticles()
  const where = '{ article(where: { search: { _matches: "stones" } }) { id } }'
  assert.deepEqual(await trellis.graphql(where), { data: { article: [{ id: 3 }] } })
  await trellis.operation('create_select_permission', {
    table: 'article',
    role: 'gardener',
    permission: { columns: ['id'], filter: { search: { _matches: 'trellis -peas' } } },
  })
  const asGardener = await trellis.graphql('{ article(order_by: { id: asc }) { id } }', { role: 'gardener' })
  assert.deepEqual(asGardener, { data: { article: [{ id: 1 }, { id: 4 }] } })
})

test('tables without a search column have no search field', async () => {
  await using trellis = await startArticles()
  const { errors } = await trellis.graphql('{ search_note(query: "a") { id } }')
  assert.equal(errors?.[0]?.message, 'field "search_note" not found in type: \'query_root\'')
  const asGuest = await trellis.graphql('{ __type(name: "query_root") { fields { name } } }', { role: 'gardener' })
  assert.ok(!JSON.stringify(asGuest).includes('search_'))
})
