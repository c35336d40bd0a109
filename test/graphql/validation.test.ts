// Every error about a GraphQL document that the interface words, with its path.

import assert from 'node:assert/strict'
import test from 'node:test'
import { startLibrary } from '../support/library.ts'

interface Case {
  readonly query: string
  readonly variables?: Record<string, unknown>
  readonly operationName?: string
  readonly path: string
  readonly message: string
  /** `validation-failed` when absent. */
  readonly code?: string
  /** The hint; absent: there is no hint. */
  readonly hint?: string
  readonly locations?: readonly { readonly line: number; readonly column: number }[]
}

const book = '$.selectionSet.book'

const cases: Readonly<Record<string, Case>> = {
  'a text that is not GraphQL': {
    query: '{ book {',
    path: '$.query',
    message: 'not a valid graphql query',
    hint: 'Expected Name, found <EOF>.',
    locations: [{ line: 1, column: 9 }],
  },
  'an operation that is not there': {
    query: 'query A { book { id } }',
    operationName: 'B',
    path: '$',
    message: 'no such operation found in the document: "B"',
  },
  'a name where an anonymous operation stands': {
    query: '{ book { id } } query A { book { id } }',
    operationName: 'A',
    path: '$',
    message: 'operationName cannot be used when an anonymous operation exists in the document',
  },
  'several operations and no name': {
    query: 'query A { book { id } } query B { book { id } }',
    path: '$',
    message: 'exactly one operation has to be present in the document when operationName is not specified',
  },
  'two root fields of a subscription': {
    query: 'subscription { book { id } publisher { id } }',
    path: '$',
    message: 'subscriptions must select one top level field',
  },
  'a subscription over HTTP': {
    query: 'subscription { book { id } }',
    path: '$',
    code: 'unexpected-payload',
    message: 'subscriptions are not supported over HTTP, use websockets instead',
  },
  'an unknown fragment': {
    query: '{ book { ...f } }',
    path: `${book}.selectionSet`,
    message: 'reference to undefined fragment "f"',
  },
  'fragments in a circle': {
    query: '{ book { ...f } } fragment f on book { publisher { ...g } } fragment g on publisher { books { ...f } }',
    path: `${book}.selectionSet.f.selectionSet.publisher.selectionSet.g.selectionSet.books.selectionSet`,
    message: 'the fragment definition(s) f and g form a cycle',
  },
  'two fragments of one name': {
    query: '{ book { ...f } } fragment f on book { id } fragment f on book { title }',
    path: '$',
    code: 'parse-failed',
    message: 'multiple definitions for fragment "f"',
  },
  'a directive without its argument': {
    query: '{ book @include { id } }',
    path: '$.selectionSet',
    message: 'missing "if" argument for "include" directive',
  },
  'a directive twice': {
    query: '{ book @skip(if: false) @skip(if: false) { id } }',
    path: '$.selectionSet',
    message: 'the following directives are used more than once: skip',
  },
  'an unknown directive': {
    query: '{ book @upper { id } }',
    path: '$.selectionSet',
    message: 'directive "upper" is not defined in the schema',
  },
  'a missing value of a non-null variable': {
    query: 'query ($id: Int!) { book_by_pk(id: $id) { id } }',
    path: '$',
    message: 'expecting a value for non-nullable variable: "id"',
  },
  'variables that are not used': {
    query: '{ book { id } }',
    variables: { b: 1, a: 2 },
    path: '$',
    message: 'unexpected variables in variableValues: a, b',
  },
  'a variable with a default that is not used': {
    query: 'query ($a: Int = 1) { book { id } }',
    variables: { a: null },
    path: '$',
    message: 'unexpected variables in variableValues: a',
  },
  'a variable that is not used, before what is selected': {
    query: '{ nope }',
    variables: { a: 1 },
    path: '$',
    message: 'unexpected variables in variableValues: a',
  },
  'a variable that is not declared': {
    query: '{ book(limit: $n) { id } }',
    path: `${book}.args.limit`,
    message: 'unbound variable "n"',
  },
  'a variable declared twice': {
    query: 'query ($n: Int, $n: Int) { book(limit: $n) { id } }',
    path: '$',
    code: 'parse-failed',
    message: 'multiple definitions for variable "n"',
  },
  'a variable of another type': {
    query: 'query ($n: Int) { book(where: {price: {_eq: $n}}) { id } }',
    variables: { n: 1 },
    path: `${book}.args.where.price._eq`,
    message: 'variable "n" is declared as Int, but used where numeric is expected',
  },
  'a nullable variable for a required argument': {
    query: 'query ($n: Int) { book_by_pk(id: $n) { id } }',
    variables: { n: 1 },
    path: '$.selectionSet.book_by_pk.args.id',
    message: 'variable "n" is declared as Int, but used where Int! is expected',
  },
  'a variable with a key that is no name': {
    query: 'query ($w: book_bool_exp) { book(where: $w) { id } }',
    variables: { w: { '1a': {} } },
    path: `${book}.args.where`,
    message: 'variable value contains object with key "1a", which is not a legal GraphQL name',
  },
  'an unknown field': {
    query: '{ book { titel } }',
    path: `${book}.selectionSet.titel`,
    message: `field "titel" not found in type: 'book'`,
    hint: 'did you mean "title"?',
  },
  'an unknown root field': {
    query: '{ boook { id } }',
    path: '$.selectionSet.boook',
    message: `field "boook" not found in type: 'query_root'`,
    hint: 'did you mean "book"?',
  },
  'an unknown argument': {
    query: '{ book(first: 1) { id } }',
    path: book,
    message: '"book" has no argument named "first"',
  },
  'a missing argument': {
    query: '{ book_by_pk { id } }',
    path: '$.selectionSet.book_by_pk.args.id',
    message: 'missing required field "id"',
  },
  'an unknown member of an input object': {
    query: '{ book(where: {titel: {_eq: "x"}}) { id } }',
    path: `${book}.args.where.titel`,
    message: `field "titel" not found in type: 'book_bool_exp'`,
    hint: 'did you mean "title"?',
  },
  'an object without a selection': {
    query: '{ book }',
    path: `${book}.selectionSet`,
    message: 'missing selection set for "book"',
  },
  'a selection of a scalar': {
    query: '{ book { id { x } } }',
    path: `${book}.selectionSet.id`,
    message: 'unexpected subselection set for non-object field',
  },
  'two fields of one response name': {
    query: '{ book { x: id x: title } }',
    path: `${book}.selectionSet`,
    message: 'selection of both "id" and "title" specify the same response name, "x"',
  },
  'two sets of arguments for one response name': {
    query: '{ book(limit: 1) { id } book(limit: 2) { id } }',
    path: '$.selectionSet',
    message: 'inconsistent arguments between multiple selections of field "book"',
  },
  'a string for an integer': {
    query: '{ book(where: {pages: {_eq: "9"}}) { id } }',
    path: `${book}.args.where.pages._eq`,
    message: 'expected a 32-bit integer for type "Int", but found a string',
  },
  'a number variable for a string': {
    query: 'query ($t: String) { book(where: {title: {_eq: $t}}) { id } }',
    variables: { t: 9 },
    path: `${book}.args.where.title._eq`,
    message: 'expected a string for type "String", but found a number',
  },
  'a null list': {
    query: '{ book(where: {_and: null}) { id } }',
    path: `${book}.args.where._and`,
    message: 'expected a list, but found null',
  },
  'a null operand': {
    query: '{ book(where: {pages: {_eq: null}}) { id } }',
    path: `${book}.args.where.pages._eq`,
    message: 'expected a 32-bit integer for type "Int", but found null',
  },
  'a null operand of another scalar': {
    query: '{ book(where: {released_on: {_eq: null}}) { id } }',
    path: `${book}.args.where.released_on._eq`,
    message: 'unexpected null value for type "date"',
  },
  'a variable without value as operand': {
    query: 'query ($n: Int) { book(where: {pages: {_gt: $n}}) { id } }',
    path: `${book}.args.where.pages._gt`,
    message: 'expected a 32-bit integer for type "Int", but found null',
  },
  'a null comparison': {
    query: '{ book(where: {pages: null}) { id } }',
    path: `${book}.args.where.pages`,
    message: 'expected an object for type "Int_comparison_exp", but found null',
  },
  'a null _is_null': {
    query: '{ book(where: {pages: {_is_null: null}}) { id } }',
    path: `${book}.args.where.pages._is_null`,
    message: 'expected a boolean for type "Boolean", but found null',
  },
  'a list member that is null': {
    query: '{ book(where: {pages: {_in: [1, null]}}) { id } }',
    path: `${book}.args.where.pages._in[1]`,
    message: 'expected a 32-bit integer for type "Int", but found null',
  },
  'no member of an enum': {
    query: '{ publisher(order_by: {name: up}) { id } }',
    path: '$.selectionSet.publisher.args.order_by[0].name',
    message:
      'expected one of the values asc, asc_nulls_first, asc_nulls_last, desc, desc_nulls_first, or desc_nulls_last for type "order_by", but found "up"',
  },
  'a string literal for an enum': {
    query: '{ publisher(order_by: {name: "asc"}) { id } }',
    path: '$.selectionSet.publisher.args.order_by[0].name',
    message: 'expected an enum value for type "order_by", but found a string',
  },
  'a negative limit': {
    query: '{ book(limit: -1) { id } }',
    path: `${book}.args.limit`,
    code: 'not-supported',
    message: 'unexpected negative value',
  },
  'an integer out of range': {
    query: '{ book(where: {pages: {_eq: 2147483648}}) { id } }',
    path: `${book}.args.where.pages._eq`,
    code: 'parse-failed',
    message:
      'The value 2.147483648e9 lies outside the bounds or is not an integer.  Maybe it is a float, or is there integer overflow?',
  },
  'a fraction for an integer in a variable': {
    query: 'query ($n: Int) { book(where: {pages: {_eq: $n}}) { id } }',
    variables: { n: 1.5 },
    path: `${book}.args.where.pages._eq`,
    code: 'parse-failed',
    message:
      'The value 1.5 lies outside the bounds or is not an integer.  Maybe it is a float, or is there integer overflow?',
  },
  'distinct_on that order_by does not start with': {
    query: '{ book(distinct_on: title, order_by: {id: asc}) { id } }',
    path: `${book}.args`,
    message: '"distinct_on" columns must match initial "order_by" columns',
  },
  'a json path that is too long': {
    query: `{ publisher { info(path: "$['${'a'.repeat(10_000)}']") } }`,
    path: '$.selectionSet.publisher.selectionSet.info.args.path',
    message: `parse json path error: $['${'a'.repeat(8973)}…${'a'.repeat(856)}']. Accept letters, digits, underscore (_) or hyphen (-) only. Use single quotes enclosed in bracket (['...']) if there is any special character`,
  },
  'a json path that is none': {
    query: '{ publisher { info(path: "$..") } }',
    path: '$.selectionSet.publisher.selectionSet.info.args.path',
    message:
      "parse json path error: $... Accept letters, digits, underscore (_) or hyphen (-) only. Use single quotes enclosed in bracket (['...']) if there is any special character",
  },
  'a negative offset': {
    query: '{ book(offset: -1) { id } }',
    path: '$',
    code: 'data-exception',
    message: 'OFFSET must not be negative',
  },
  'a value that PostgreSQL cannot read': {
    query: '{ book(where: {released_on: {_eq: "soon"}}) { id } }',
    path: '$',
    code: 'data-exception',
    message: 'invalid input syntax for type date: "soon"',
  },
}

test('an invalid document is refused with the reason and the path', async (t) => {
  const trellis = await startLibrary(t)
  for (const [title, { query, variables, operationName, ...refusal }] of Object.entries(cases)) {
    await t.test(title, async () => {
      const body = { query, variables, operationName }
      const { path, message, code = 'validation-failed', hint, locations } = refusal
      const extensions = { path, code, ...(hint !== undefined && { hint }) }
      const expected = { errors: [{ extensions, message, ...(locations && { locations }) }] }
      const answer = await trellis.request('/v1/graphql', { body })
      assert.deepEqual([answer.status, answer.body], [200, expected])
      const alpha = await trellis.request('/v1alpha1/graphql', { body })
      assert.deepEqual([alpha.status, alpha.body], [400, expected])
    })
  }
})

test('a body that is not a GraphQL request is refused', async (t) => {
  const trellis = await startLibrary(t)
  const refused = async (body: unknown) => {
    const { status, body: answer } = await trellis.request<{ errors: [{ extensions: object; message: string }] }>(
      '/v1alpha1/graphql',
      { body },
    )
    return { status, ...answer.errors[0] }
  }
  assert.deepEqual(await refused({}), {
    status: 400,
    extensions: { path: '$', code: 'parse-failed' },
    message: "the key 'query' was not present",
  })
  assert.deepEqual(await refused({ query: 1 }), {
    status: 400,
    extensions: { path: '$.query', code: 'parse-failed' },
    message: 'parsing Text failed, expected String, but encountered Number',
  })
  assert.equal((await refused('{"query"')).extensions.toString(), '[object Object]')
  assert.deepEqual((await refused('{"query"')).extensions, { path: '$', code: 'invalid-json' })
})

test('a batch answers each request in order', async (t) => {
  const trellis = await startLibrary(t)
  const { body } = await trellis.request('/v1alpha1/graphql', {
    body: [{ query: '{ book_by_pk(id: 1) { title } }' }, { query: '{ nothing }' }, { query: '{ __typename }' }],
  })
  assert.deepEqual(body, [
    { data: { book_by_pk: { title: 'Dawn' } } },
    {
      errors: [
        {
          extensions: { path: '$.selectionSet.nothing', code: 'validation-failed' },
          message: `field "nothing" not found in type: 'query_root'`,
        },
      ],
    },
    { data: { __typename: 'query_root' } },
  ])
  assert.deepEqual((await trellis.request('/v1/graphql', { body: [] })).body, [])
})

test('a variable counts as used in every place that may hold one, even if that place is left out', async (t) => {
  const trellis = await startLibrary(t)
  const query = `query ($a: Boolean!, $b: Boolean!, $c: Boolean!, $d: Boolean!, $e: Int!, $f: Int, $never: Boolean!) {
    book(where: {_or: [{id: {_in: [1, $e]}}, {id: {_eq: $f}}]}, order_by: {id: asc}) {
      ...named @include(if: $a)
      ... on book @include(if: $b) { id @skip(if: $c) }
      left_out: id @include(if: false) @skip(if: $never)
    }
  }
  fragment named on book { ...again }
  fragment again on book { title @skip(if: $d) }`
  const variables = { a: true, b: true, c: false, d: false, e: 2, f: 3, never: false }
  const answer = await trellis.graphql<{ data?: { book: unknown[] } }>(query, variables)
  assert.deepEqual(answer.data?.book[0], { title: 'Dawn', id: 1 }, JSON.stringify(answer))
  const { errors } = await trellis.graphql<{ errors: { message: string }[] }>(query, { ...variables, other: 1 })
  assert.deepEqual(errors[0]?.message, 'unexpected variables in variableValues: other')
})

test('a selection with very many directives is refused as fast as one with few', async (t) => {
  const trellis = await startLibrary(t)
  const unknown = Array.from({ length: 49_000 }, (_, i) => `@directive_that_nobody_knows_${i}`).join(' ')
  const repeated = '@skip '.repeat(49_000)
  const started = performance.now()
  for (const [directives, message] of [
    [unknown, 'directive "directive_that_nobody_knows_0" is not defined in the schema'],
    [repeated, 'the following directives are used more than once: skip'],
  ]) {
    const { errors } = await trellis.graphql<{ errors: [{ message: string }] }>(`{ book ${directives} { id } }`)
    assert.equal(errors[0].message, message)
  }
  // A comparison of each with all others takes minutes.
  assert.ok(performance.now() - started < 30_000)
})
