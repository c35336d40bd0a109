import { Client, cacheExchange, fetchExchange, gql } from '@urql/core'

const [, , url = ''] = process.argv
// As it comes: queries are sent by GET.
const options = { url: `${url}/v1/graphql`, exchanges: [cacheExchange, fetchExchange] } as const
const client = new Client({ ...options, exchanges: [...options.exchanges] })
const reader = new Client({
  ...options,
  exchanges: [...options.exchanges],
  fetchOptions: { headers: { 'x-service-role': 'reader' } },
})

const query = gql`query ($ids: [Int!]!) { book(where: { id: { _in: $ids } }, order_by: { id: asc }) { id title } }`
const found = await client.query(query, { ids: [1, 3] })
const removed = await client.mutation(gql`mutation ($id: Int!) { delete_book_by_pk(id: $id) { title } }`, { id: 2 })
const refused = await reader.query(gql`{ book(limit: -1) { id } }`, {})
const errors = refused.error?.graphQLErrors.map(({ message, extensions }) => ({ message, extensions }))
const isNetworkError = refused.error?.networkError !== undefined
console.log(JSON.stringify({ found: found.data, removed: removed.data, refused: { errors, isNetworkError } }))
