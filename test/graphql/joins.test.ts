import assert from 'node:assert/strict'
import { test } from 'node:test'
import { planRow, rowType } from '../../plugins/tables/graphql.ts'
import {
  badRequest,
  builtInType,
  type CallGroup,
  type Contribution,
  definePlugin,
  graphql,
  type MemberPlanner,
  type ResolvedRowPlanner,
} from '../../sdk/index.ts'
import { recordingObserver } from '../http/server.ts'
import { graphqlWsClient, subscribeWith } from '../subscriptions/clients.ts'
import { startLibrary } from '../support/library.ts'

const { GraphQLObjectType, GraphQLString } = graphql

/** Fields of tables' rows that JavaScript answers: table, name, planner. */
const rowFieldsPlugin = (...fields: readonly [table: string, name: string, planner: ResolvedRowPlanner][]) =>
  definePlugin({
    name: 'row-fields',
    dependencies: ['tables'],
    register(engine) {
      const rowFields: Contribution['rowFields'] = (_scope, { name: table }) =>
        new Map(
          fields.flatMap(([of, name, row]) => {
            const args = { suffix: { type: GraphQLString } }
            return of === table.name ? [[name, () => ({ type: GraphQLString, args, extensions: { row } })]] : []
          }),
        )
      engine.graphql.contribute({ name: 'row-fields', rowFields })
    },
  })

/** Answers once the expected number of calls is waiting. */
function meeting(count: number) {
  let arrive: () => void = () => {}
  const all = new Promise<void>((done) => {
    arrive = done
  })
  let waiting = 0
  return () => {
    if (++waiting === count) arrive()
    return all
  }
}

test('all joins of a level run at once, each for all rows of the answer', async (t) => {
  const meet = meeting(3)
  const calls: unknown[] = []
  const planner = (needs: string): ResolvedRowPlanner => ({
    kind: 'resolved',
    needs: [needs],
    async resolve(rows, { args }) {
      calls.push([needs, args, rows.length])
      await meet()
      return rows.map((row) => `${row[needs]}${args.suffix ?? ''}`)
    },
  })
  const plugin = rowFieldsPlugin(['book', 'loud', planner('title')], ['publisher', 'known', planner('name')])
  const trellis = await startLibrary(t, { plugins: [plugin] })
  const query = `query ($s: String) {
    book(order_by: {id: asc}) { loud(suffix: $s) publisher { known } }
    publisher_by_pk(id: 1) { books(order_by: {id: asc}) { loud } }
  }`
  assert.deepEqual(await trellis.graphql(query, { s: '!' }), {
    data: {
      book: [
        { loud: 'Dawn!', publisher: { known: 'Ark' } },
        { loud: 'Ebb!', publisher: { known: 'Ark' } },
        { loud: 'Fog!', publisher: { known: 'Bell' } },
      ],
      publisher_by_pk: { books: [{ loud: 'Dawn' }, { loud: 'Ebb' }] },
    },
  })
  assert.deepEqual(calls, [
    ['title', { suffix: '!' }, 3],
    ['name', {}, 3],
    ['title', {}, 2],
  ])
})

test('joins of one group are one call, with the rows of each', async (t) => {
  const runs: unknown[] = []
  const group: CallGroup = {
    async run(calls, isWhole) {
      runs.push([isWhole, calls.map(({ field, rows, plan }) => [field.responseName, plan, rows?.length])])
      return calls.map(({ rows }) => (rows ?? []).map((row) => Object.values(row).join()))
    },
  }
  const planner = (needs: string): ResolvedRowPlanner => ({
    kind: 'resolved',
    needs: [needs],
    group,
    plan: (field) => `planned ${field.name}`,
  })
  const plugin = rowFieldsPlugin(['book', 'loud', planner('title')], ['publisher', 'known', planner('name')])
  const trellis = await startLibrary(t, { plugins: [plugin] })
  assert.deepEqual(await trellis.graphql('{ book(limit: 1, order_by: {id: asc}) { a: loud publisher { known } } }'), {
    data: { book: [{ a: 'Dawn', publisher: { known: 'Ark' } }] },
  })
  const call = [
    ['a', 'planned loud', 1],
    ['known', 'planned known', 1],
  ]
  assert.deepEqual(runs, [[false, call]])
})

test('a join that fails rolls back its mutation', async (t) => {
  const seen: unknown[] = []
  const failing: ResolvedRowPlanner = {
    kind: 'resolved',
    needs: ['title'],
    resolve(rows) {
      seen.push(...rows)
      throw badRequest('unexpected', 'nobody answers')
    },
  }
  const trellis = await startLibrary(t, { plugins: [rowFieldsPlugin(['book', 'loud', failing])] })
  const mutation = `mutation {
    update_book(where: {id: {_eq: 1}}, _set: {title: "Dusk"}) { returning { loud } }
  }`
  assert.deepEqual(await trellis.graphql(mutation), {
    errors: [{ extensions: { path: '$', code: 'unexpected' }, message: 'nobody answers' }],
  })
  assert.deepEqual(seen, [{ title: 'Dusk' }])
  assert.deepEqual(await trellis.sql('select title from book where id = 1'), [{ title: 'Dawn' }])
})

test('the result of a join can have relationships to rows of the same transaction', async (t) => {
  const book = { schema: 'public', name: 'book' }
  const member: MemberPlanner = {
    kind: 'relational',
    needs: { title: builtInType('text') },
    plan(field, context) {
      const { table, select } = context.schema.access(book)!
      const rows = select!.row({ mapping: [['title', 'title']] as const })
      return { kind: 'one', unique: false, select: { rows, output: planRow(field, context, table) } }
    },
  }
  const twins = definePlugin({
    name: 'twins',
    dependencies: ['tables'],
    register(engine) {
      const row: ResolvedRowPlanner = {
        kind: 'resolved',
        needs: ['title'],
        resolve: (rows) => rows.map(({ title }) => ({ title })),
      }
      engine.graphql.contribute({
        name: 'twins',
        rowFields: (scope, { name }) => {
          if (name.name !== 'book') return new Map()
          const make = () => {
            const type = scope.type('Twin', () => {
              const found = { type: rowType(scope, scope.access(book)!.table), extensions: { member } }
              return new GraphQLObjectType({ name: 'Twin', fields: () => ({ title: { type: GraphQLString }, found }) })
            })
            return { type, extensions: { row } }
          }
          return new Map([['twin', make]])
        },
      })
    },
  })
  const trellis = await startLibrary(t, { plugins: [twins] })
  const mutation = `mutation {
    insert_book_one(object: {title: "Gale", publisher_id: 1}) { twin { title found { title twin { found { id } } } } }
  }`
  assert.deepEqual(await trellis.graphql(mutation), {
    data: { insert_book_one: { twin: { title: 'Gale', found: { title: 'Gale', twin: { found: { id: 4 } } } } } },
  })
})

test('a join without a list as result is a server error, and other fields survive', async (t) => {
  const planner: ResolvedRowPlanner = { kind: 'resolved', needs: ['id'], resolve: () => JSON.parse('{}') }
  const trellis = await startLibrary(t, { plugins: [rowFieldsPlugin(['book', 'loud', planner])] })
  assert.deepEqual(await trellis.graphql('{ book { loud } }'), {
    errors: [
      {
        extensions: { path: '$.selectionSet.book.selectionSet.loud', code: 'unexpected' },
        message: 'expecting a list with a value for each row for field "loud"',
      },
    ],
  })
  assert.deepEqual(await trellis.graphql('{ book_by_pk(id: 1) { title } }'), {
    data: { book_by_pk: { title: 'Dawn' } },
  })
})

test('a join with a wrong number of values sets no row', async (t) => {
  const planner: ResolvedRowPlanner = {
    kind: 'resolved',
    needs: ['title'],
    resolve: (rows, { args }) => {
      const known = rows.flatMap(({ title }) => (title === 'Dawn' ? [] : [title]))
      return args.suffix === 'more' ? [...known, ...known] : known
    },
  }
  const trellis = await startLibrary(t, { plugins: [rowFieldsPlugin(['book', 'loud', planner])] })
  for (const suffix of ['less', 'more']) {
    assert.deepEqual(await trellis.graphql(`{ book(order_by: {id: asc}) { title loud(suffix: "${suffix}") } }`), {
      errors: [
        {
          extensions: { path: '$.selectionSet.book.selectionSet.loud', code: 'unexpected' },
          message: 'expecting a list with a value for each row for field "loud"',
        },
      ],
    })
  }
})

test('a join that needs a missing column is reported with its field', async (t) => {
  const observe = recordingObserver()
  const planner: ResolvedRowPlanner = { kind: 'resolved', needs: ['subtitle'], resolve: (rows) => rows.map(() => 'x') }
  const trellis = await startLibrary(t, { plugins: [rowFieldsPlugin(['book', 'loud', planner])], observe })
  await trellis.graphql('{ book { loud } }')
  const message = 'Error: the field "loud" of "book" needs the column "subtitle", which the table does not have'
  assert.ok(observe.entries.some(({ detail }) => String(detail).startsWith(message)))
})

test('subscriptions have joins, but not over plain HTTP', async (t) => {
  const planner: ResolvedRowPlanner = { kind: 'resolved', needs: ['id'], resolve: (rows) => rows.map(() => 'x') }
  const trellis = await startLibrary(t, { plugins: [rowFieldsPlugin(['book', 'loud', planner])] })
  const query = 'subscription { book(limit: 1) { loud } }'
  const { errors } = await trellis.graphql<{ errors: { message: string; extensions: object }[] }>(query)
  assert.deepEqual(
    [errors[0]?.extensions, errors[0]?.message],
    [{ path: '$', code: 'unexpected-payload' }, 'subscriptions are not supported over HTTP, use websockets instead'],
  )
  const received = subscribeWith(graphqlWsClient(t, trellis.url), query)
  assert.deepEqual(await received.atLeast(1), [{ data: { book: [{ loud: 'x' }] } }])
})
