import { ApolloClient, CombinedGraphQLErrors, gql, HttpLink, InMemoryCache } from '@apollo/client'
import { BatchHttpLink } from '@apollo/client/link/batch-http'

const [, , url = ''] = process.argv
const uri = `${url}/v1/graphql`
const client = new ApolloClient({ cache: new InMemoryCache(), link: new HttpLink({ uri }) })
const reader = new ApolloClient({
  cache: new InMemoryCache(),
  link: new HttpLink({ uri, headers: { 'x-service-role': 'reader' } }),
})
const batching = new ApolloClient({ cache: new InMemoryCache(), link: new BatchHttpLink({ uri }) })

const query = gql`query Books($title: String!) { book(where: { title: { _like: $title } }) { id title publisher { id name } } }`
const { data: found } = await client.query({ query, variables: { title: 'D%' } })
await client.mutate({
  mutation: gql`mutation { update_book_by_pk(pk_columns: { id: 1 }, _set: { title: "Dusk" }) { id title } }`,
})
const cached = client.readFragment({ id: 'book:1', fragment: gql`fragment Title on book { title }` })
const refused = await reader.query({ query: gql`{ publisher { id } }` }).catch((error: unknown) => ({
  isGraphQLError: CombinedGraphQLErrors.is(error),
  errors: CombinedGraphQLErrors.is(error) ? error.errors : String(error),
}))
const batch = await Promise.all(
  [1, 2].map((id) =>
    batching.query({ query: gql`query ($id: Int!) { publisher_by_pk(id: $id) { name } }`, variables: { id } }),
  ),
)
console.log(JSON.stringify({ found, cached, refused, batch: batch.map(({ data }) => data) }))
