import assert from 'node:assert/strict'
import { test } from 'node:test'
import { getIntrospectionQuery } from 'graphql'
import type { TestTrellis } from '../support/trellis.ts'
import { refusal, startOffice } from './office.ts'

const asked = async (trellis: TestTrellis, query: string, role = 'clerk', path?: string) =>
  refusal(await trellis.graphql(query, undefined, { role, ...(path === undefined ? {} : { path }) }))

const levels = (n: number) => `{ person { ${'manager { '.repeat(n - 1)} name ${'} '.repeat(n - 1)} } }`

/** A short query that selects `2 ** n` nodes. */
function fragmentBomb(n: number): string {
  const fragments = Array.from({ length: n }, (_, i) => {
    return `fragment f${i} on person { a: manager { ...f${i + 1} } b: manager { ...f${i + 1} } }`
  })
  return `{ person { ...f0 } } ${fragments.join(' ')} fragment f${n} on person { id }`
}

test('operations deeper than the limit of their role are refused', async (t) => {
  const trellis = await startOffice(t, { depth_limit: { global: 3, per_role: { guest: 1, constructor: 9 } } })
  assert.equal(await asked(trellis, levels(3)), null)
  assert.deepEqual(await trellis.graphql(levels(4), undefined, { role: 'clerk' }), {
    errors: [
      {
        extensions: { path: '$', code: 'depth-limit-exceeded' },
        message: 'the operation is 4 levels deep, the depth limit is 3',
      },
    ],
  })
  assert.equal(await asked(trellis, levels(1), 'guest'), null)
  assert.deepEqual(await asked(trellis, levels(2), 'guest'), [
    'depth-limit-exceeded',
    'the operation is 2 levels deep, the depth limit is 1',
  ])
  assert.equal(await asked(trellis, levels(9), 'admin'), null)
  assert.match(String(await asked(trellis, levels(4), 'toString')), /depth limit is 3/)
})

test('a refusal has status 200 on endpoints that always answer 200, otherwise 400', async (t) => {
  const trellis = await startOffice(t, { node_limit: { global: 1 } })
  const body = { query: levels(2) }
  for (const [path, status] of [
    ['/v1/graphql', 200],
    ['/v1alpha1/graphql', 400],
    ['/v1beta1/relay', 200],
  ] as const) {
    const answer = await trellis.request(path, { role: 'clerk', body })
    assert.deepEqual([answer.status, refusal(answer.body)?.[0]], [status, 'node-limit-exceeded'])
  }
})

test('nodes and aliases count once per response name, and fragments count where they are spread', async (t) => {
  const limits = {
    node_limit: { global: 3, per_role: { guest: 100 } },
    alias_limit: { global: 100, per_role: { guest: 2 } },
  }
  const trellis = await startOffice(t, limits)
  const fragment = 'fragment f on person { manager { id } }'
  assert.equal(await asked(trellis, `{ person { ...f ...f manager { name } reports { id } } } ${fragment}`), null)
  assert.deepEqual(await asked(trellis, `{ person { reports { ...f } ...f } } ${fragment}`), [
    'node-limit-exceeded',
    'the operation has 4 nodes, the node limit is 3',
  ])
  assert.deepEqual(await asked(trellis, '{ person { id } person { manager { id } reports { manager { id } } } }'), [
    'node-limit-exceeded',
    'the operation has 4 nodes, the node limit is 3',
  ])
  assert.equal(await asked(trellis, '{ a: person { b: id } }', 'guest'), null)
  assert.equal(await asked(trellis, '{ a: person { b: id } a: person { b: id } }', 'guest'), null)
  assert.deepEqual(await asked(trellis, '{ a: person { b: id c: id } }', 'guest'), [
    'alias-limit-exceeded',
    'the operation has 3 aliases, the alias limit is 2',
  ])
  assert.equal(await asked(trellis, '{ a: person { b: id c: id } }', 'admin'), null)
})

test('only the requested operation is measured', async (t) => {
  const trellis = await startOffice(t, { depth_limit: { global: 1 } })
  const query = `query small ${levels(1)} query large ${levels(5)}`
  const ask = async (operationName: string) =>
    refusal(await trellis.graphql(query, undefined, { role: 'clerk', operationName }))
  assert.equal(await ask('small'), null)
  assert.match(String(await ask('large')), /5 levels deep/)
})

test('the limits on operations do not apply to introspection', async (t) => {
  const limits = { depth_limit: { global: 0 }, node_limit: { global: 1 }, alias_limit: { global: 0 } }
  const trellis = await startOffice(t, limits)
  const options = { role: 'clerk' }
  const { data } = await trellis.graphql<{ data: { __schema: { types: unknown[] } } }>(
    getIntrospectionQuery({ descriptions: true, inputValueDeprecation: true, oneOf: true }),
    undefined,
    options,
  )
  assert.ok(data.__schema.types.length > 10)
  assert.equal(await asked(trellis, '{ __type(name: "person") { fields { type { ofType { name } } } } }'), null)
})

test('introspection that follows types repeatedly, or has too many nodes, is refused', async (t) => {
  const trellis = await startOffice(t, null)
  const nested = (n: number) => `{ __schema { types { ${'fields { type { '.repeat(n)} name ${'} } '.repeat(n)} } } }`
  assert.equal(await asked(trellis, nested(2)), null)
  assert.deepEqual(await asked(trellis, nested(3)), [
    'depth-limit-exceeded',
    'the introspection goes from types to other types 3 times, the limit is 2',
  ])
  assert.equal(await asked(trellis, nested(3), 'admin'), null)
  const wide = `{ __schema { ${Array.from({ length: 1001 }, (_, i) => `a${i}: types { name }`).join(' ')} } }`
  assert.deepEqual(await asked(trellis, wide), [
    'node-limit-exceeded',
    'the introspection has 1001 nodes, the limit is 1000',
  ])
})

test('a query whose fragments multiply is refused for every role, without being expanded', async (t) => {
  const trellis = await startOffice(t, null)
  assert.equal(await asked(trellis, fragmentBomb(3)), null)
  assert.deepEqual(await asked(trellis, fragmentBomb(10)), [
    'node-limit-exceeded',
    'the operation has 2047 nodes, the node limit is 1000',
  ])
  const tooMuch = [
    'validation-failed',
    'the operation selects more than 100000 fields once its fragments are expanded',
  ] as const
  for (const role of ['clerk', 'admin']) assert.deepEqual(await asked(trellis, fragmentBomb(90), role), tooMuch)
})

test('cyclic fragments and endless nesting are refused', async (t) => {
  const trellis = await startOffice(t, null)
  const chain = Array.from({ length: 9000 }, (_, i) => `fragment f${i} on person { ...f${i + 1} }`).join(' ')
  const all = Array.from({ length: 9000 }, (_, i) => `...f${9000 - i}`).join(' ')
  const inline = Array.from({ length: 60 }, (_, i) => {
    return `fragment f${i} on person { ${'... { '.repeat(50)} ...f${i + 1} ${'} '.repeat(50)} }`
  }).join(' ')
  for (const [start, fragments, last] of [
    ['...f0', chain, 9000],
    [all, chain, 9000],
    ['...f0', inline, 60],
  ] as const) {
    const query = `{ person { ${start} } } ${fragments} fragment f${last} on person { id }`
    for (const role of ['clerk', 'admin']) {
      assert.deepEqual(await asked(trellis, query, role), ['validation-failed', 'the selection is nested too deeply'])
    }
  }
})

test('batches beyond the limit are refused as a whole', async (t) => {
  const trellis = await startOffice(t, { batch_limit: { global: 2, per_role: { guest: 3 } } })
  const ask = async (size: number, role: string, path = '/v1alpha1/graphql') => {
    const body = Array.from({ length: size }, () => ({ query: '{ person { id } }' }))
    const answer = await trellis.request(path, { role, body })
    return Array.isArray(answer.body) ? answer.body.length : [answer.status, ...(refusal(answer.body) ?? [])]
  }
  assert.equal(await ask(2, 'clerk'), 2)
  const message = 'the batch has 3 operations, the batch limit is 2'
  assert.deepEqual(await ask(3, 'clerk'), [400, 'batch-limit-exceeded', message])
  assert.deepEqual(await ask(3, 'clerk', '/v1/graphql'), [200, 'batch-limit-exceeded', message])
  assert.equal(await ask(3, 'guest'), 3)
  assert.equal(await ask(9, 'admin'), 9)
})

test('each operation of a batch is measured separately', async (t) => {
  const trellis = await startOffice(t, { depth_limit: { global: 1 } })
  const body = [{ query: levels(2) }, { query: '{ person(limit: 1) { name } }' }]
  const { body: answers } = await trellis.request<unknown[]>('/v1/graphql', { role: 'clerk', body })
  assert.equal(refusal(answers[0])?.[0], 'depth-limit-exceeded')
  assert.deepEqual(answers[1], { data: { person: [{ name: 'Ann' }] } })
})

test('without the option, or when it is disabled, only absurd sizes are refused', async (t) => {
  const standard = await startOffice(t, null)
  assert.equal(await asked(standard, levels(40)), null)
  const large = Array.from({ length: 1001 }, () => ({ query: '{ __typename }' }))
  const { body } = await standard.request('/v1/graphql', { role: 'clerk', body: large })
  assert.equal(refusal(body)?.[0], 'batch-limit-exceeded')
  const others = await startOffice(t, { depth_limit: { global: 9 } })
  const { body: stillRefused } = await others.request('/v1/graphql', { role: 'clerk', body: large })
  assert.equal(refusal(stillRefused)?.[0], 'batch-limit-exceeded')
  const off = await startOffice(t, { disabled: true, depth_limit: { global: 1 } })
  assert.equal(await asked(off, levels(9)), null)
  const { body: answers } = await off.request<unknown[]>('/v1/graphql', { role: 'clerk', body: large })
  assert.equal(answers.length, 1001)
})

test('the allow-list is checked first', async (t) => {
  const trellis = await startOffice(t, { depth_limit: { global: 0 } }, { settings: { enableAllowlist: true } })
  assert.deepEqual(await asked(trellis, levels(2)), ['validation-failed', 'query is not allowed'])
})

test('an invalid option ends the start with the reason', async (t) => {
  const variables = 'expecting "IP", or session variables other than x-service-role, such as ["x-service-user-id"]'
  const rate = (unique_params: unknown) => ({
    rate_limit: { global: { max_reqs_per_min: 9 }, per_role: { guest: { max_reqs_per_min: 1, unique_params } } },
  })
  for (const [option, reason] of [
    ['{', /Only expecting a JSON object such as/],
    ['[]', /\$: Expected object/],
    ['{"depth_limit": {"per_role": {}}}', /\$\.depth_limit\.global: Expected required property/],
    ['{"node_limit": {"global": 0}}', /\$\.node_limit\.global: Expected integer to be greater or equal to 1/],
    ['{"time_limit": {"global": 1, "per_role": {"a b": "2"}}}', /\$\.time_limit\.per_role\['a b'\]: Expected number/],
    ['{"size_limit": {"global": 1}}', /\$\.size_limit: Unexpected property/],
    ...[['x-service-role'], ['name'], ['ip'], 'x-service-user-id', []].map((each) => {
      return [JSON.stringify(rate(each)), `$.rate_limit.per_role.guest.unique_params: ${variables}`] as const
    }),
  ] as const) {
    const settings = { apiLimits: option }
    await assert.rejects(startOffice(t, null, { settings }), (error: Error) => {
      assert.ok(error.message.startsWith('--api-limits (SERVICE_GRAPHQL_API_LIMITS): '), error.message)
      if (typeof reason === 'string') assert.ok(error.message.endsWith(reason), error.message)
      else assert.match(error.message, reason)
      return true
    })
  }
})
