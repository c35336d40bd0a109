// The naming convention `graphql-default`: generated names in camel case and types in Pascal case, in every API that shows
// them. Names that somebody gave stay as they are.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { buildClientSchema, getIntrospectionQuery, type IntrospectionQuery, printType } from 'graphql'
import { graphqlWsClient, subscribeWith } from '../subscriptions/clients.ts'
import { startTrellis } from '../support/trellis.ts'

const sql = `
  create table pen_colour (value text primary key, comment text);
  insert into pen_colour values ('red', null), ('dark_blue', null);
  create table app_user (id int primary key, full_name text, created_at date, old_id int);
  create table blog_post (
    post_id serial primary key, author_id int references app_user, pen_colour text references pen_colour,
    seen_by int[], word_count int, extra_data jsonb);
  insert into app_user values (1, 'Ann', '2026-01-01', 7), (2, 'Bo', null, 8);
  insert into blog_post (author_id, pen_colour, word_count, extra_data)
    values (1, 'red', 10, '{"a": 1}'), (1, 'dark_blue', 30, null), (2, 'red', 20, null);
  create schema app_db;
  create table app_db.log_entry (id int primary key);
  create function long_posts(least_words int) returns setof blog_post language sql stable
    as 'select * from blog_post where word_count >= least_words';
  create function add_words(post int, more_words int) returns setof blog_post language sql volatile
    as 'update blog_post set word_count = word_count + more_words where post_id = post returning *';
  create function word_text(blog_post) returns text language sql stable as 'select $1.word_count::text'`

const table = (name: string, more: object = {}) => ({ table: { schema: 'public', name }, ...more })
const byAuthor = { foreign_key_constraint_on: { table: { schema: 'public', name: 'blog_post' }, column: 'author_id' } }

const document = {
  version: 3,
  sources: [
    {
      name: 'default',
      kind: 'postgres',
      tables: [
        {
          table: { schema: 'app_db', name: 'log_entry' },
          configuration: { custom_name: 'table_one', custom_root_fields: {}, custom_column_names: {} },
        },
        table('app_user', {
          configuration: {
            custom_root_fields: {},
            custom_column_names: {},
            column_config: { old_id: { custom_name: 'OLD_id' } },
          },
          array_relationships: [{ name: 'his_posts', using: byAuthor }],
          select_permissions: [
            { role: 'reader', permission: { columns: ['id', 'full_name'], filter: { full_name: { _neq: 'Bo' } } } },
          ],
        }),
        table('blog_post', {
          object_relationships: [{ name: 'the_author', using: { foreign_key_constraint_on: 'author_id' } }],
          computed_fields: [{ name: 'word_text', definition: { function: { schema: 'public', name: 'word_text' } } }],
          select_permissions: [{ role: 'reader', permission: { columns: '*', filter: {}, allow_aggregations: true } }],
        }),
        table('pen_colour', { is_enum: true }),
      ],
      functions: ['add_words', 'long_posts'].map((name) => ({ function: { schema: 'public', name } })),
      configuration: { connection_info: { database_url: { from_env: 'PG' } } },
      customization: { naming_convention: 'graphql-default' },
    },
  ],
}

test('the naming convention graphql-default', async (t) => {
  const trellis = await startTrellis(t, { sql })
  const { graphql, request } = trellis
  const operate = (type: string, args: object) => request('/v1/metadata', { body: { type, args } })
  assert.deepEqual((await operate('replace_metadata', document)).body, { message: 'success' })

  await t.test('a document keeps it', async () => {
    assert.equal((await operate('export_metadata', {})).text, JSON.stringify(document))
    assert.deepEqual((await operate('get_inconsistent_metadata', {})).body, {
      is_consistent: true,
      inconsistent_objects: [],
    })
  })

  await t.test('queries', async () => {
    const query = `query ($where: BlogPostBoolExp!, $order: [BlogPostOrderBy!]) {
      blogPost(where: $where, orderBy: $order, limit: 2) {
        __typename postId penColour word_text the_author { fullName OLD_id }
      }
      blogPostByPk(postId: 2) { wordCount }
      appUser(orderBy: {his_postsAggregate: {count: DESC}}, distinctOn: []) {
        id his_postsAggregate(orderBy: {postId: ASC}) { __typename aggregate { count stddevPop { wordCount } max { wordCount } } nodes { postId } }
      }
      blogPostAggregate(where: {the_author: {his_postsAggregate: {count: {predicate: {_gt: 1}}}}}) { aggregate { count } }
      longPosts(args: {least_words: 15}, orderBy: {wordCount: DESC_NULLS_LAST}) { wordCount }
      longPostsAggregate(args: {least_words: 15}) { aggregate { sum { wordCount } } }
      table_oneByPk(id: 1) { id }
    }`
    const where = { penColour: { _isNull: false, _in: ['RED', 'DARK_BLUE'] }, wordCount: { _lte: 30 } }
    assert.deepEqual(await graphql(query, { where, order: [{ wordCount: 'DESC' }] }), {
      data: {
        blogPost: [
          {
            ...{ __typename: 'BlogPost', postId: 2, penColour: 'DARK_BLUE', word_text: '30' },
            the_author: { fullName: 'Ann', OLD_id: 7 },
          },
          {
            ...{ __typename: 'BlogPost', postId: 3, penColour: 'RED', word_text: '20' },
            the_author: { fullName: 'Bo', OLD_id: 8 },
          },
        ],
        blogPostByPk: { wordCount: 30 },
        appUser: [
          {
            id: 1,
            his_postsAggregate: {
              __typename: 'BlogPostAggregate',
              aggregate: { count: 2, stddevPop: { wordCount: 10 }, max: { wordCount: 30 } },
              nodes: [{ postId: 1 }, { postId: 2 }],
            },
          },
          {
            id: 2,
            his_postsAggregate: {
              __typename: 'BlogPostAggregate',
              aggregate: { count: 1, stddevPop: { wordCount: 0 }, max: { wordCount: 20 } },
              nodes: [{ postId: 3 }],
            },
          },
        ],
        blogPostAggregate: { aggregate: { count: 2 } },
        longPosts: [{ wordCount: 30 }, { wordCount: 20 }],
        longPostsAggregate: { aggregate: { sum: { wordCount: 50 } } },
        table_oneByPk: null,
      },
    })
  })

  await t.test('mutations', async () => {
    const query = `mutation ($rows: [BlogPostInsertInput!]!) {
      insertBlogPost(objects: $rows, onConflict: {constraint: blog_post_pkey, updateColumns: [wordCount]}) {
        __typename affectedRows returning { postId penColour }
      }
      insertAppUserOne(object: {id: 3, fullName: "Cy", his_posts: {data: [{wordCount: 1}]}}) { his_posts { wordCount } }
      updateBlogPostByPk(pkColumns: {postId: 1}, _inc: {wordCount: 5}, _deleteKey: {extraData: "a"}) { wordCount extraData }
      updateBlogPostMany(updates: [{where: {postId: {_eq: 2}}, _set: {penColour: RED}}]) { affectedRows }
      addWords(args: {post: 3, more_words: 1}) { wordCount }
      deleteBlogPost(where: {author_id: {_eq: 3}}) { affectedRows }
      insertTable_oneOne(object: {id: 1}) { id }
    }`.replace('author_id', 'authorId')
    const rows = [
      { postId: 3, authorId: 2, wordCount: 21, penColour: 'DARK_BLUE' },
      { postId: 9, authorId: 2, wordCount: 1, penColour: 'RED' },
    ]
    assert.deepEqual(await graphql(query, { rows }), {
      data: {
        insertBlogPost: {
          ...{ __typename: 'BlogPostMutationResponse', affectedRows: 2 },
          returning: [
            { postId: 3, penColour: 'RED' },
            { postId: 9, penColour: 'RED' },
          ],
        },
        insertAppUserOne: { his_posts: [{ wordCount: 1 }] },
        updateBlogPostByPk: { wordCount: 15, extraData: {} },
        updateBlogPostMany: [{ affectedRows: 1 }],
        addWords: [{ wordCount: 22 }],
        deleteBlogPost: { affectedRows: 1 },
        insertTable_oneOne: { id: 1 },
      },
    })
  })

  await t.test('roles, and errors', async () => {
    const role = { role: 'reader' }
    assert.deepEqual(await graphql('{ appUser(orderBy: {id: ASC}) { fullName } }', {}, role), {
      data: { appUser: [{ fullName: 'Ann' }, { fullName: 'Cy' }] },
    })
    const refused = async (query: string, path: string, message: string) => {
      type Answer = { errors: { extensions: { path: string }; message: string }[] }
      const { errors } = await graphql<Answer>(query, {}, role)
      assert.deepEqual([errors[0]!.extensions.path, errors[0]!.message], [path, message])
    }
    await refused(
      '{ appUser { createdAt } }',
      '$.selectionSet.appUser.selectionSet.createdAt',
      `field "createdAt" not found in type: 'AppUser'`,
    )
    await refused('{ app_user { id } }', '$.selectionSet.app_user', `field "app_user" not found in type: 'query_root'`)
    await refused(
      '{ appUser(order_by: {}) { id } }',
      '$.selectionSet.appUser',
      '"appUser" has no argument named "order_by"',
    )
    await refused(
      '{ appUser(where: {fullName: {_is_null: true}}) { id } }',
      '$.selectionSet.appUser.args.where.fullName._is_null',
      `field "_is_null" not found in type: 'StringComparisonExp'`,
    )
  })

  await t.test('Relay', async () => {
    const path = '/v1beta1/relay'
    const query = `{ blogPostConnection(first: 1, orderBy: {postId: ASC}, where: {wordCount: {_gt: 0}}) {
      __typename pageInfo { hasNextPage } edges { node { id the_author { his_postsConnection(first: 1) { edges { node { postId } } } } } }
    } }`
    type Answer = { data: { blogPostConnection: { edges: { node: { id: string } }[] } } }
    const { data } = await graphql<Answer>(query, {}, { path })
    const [{ node }] = data.blogPostConnection.edges as [{ node: { id: string } }]
    assert.deepEqual(data.blogPostConnection, {
      __typename: 'BlogPostConnection',
      pageInfo: { hasNextPage: true },
      edges: [{ node: { id: node.id, the_author: { his_postsConnection: { edges: [{ node: { postId: 1 } }] } } } }],
    })
    const found = await graphql(`{ node(id: "${node.id}") { __typename ... on BlogPost { wordCount } } }`, {}, { path })
    assert.deepEqual(found, { data: { node: { __typename: 'BlogPost', wordCount: 15 } } })
  })

  await t.test('subscriptions and streams', async () => {
    const client = graphqlWsClient(t, trellis.url)
    const live = subscribeWith(client, 'subscription { appUserByPk(id: 1) { fullName } }')
    const [shown] = await live.atLeast(1)
    assert.deepEqual(shown, { data: { appUserByPk: { fullName: 'Ann' } } })
    const stream = subscribeWith(
      client,
      'subscription ($size: Int!) { blogPostStream(batchSize: $size, cursor: [{initialValue: {postId: 0}, ordering: ASC}]) { postId } }',
      { size: 1 },
    )
    const [first] = await stream.atLeast(2)
    assert.deepEqual(first, { data: { blogPostStream: [{ postId: 1 }] } })
  })

  await t.test('introspection', async () => {
    const { data } = await graphql<{ data: IntrospectionQuery }>(getIntrospectionQuery())
    const schema = buildClientSchema(data)
    const print = (name: string) => printType(schema.getType(name)!).replaceAll(/"""[^"]*"""\n\s*/g, '')
    assert.equal(print('PenColourEnum').split('\n').length, 4)
    assert.match(print('PenColourEnum'), /RED/)
    assert.match(print('OrderBy'), /DESC_NULLS_LAST/)
    assert.match(print('StringComparisonExp'), /_isNull: Boolean/)
    const mistaken = Object.keys(schema.getTypeMap()).filter(
      (name) => name.includes('_') && !/^(__|query_root|mutation_root|subscription_root|_)/.test(name),
    )
    assert.deepEqual(mistaken, [])
    const fields = 'fields { name args { name } } inputFields { name } enumValues { name }'
    const whole = await graphql<{ data: { __schema: { types: { name: string }[] } } }>(
      `{ __schema { types { name ${fields} } } }`,
    )
    for (const type of whole.data.__schema.types) {
      const one = await graphql(`{ __type(name: "${type.name}") { name ${fields} } }`)
      assert.deepEqual(one, { data: { __type: type } })
    }
    const members = (name: string): string[] => print(name).match(/\w+(?=[:(])/g) ?? []
    assert.ok(members('BlogPostAggregateFields').includes('stddevPop'))
    assert.ok(members('AppUser').includes('orderBy'))
    assert.ok(members('BlogPostOnConflict').includes('updateColumns'))
  })

  await t.test('another convention takes its place', async () => {
    const [source] = document.sources
    const plain = { ...document, sources: [{ ...source, customization: {} }] }
    assert.deepEqual((await operate('replace_metadata', plain)).body, { message: 'success' })
    assert.deepEqual(await graphql('{ app_user_by_pk(id: 1) { full_name } }'), {
      data: { app_user_by_pk: { full_name: 'Ann' } },
    })
    const named = { root_fields: { namespace: 'blog', prefix: 'a_' }, type_names: { suffix: 'X' } }
    const both = { ...named, naming_convention: 'graphql-default' }
    const customized = { ...document, sources: [{ ...source, customization: both }] }
    assert.deepEqual((await operate('replace_metadata', customized)).body, { message: 'success' })
    assert.deepEqual(await graphql('{ blog { a_appUserByPk(id: 1) { __typename fullName } } }'), {
      data: { blog: { a_appUserByPk: { __typename: 'AppUserX', fullName: 'Ann' } } },
    })
  })

  await t.test('an option sets the convention of sources that name none', async () => {
    const settings = { defaultNamingConvention: 'graphql-default' } as const
    const camel = await startTrellis(t, { database: trellis.database, settings })
    const replace = (customization: object | undefined) => {
      const [{ customization: _, ...source }] = document.sources as unknown as [{ customization?: object }]
      const args = { ...document, sources: [{ ...source, ...(customization && { customization }) }] }
      return camel.op('replace_metadata', args)
    }
    for (const given of [undefined, {}, { naming_convention: null, root_fields: null }]) {
      await replace(given)
      assert.deepEqual(await camel.graphql('{ appUserByPk(id: 1) { fullName } }'), {
        data: { appUserByPk: { fullName: 'Ann' } },
      })
    }
    await replace({ naming_convention: 'service-default' })
    assert.deepEqual(await camel.graphql('{ app_user_by_pk(id: 1) { full_name } }'), {
      data: { app_user_by_pk: { full_name: 'Ann' } },
    })
  })
})
