import { batchRequests, ClientError, GraphQLClient, gql } from 'graphql-request'

const [, , url = ''] = process.argv
const client = new GraphQLClient(`${url}/v1/graphql`)
const reader = new GraphQLClient(`${url}/v1/graphql`, { headers: { 'x-service-role': 'reader' } })

const found = await client.request(
  gql`query ($pages: Int!) { book(where: { pages: { _gte: $pages } }, order_by: { id: asc }) { title publisher { name } } }`,
  { pages: 200 },
)
const added = await client.request(
  gql`mutation ($book: book_insert_input!) { insert_book_one(object: $book) { title price } }`,
  { book: { title: 'Gale', price: '9.90', publisher_id: 3 } },
)
const refused = await reader.request(gql`{ book { price } }`).catch((error: ClientError) => {
  const { status, errors } = error.response
  return { isClientError: error instanceof ClientError, status, errors }
})
const [batch] = await batchRequests(`${url}/v1/graphql`, [{ document: gql`{ publisher_by_pk(id: 1) { name } }` }])
console.log(JSON.stringify({ found, added, refused, batch }))
