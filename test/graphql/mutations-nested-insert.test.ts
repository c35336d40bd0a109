import assert from 'node:assert/strict'
import test from 'node:test'
import type { TestTrellis } from '../support/trellis.ts'
import { refusalOf, startBlog } from './mutations.ts'

const counts = async (trellis: TestTrellis) => {
  const [row] = await trellis.sql(`select (select count(*)::int from author) as author,
    (select count(*)::int from article) as article, (select count(*)::int from tag) as tag`)
  return row
}

test('arrays are inserted after their parent row, at any depth', async (t) => {
  const trellis = await startBlog(t)
  const answer = await trellis.graphql(`mutation {
    insert_author(objects: [
      {name: "Ann", articles: {data: [
        {title: "One", tags: {data: [{label: "x"}, {label: "y"}]}},
        {title: "Two", published: true}
      ]}},
      {name: "Ben"}
    ]) {
      affected_rows
      returning { id name articles(order_by: {id: asc}) { id title published author_id tags { label } } }
    }
  }`)
  const articles = [
    { id: 1, title: 'One', published: false, author_id: 1, tags: [{ label: 'x' }, { label: 'y' }] },
    { id: 2, title: 'Two', published: true, author_id: 1, tags: [] },
  ]
  assert.deepEqual(answer, {
    data: {
      insert_author: {
        affected_rows: 6,
        returning: [
          { id: 1, name: 'Ann', articles },
          { id: 2, name: 'Ben', articles: [] },
        ],
      },
    },
  })
})

test('objects are inserted before the row that refers to them, at any depth', async (t) => {
  const trellis = await startBlog(t)
  const answer = await trellis.graphql(`mutation {
    insert_tag(objects: [
      {label: "x", article: {data: {title: "One", author: {data: {name: "Ann"}}, reviewer: {data: {name: "Ben"}}}}}
    ]) { affected_rows returning { article_id article { title author { id name } reviewer { id name } } } }
  }`)
  const article = { title: 'One', author: { id: 1, name: 'Ann' }, reviewer: { id: 2, name: 'Ben' } }
  assert.deepEqual(answer, {
    data: { insert_tag: { affected_rows: 4, returning: [{ article_id: 1, article }] } },
  })
})

test('insert_one accepts related rows, and returns its own row', async (t) => {
  const trellis = await startBlog(t)
  const query = `mutation ($a: article_insert_input!) { insert_article_one(object: $a) { id author { name } tags { label } } }`
  const a = { title: 'One', author: { data: { name: 'Ann' } }, tags: { data: [{ label: 'x' }] } }
  assert.deepEqual(await trellis.graphql(query, { a }), {
    data: { insert_article_one: { id: 1, author: { name: 'Ann' }, tags: [{ label: 'x' }] } },
  })
  const b = { title: 'Two', author: { data: { name: 'Ben' } }, tags: { data: [] } }
  assert.deepEqual(await trellis.graphql(query, { a: b }), {
    data: { insert_article_one: { id: 2, author: { name: 'Ben' }, tags: [] } },
  })
})

test('a null relationship inserts nothing, and neither does an empty array', async (t) => {
  const trellis = await startBlog(t)
  const answer = await trellis.graphql(`mutation {
    insert_author(objects: [{name: "Ann", articles: null}, {name: "Ben", articles: {data: []}}]) { affected_rows }
  }`)
  assert.deepEqual(answer, { data: { insert_author: { affected_rows: 2 } } })
  const one = 'mutation ($a: article_insert_input!) { insert_article_one(object: $a) { author { name } } }'
  const many =
    'mutation ($a: [article_insert_input!]!) { insert_article(objects: $a) { returning { author { name } } } }'
  const given = [
    { title: 'One', author: null },
    { title: 'Two', author: { data: { name: 'Cat' } } },
    { title: 'Three', author: null, author_id: 1 },
  ]
  const authors = [{ author: null }, { author: { name: 'Cat' } }, { author: { name: 'Ann' } }]
  const again = [
    { title: 'Four', author: null },
    { title: 'Five', author: { data: { name: 'Dan' } } },
    { title: 'Six', author: null, author_id: 1 },
  ]
  for (const [i, a] of given.entries()) {
    assert.deepEqual(await trellis.graphql(one, { a }), { data: { insert_article_one: authors[i] } })
  }
  authors[1] = { author: { name: 'Dan' } }
  assert.deepEqual(await trellis.graphql(many, { a: again }), {
    data: { insert_article: { returning: authors } },
  })
  const literal = 'mutation { insert_article_one(object: {title: "Last", author: null}) { author { name } } }'
  assert.deepEqual(await trellis.graphql(literal), { data: { insert_article_one: { author: null } } })
})

test('values that the parent determines cannot be given', async (t) => {
  const trellis = await startBlog(t)
  const author = '$.selectionSet.insert_author.args.objects'
  const query = `mutation ($o: [author_insert_input!]!) { insert_author(objects: $o) { affected_rows } }`
  const refused = async (articles: unknown[]) => {
    return refusalOf(
      await trellis.graphql(query, { o: [{ name: 'Zoe' }, { name: 'Ann', articles: { data: articles } }] }),
    )
  }
  const determined = 'cannot insert "author_id" columns as their values are already being determined by parent insert'
  assert.deepEqual(await refused([{ title: 'One' }, { title: 'Two', author_id: 4 }]), {
    message: determined,
    path: `${author}[1].articles.data[1]`,
    code: 'validation-failed',
  })
  assert.deepEqual(await refused([{ title: 'One', author_id: 4, tags: { data: [{ label: 'x' }] } }]), {
    message: determined,
    path: `${author}[1].articles.data[0]`,
    code: 'validation-failed',
  })
  assert.deepEqual(await refused([{ title: 'One', author: { data: { name: 'Ben' } } }]), {
    message: 'cannot insert object relation ship "author" as "author_id" column values are already determined',
    path: `${author}[1].articles.data[0].author`,
    code: 'validation-failed',
  })
  const given = await trellis.graphql(`mutation {
    insert_article_one(object: {title: "One", author_id: 1, author: {data: {name: "Ann"}}}) { id }
  }`)
  assert.deepEqual(refusalOf(given), {
    message: 'cannot insert object relation ship "author" as "author_id" column values are already determined',
    path: '$.selectionSet.insert_article_one.args.object[0].author',
    code: 'validation-failed',
  })
  assert.deepEqual(await counts(trellis), { author: 0, article: 0, tag: 0 })
})

test('nothing is related to a row that was skipped', async (t) => {
  const trellis = await startBlog(t)
  await trellis.sql(`insert into author (name) values ('Ann')`)
  const skip = 'on_conflict: {constraint: author_name_key, update_columns: []}'
  const array = await trellis.graphql(`mutation {
    insert_author(objects: [{name: "Ben"}, {name: "Ann", articles: {data: [{title: "One"}]}}], ${skip}) { affected_rows }
  }`)
  assert.deepEqual(refusalOf(array), {
    message: 'cannot proceed to insert array relations since insert to table "author" affects zero rows',
    path: '$.selectionSet.insert_author.args.objects[1]',
    code: 'not-supported',
  })
  const object = await trellis.graphql(`mutation {
    insert_article(objects: [{title: "One", author: {data: {name: "Ann"}, ${skip}}}]) { affected_rows }
  }`)
  assert.deepEqual(refusalOf(object), {
    message: 'cannot proceed to insert object relation "author" since insert to table "author" affects zero rows',
    path: '$.selectionSet.insert_article.args.objects[0].author',
    code: 'not-supported',
  })
  assert.deepEqual(await counts(trellis), { author: 1, article: 0, tag: 0 })
})

test('a related row that is there already can be updated and referred to', async (t) => {
  const trellis = await startBlog(t)
  await trellis.sql(`insert into author (name, owner) values ('Ann', 1)`)
  const answer = await trellis.graphql(`mutation {
    insert_article_one(object: {
      title: "One",
      author: {data: {name: "Ann", owner: 2}, on_conflict: {constraint: author_name_key, update_columns: [owner]}}
    }) { author { id name owner } }
  }`)
  assert.deepEqual(answer, { data: { insert_article_one: { author: { id: 1, name: 'Ann', owner: 2 } } } })
})

test('rows without related rows are skipped one by one when others have some', async (t) => {
  const trellis = await startBlog(t)
  await trellis.sql(`insert into author (name) values ('Ann')`)
  const answer = await trellis.graphql(`mutation {
    insert_author(
      objects: [{name: "Ann"}, {name: "Ben", articles: {data: [{title: "One"}]}}, {name: "Ann"}]
      on_conflict: {constraint: author_name_key}
    ) { affected_rows returning { name } }
  }`)
  assert.deepEqual(answer, { data: { insert_author: { affected_rows: 2, returning: [{ name: 'Ben' }] } } })
})

test('errors of the database point at the related rows, and nothing remains', async (t) => {
  const trellis = await startBlog(t)
  await trellis.sql(`insert into author (name) values ('Ann'); insert into article (title) values ('One')`)
  const paths: Record<string, string> = {
    'insert_author(objects: [{name: "Ben"}, {name: "Ann", articles: {data: [{title: "Two"}]}}])': 'objects[1]',
    'insert_author(objects: [{name: "Ben", articles: {data: [{title: "Two"}, {title: "One"}]}}])':
      'objects[0].articles.data',
    'insert_author(objects: [{name: "Ben", articles: {data: [{title: "One", tags: {data: [{label: "x"}]}}]}}])':
      'objects[0].articles.data[0]',
    'insert_article(objects: [{title: "Two", author: {data: {name: "Ann"}}}])': 'objects[0].author.data',
  }
  for (const [field, path] of Object.entries(paths)) {
    const name = field.slice(0, field.indexOf('('))
    const refusal = refusalOf(await trellis.graphql(`mutation { alias: ${field} { affected_rows } }`))
    assert.equal(refusal.path, `$.selectionSet.${name}.args.${path}`)
    assert.equal(refusal.code, 'constraint-violation')
  }
  const one = await trellis.graphql(
    'mutation { insert_author_one(object: {name: "Ben", articles: {data: [{title: "One"}]}}) { id } }',
  )
  assert.equal(refusalOf(one).path, '$.selectionSet.insert_author_one.args.object[0].articles.data')
  assert.deepEqual(await counts(trellis), { author: 1, article: 1, tag: 0 })
})

test('keys of several columns and other schemas connect rows', async (t) => {
  const trellis = await startBlog(t)
  await trellis.sql(`
    create schema shop;
    create table shop.order (shop int, number int, note text, primary key (shop, number));
    create table line (shop bigint, number bigint, item text, foreign key (shop, number) references shop.order)`)
  const order = { schema: 'shop', name: 'order' }
  await trellis.op('track_table', order)
  await trellis.op('track_table', 'line')
  const column_mapping = { shop: 'shop', number: 'number' }
  const lines = { remote_table: 'line', column_mapping }
  await trellis.op('create_array_relationship', { table: order, name: 'lines', using: { manual_configuration: lines } })
  const back = { remote_table: order, column_mapping }
  await trellis.op('create_object_relationship', {
    table: 'line',
    name: 'order',
    using: { manual_configuration: back },
  })
  const answer = await trellis.graphql(`mutation {
    insert_shop_order(objects: [{shop: 1, number: 2, lines: {data: [{item: "a"}, {item: "b"}]}}]) { affected_rows }
    insert_line_one(object: {item: "c", order: {data: {shop: 3, number: 4}}}) { shop number item }
  }`)
  assert.deepEqual(answer, {
    data: { insert_shop_order: { affected_rows: 3 }, insert_line_one: { shop: 3, number: 4, item: 'c' } },
  })
  assert.deepEqual(await trellis.sql('select shop::int, number::int, item from line order by item'), [
    { shop: 1, number: 2, item: 'a' },
    { shop: 1, number: 2, item: 'b' },
    { shop: 3, number: 4, item: 'c' },
  ])
})
