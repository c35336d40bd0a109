import assert from 'node:assert/strict'
import test from 'node:test'
import { startLibrary } from '../support/library.ts'
import { startTrellis } from '../support/trellis.ts'
import { refusalOf, startBlog } from './mutations.ts'

test('update changes the matching rows and returns them after the change', async (t) => {
  const trellis = await startLibrary(t)
  const answer = await trellis.graphql(`mutation {
    update_book(where: {publisher: {name: {_eq: "Ark"}}}, _set: {title: "New", released_on: null}, _inc: {pages: -20}) {
      affected_rows
      returning { id title pages released_on publisher { name books_aggregate { aggregate { sum { pages } } } } }
    }
  }`)
  const publisher = { name: 'Ark', books_aggregate: { aggregate: { sum: { pages: 380 } } } }
  assert.deepEqual(answer, {
    data: {
      update_book: {
        affected_rows: 2,
        returning: [
          { id: 1, title: 'New', pages: 280, released_on: null, publisher },
          { id: 2, title: 'New', pages: 100, released_on: null, publisher },
        ],
      },
    },
  })
})

test('an empty where means every row, and the result may contain no row', async (t) => {
  const trellis = await startLibrary(t)
  const answer = await trellis.graphql(`mutation {
    all: update_book(where: {}, _set: {pages: 5}) { affected_rows }
    none: update_book(where: {id: {_in: []}}, _set: {pages: 6}) { affected_rows returning { id } }
    related: update_book(where: {id: {_eq: 99}}, _set: {pages: 6}) { returning { publisher { id } } affected_rows }
  }`)
  assert.deepEqual(answer, {
    data: {
      all: { affected_rows: 3 },
      none: { affected_rows: 0, returning: [] },
      related: { returning: [], affected_rows: 0 },
    },
  })
})

test('the operators of jsonb columns change parts of them', async (t) => {
  const trellis = await startTrellis(t, {
    sql: `create table doc (id int primary key, data jsonb);
          insert into doc values (1, '{"a": 1, "b": {"c": [1, 2, 3]}}'), (2, '["x", "y", "z"]'), (3, null)`,
  })
  await trellis.op('track_table', 'doc')
  const update = async (id: number, operator: string, variables?: Record<string, unknown>) => {
    const declared = variables ? '($v: jsonb!)' : ''
    const query = `mutation ${declared} { update_doc_by_pk(pk_columns: {id: ${id}}, ${operator}) { data } }`
    const body = await trellis.graphql<{ data: { update_doc_by_pk: { data: unknown } } }>(query, variables)
    return body.data.update_doc_by_pk.data
  }
  assert.deepEqual(await update(1, '_append: {data: {d: [null]}}'), { a: 1, b: { c: [1, 2, 3] }, d: [null] })
  assert.deepEqual(await update(1, '_delete_key: {data: "a"}'), { b: { c: [1, 2, 3] }, d: [null] })
  assert.deepEqual(await update(1, '_delete_at_path: {data: ["b", "c", "-1"]}'), { b: { c: [1, 2] }, d: [null] })
  assert.deepEqual(await update(1, '_prepend: {data: $v}', { v: { b: 0, e: 'é' } }), {
    b: { c: [1, 2] },
    d: [null],
    e: 'é',
  })
  assert.deepEqual(await update(2, '_prepend: {data: "w"}'), ['w', 'x', 'y', 'z'])
  assert.deepEqual(await update(2, '_delete_elem: {data: -1}'), ['w', 'x', 'y'])
  assert.deepEqual(await update(2, '_append: {data: ["z", 1]}'), ['w', 'x', 'y', 'z', 1])
  assert.deepEqual(await update(3, '_append: {data: 1}'), null)
  assert.deepEqual(await update(3, '_set: {data: {a: 1}}'), { a: 1 })
  const refusal = await trellis.graphql(
    'mutation { update_doc(where: {id: {_eq: 1}}, _delete_elem: {data: 0}) { affected_rows } }',
  )
  assert.deepEqual(refusalOf(refusal), {
    message: 'cannot delete from object using integer index',
    path: '$',
    code: 'data-exception',
  })
})

test('update_by_pk returns the row or null', async (t) => {
  const trellis = await startLibrary(t)
  const query = `mutation ($id: Int!, $by: Int) {
    update_book_by_pk(pk_columns: {id: $id}, _inc: {pages: $by}) { id pages publisher { name } }
    plain: update_book_by_pk(pk_columns: {id: $id}, _set: {title: "T"}) { title }
  }`
  assert.deepEqual(await trellis.graphql(query, { id: 1, by: 7 }), {
    data: { update_book_by_pk: { id: 1, pages: 307, publisher: { name: 'Ark' } }, plain: { title: 'T' } },
  })
  assert.deepEqual(await trellis.graphql(query, { id: 99, by: 7 }), { data: { update_book_by_pk: null, plain: null } })
  const refusal = refusalOf(
    await trellis.graphql('mutation { update_book_by_pk(pk_columns: {id: null}, _inc: {pages: 1}) { id } }'),
  )
  assert.deepEqual(refusal, {
    message: 'expected a 32-bit integer for type "Int", but found null',
    path: '$.selectionSet.update_book_by_pk.args.pk_columns.id',
    code: 'validation-failed',
  })
})

test('an update without values runs no statement', async (t) => {
  const trellis = await startLibrary(t)
  const answer = await trellis.graphql(`mutation {
    update_book(where: {}, _set: {}) { affected_rows returning { id publisher { id } } }
    update_book_by_pk(pk_columns: {id: 1}, _set: {}, _inc: {}) { id }
  }`)
  assert.deepEqual(answer, { data: { update_book: { affected_rows: 0, returning: [] }, update_book_by_pk: null } })
})

test('at least one operator is needed, and no column twice', async (t) => {
  const trellis = await startLibrary(t)
  const refused = async (field: string) => refusalOf(await trellis.graphql(`mutation { ${field} { __typename } }`))
  assert.deepEqual(await refused('update_book(where: {})'), {
    message: 'at least any one of _set, _inc is expected',
    path: '$.selectionSet.update_book.args',
    code: 'validation-failed',
  })
  assert.deepEqual(await refused('update_publisher_by_pk(pk_columns: {id: 1}, _set: null)'), {
    message:
      'at least any one of _set, _inc, _prepend, _append, _delete_key, _delete_elem, _delete_at_path is expected',
    path: '$.selectionSet.update_publisher_by_pk.args',
    code: 'validation-failed',
  })
  assert.deepEqual(
    await refused('update_book(where: {}, _inc: {pages: 1, id: 1, price: 1}, _set: {title: "x", pages: 1, id: 2})'),
    {
      message: 'column found in multiple operators; "id" in _set, _inc. "pages" in _set, _inc',
      path: '$.selectionSet.update_book.args',
      code: 'validation-failed',
    },
  )
})

test('values that do not fit are refused with their paths', async (t) => {
  const trellis = await startLibrary(t)
  const args = '$.selectionSet.update_book.args'
  const refused = async (given: string) =>
    refusalOf(await trellis.graphql(`mutation { update_book(where: {}, ${given}) { affected_rows } }`))
  assert.deepEqual(await refused('_set: {title: null}'), {
    message: 'expected a string for type "String", but found null',
    path: `${args}._set.title`,
    code: 'validation-failed',
  })
  assert.deepEqual(await refused('_set: {publisher: 1}'), {
    message: `field "publisher" not found in type: 'book_set_input'`,
    path: `${args}._set.publisher`,
    code: 'validation-failed',
  })
  assert.deepEqual(await refused('_inc: {title: 1}'), {
    message: `field "title" not found in type: 'book_inc_input'`,
    path: `${args}._inc.title`,
    code: 'validation-failed',
  })
  assert.deepEqual(
    refusalOf(await trellis.graphql('mutation { update_book(where: null, _set: {pages: 1}) { affected_rows } }')),
    {
      message: 'expected an object for type "book_bool_exp", but found null',
      path: `${args}.where`,
      code: 'validation-failed',
    },
  )
  assert.deepEqual(refusalOf(await trellis.graphql('mutation { update_book(_set: {pages: 1}) { affected_rows } }')), {
    message: 'missing required field "where"',
    path: `${args}.where`,
    code: 'validation-failed',
  })
  assert.deepEqual(await refused('_inc: {pages: 2147483647}'), {
    message: 'integer out of range',
    path: '$',
    code: 'data-exception',
  })
})

test('a role updates within its filter, the check holds afterwards, presets always apply', async (t) => {
  const trellis = await startBlog(t)
  await trellis.sql(`insert into author (id, name, owner) values (1, 'Ann', 7), (2, 'Ben', 8), (7, 'Cid', null);
    insert into article (title, author_id) values ('One', 1), ('Two', 2)`)
  const options = { role: 'writer', headers: { 'x-service-user-id': '7' } }
  await trellis.op('create_update_permission', {
    table: 'article',
    role: 'writer',
    permission: {
      columns: ['title', 'author_id'],
      filter: { author: { owner: 'X-Service-User-Id' } },
      check: { title: { _neq: 'bad' } },
      set: { published: true, reviewer_id: 'x-service-user-id' },
    },
  })
  const update = (set: string, given = options) =>
    trellis.graphql(`mutation { update_article(where: {}, _set: ${set}) { affected_rows } }`, undefined, given)
  assert.deepEqual(await update('{title: "Mine"}'), { data: { update_article: { affected_rows: 1 } } })
  assert.deepEqual(await trellis.sql('select title, published, reviewer_id from article order by id'), [
    { title: 'Mine', published: true, reviewer_id: 7 },
    { title: 'Two', published: false, reviewer_id: null },
  ])
  assert.deepEqual(refusalOf(await update('{title: "bad"}')), {
    message: 'Check constraint violation. update check constraint failed',
    path: '$',
    code: 'permission-error',
  })
  assert.equal(refusalOf(await update('{published: false}')).path, '$.selectionSet.update_article.args._set.published')
  assert.deepEqual(await update('{}'), { data: { update_article: { affected_rows: 1 } } })
  assert.deepEqual(refusalOf(await update('{}', { ...options, headers: {} } as typeof options)), {
    message: 'missing session variables: "x-service-user-id"',
    path: '$',
    code: 'not-found',
  })
})
