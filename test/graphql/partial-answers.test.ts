import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  answered,
  badRequest,
  type Contribution,
  definePlugin,
  graphql,
  type MemberPlanner,
  type ResolvedRowPlanner,
} from '../../sdk/index.ts'
import { startLibrary } from '../support/library.ts'

const { GraphQLInt, GraphQLList, GraphQLNonNull, GraphQLObjectType, GraphQLString } = graphql

interface Shown {
  readonly data: unknown
  readonly errors?: readonly unknown[]
}

const listed = (name: string, path: readonly (string | number)[], code: string, message: string) => ({
  extensions: { path: name, code },
  message,
  path,
})

/** Fields of books that JavaScript answers. */
function bookFields(fields: Readonly<Record<string, { planner: ResolvedRowPlanner; isRequired?: boolean }>>) {
  const rowFields: Contribution['rowFields'] = (_scope, { name }) => {
    if (name.name !== 'book') return new Map()
    return new Map(
      Object.entries(fields).map(([field, { planner: row, isRequired }]) => {
        const type = isRequired ? new GraphQLNonNull(GraphQLString) : GraphQLString
        return [field, () => ({ type, extensions: { row } })]
      }),
    )
  }
  return definePlugin({
    name: 'book-fields',
    dependencies: ['tables'],
    register: (engine) => engine.graphql.contribute({ name: 'book-fields', rowFields }),
  })
}

const failingForEbb: ResolvedRowPlanner = {
  kind: 'resolved',
  partial: true,
  needs: ['title'],
  resolve: (rows) => rows.map(({ title }) => (title === 'Ebb' ? badRequest('unexpected', 'no mood') : `${title}!`)),
}

test('a value that fails in one row is null, and its error names the row', async (t) => {
  const trellis = await startLibrary(t, { plugins: [bookFields({ mood: { planner: failingForEbb } })] })
  const query = '{ all: publisher(order_by: {id: asc}) { books(order_by: {id: asc}) { tone: mood } } __typename }'
  const answer = await trellis.request('/v1/graphql', { body: { query } })
  assert.equal(answer.status, 200)
  assert.deepEqual(answer.body, {
    data: {
      all: [{ books: [{ tone: 'Dawn!' }, { tone: null }] }, { books: [{ tone: 'Fog!' }] }, { books: [] }],
      __typename: 'query_root',
    },
    errors: [
      listed(
        '$.selectionSet.publisher.selectionSet.books.selectionSet.mood',
        ['all', 0, 'books', 1, 'tone'],
        'unexpected',
        'no mood',
      ),
    ],
  })
  assert.match(answer.text, /^\{"data":.*,"errors":\[\{"extensions":/)
})

test('a failed non-null value makes the nearest nullable value around it null', async (t) => {
  const plugins = [bookFields({ mood: { planner: failingForEbb, isRequired: true } })]
  const trellis = await startLibrary(t, { plugins })
  await trellis.op('create_object_relationship', {
    table: 'publisher',
    name: 'first',
    using: { manual_configuration: { remote_table: 'book', column_mapping: { id: 'id' } } },
  })
  const path = '$.selectionSet.publisher.selectionSet.first.selectionSet.mood'
  assert.deepEqual(await trellis.graphql('{ publisher(order_by: {id: asc}) { name first { mood } } }'), {
    data: {
      publisher: [
        { name: 'Ark', first: { mood: 'Dawn!' } },
        { name: 'Bell', first: null },
        { name: 'Cove', first: { mood: 'Fog!' } },
      ],
    },
    errors: [listed(path, ['publisher', 1, 'first', 'mood'], 'unexpected', 'no mood')],
  })
  // A list of rows contains no null, and the root field cannot be null either.
  assert.deepEqual(await trellis.graphql('{ book { title mood } }'), {
    data: null,
    errors: [listed('$.selectionSet.book.selectionSet.mood', ['book', 1, 'mood'], 'unexpected', 'no mood')],
  })
  assert.deepEqual(await trellis.graphql('{ book_by_pk(id: 2) { mood } other: book_by_pk(id: 1) { mood } }'), {
    data: { book_by_pk: null, other: { mood: 'Dawn!' } },
    errors: [listed('$.selectionSet.book_by_pk.selectionSet.mood', ['book_by_pk', 'mood'], 'unexpected', 'no mood')],
  })
})

test('failures of fields that are not partial end the operation, and so do errors of the database', async (t) => {
  const planner: ResolvedRowPlanner = { ...failingForEbb, partial: false }
  const throwing: ResolvedRowPlanner = {
    kind: 'resolved',
    partial: true,
    needs: [],
    resolve: () => Promise.reject(badRequest('busy', 'nobody is there')),
  }
  const plugins = [bookFields({ mood: { planner }, tone: { planner: throwing } })]
  const trellis = await startLibrary(t, { plugins })
  assert.deepEqual(await trellis.graphql('{ book { mood } }'), {
    errors: [{ extensions: { path: '$', code: 'unexpected' }, message: 'no mood' }],
  })
  const path = '$.selectionSet.book.selectionSet.tone'
  assert.deepEqual(await trellis.graphql('{ book(where: {id: {_lte: 2}}) { tone } }'), {
    data: { book: [{ tone: null }, { tone: null }] },
    errors: [0, 1].map((i) => listed(path, ['book', i, 'tone'], 'busy', 'nobody is there')),
  })
  await trellis.sql('alter table publisher rename to gone')
  const { errors } = await trellis.graphql<Shown>('{ book { tone } publisher { name } }')
  assert.equal(errors?.length, 1)
})

test('an unexpected error is listed as an internal error without details', async (t) => {
  const planner: ResolvedRowPlanner = {
    kind: 'resolved',
    partial: true,
    needs: [],
    resolve: () => {
      throw new Error('secret')
    },
  }
  const trellis = await startLibrary(t, { plugins: [bookFields({ mood: { planner } })] })
  const path = '$.selectionSet.book_by_pk.selectionSet.mood'
  assert.deepEqual(await trellis.graphql('{ book_by_pk(id: 1) { title mood } }'), {
    data: { book_by_pk: { title: 'Dawn', mood: null } },
    errors: [listed(path, ['book_by_pk', 'mood'], 'unexpected', 'internal error')],
  })
})

const Item: graphql.GraphQLObjectType = new GraphQLObjectType({
  name: 'Item',
  fields: () => ({
    id: { type: new GraphQLNonNull(GraphQLInt) },
    inner: { type: Item },
    items: { type: new GraphQLList(Item) },
    all: { type: new GraphQLList(new GraphQLNonNull(Item)) },
  }),
})

/** A root field with this value. */
const giving = (
  value: unknown,
  options: { partial?: boolean; completed?: boolean; type?: graphql.GraphQLOutputType } = {},
) =>
  definePlugin({
    name: 'giving',
    dependencies: ['tables'],
    register(engine) {
      const { partial = true, completed = false, type = Item } = options
      const root = { kind: 'resolved', partial, completed, resolve: () => value } as const
      engine.graphql.contribute({
        name: 'giving',
        query: () => new Map([['item', () => ({ type, extensions: { root } })]]),
      })
    },
  })

test('values that do not fit their types are null where allowed, and listed', async (t) => {
  const value = {
    id: 1,
    inner: { id: null },
    items: [{ id: 2 }, { id: null }, null, 'x'],
    all: [{ id: 3 }, { id: null }],
  }
  const query = '{ item { id inner { id } items { id } again: all { number: id } } book_by_pk(id: 1) { id } }'
  const trellis = await startLibrary(t, { plugins: [giving(value)] })
  const at = '$.selectionSet.item.selectionSet'
  const missing = 'expecting not null value for field "id"'
  assert.deepEqual(await trellis.graphql(query), {
    data: { item: { id: 1, inner: null, items: [{ id: 2 }, null, null, null], again: null }, book_by_pk: { id: 1 } },
    errors: [
      listed(`${at}.inner.selectionSet.id`, ['item', 'inner', 'id'], 'unexpected', missing),
      listed(`${at}.items.selectionSet.id`, ['item', 'items', 1, 'id'], 'unexpected', missing),
      listed(`${at}.items`, ['item', 'items', 3], 'unexpected', 'expecting an object for field "items"'),
      listed(`${at}.all.selectionSet.id`, ['item', 'again', 1, 'number'], 'unexpected', missing),
    ],
  })
  const strict = await startLibrary(t, { plugins: [giving(value, { partial: false })] })
  assert.deepEqual(await strict.graphql(query), {
    errors: [{ extensions: { path: `${at}.inner.selectionSet.id`, code: 'unexpected' }, message: missing }],
  })
})

test('errors of a call are located below its field; errors about null values are listed once', async (t) => {
  const errors = [
    { message: 'sold out', path: ['items', 1, 'id'], extensions: { code: 'SOLD', path: 'mine' } },
    { message: 'own', path: ['inner'], code: 'missing' },
    { message: 'as it is', locations: [{ line: 1, column: 2 }] },
  ]
  const value = answered({ id: 1, inner: null, items: [{ id: 2 }, { id: null }] }, { errors })
  const trellis = await startLibrary(t, { plugins: [giving(value, { partial: false })] })
  assert.deepEqual(await trellis.graphql('{ x: item { id inner { id } items { id } } }'), {
    data: { x: { id: 1, inner: null, items: [{ id: 2 }, null] } },
    errors: [
      { message: 'sold out', extensions: { code: 'SOLD', path: 'mine' }, path: ['x', 'items', 1, 'id'] },
      listed('$.selectionSet.item', ['x', 'inner'], 'missing', 'own'),
      { message: 'as it is', locations: [{ line: 1, column: 2 }] },
    ],
  })
})

test('a failed non-null root field makes data null', async (t) => {
  const type = new GraphQLNonNull(Item)
  const trellis = await startLibrary(t, { plugins: [giving(new Error('secret'), { type })] })
  assert.deepEqual(await trellis.graphql('{ book { id } item { id } }'), {
    data: null,
    errors: [listed('$.selectionSet.item', ['item'], 'unexpected', 'internal error')],
  })
})

test('undefined is refused for a non-null field, completed or not', async (t) => {
  const message = 'expecting not null value for field "item"'
  const path = '$.selectionSet.item'
  for (const completed of [false, true]) {
    const strict = { type: new GraphQLNonNull(GraphQLString), completed, partial: false }
    const trellis = await startLibrary(t, { plugins: [giving(null, strict)] })
    assert.deepEqual(await trellis.graphql('{ item }'), {
      errors: [{ extensions: { path, code: 'unexpected' }, message }],
    })
    const lenient = await startLibrary(t, { plugins: [giving(undefined, { ...strict, partial: true })] })
    assert.deepEqual(await lenient.graphql('{ item }'), {
      data: null,
      errors: [listed(path, ['item'], 'unexpected', message)],
    })
  }
})

test('a member with another executor may fail, too', async (t) => {
  const member: MemberPlanner = {
    kind: 'resolved',
    partial: true,
    needs: ['id'],
    resolve: (rows) => rows.map(({ id }) => (id === 2 ? badRequest('unexpected', 'not two') : `number ${id}`)),
  }
  const Named = new GraphQLObjectType({
    name: 'Named',
    fields: { id: { type: GraphQLInt }, label: { type: new GraphQLNonNull(GraphQLString), extensions: { member } } },
  })
  const value = [{ id: 1 }, { id: 2 }, { id: 3 }]
  const trellis = await startLibrary(t, { plugins: [giving(value, { type: new GraphQLList(Named) })] })
  assert.deepEqual(await trellis.graphql('{ item { label id } }'), {
    data: { item: [{ label: 'number 1', id: 1 }, null, { label: 'number 3', id: 3 }] },
    errors: [listed('$.selectionSet.item.selectionSet.label', ['item', 1, 'label'], 'unexpected', 'not two')],
  })
})
