// Runs the output of relay-compiler for `relay/books.js` with Relay's own runtime: store, pages, refetching by node id.

import relay from 'relay-runtime'

const [, , url = ''] = process.argv
const {
  commitMutation,
  createOperationDescriptor,
  Environment,
  fetchQuery,
  getSelector,
  Network,
  RecordSource,
  Store,
} = relay

interface Artifact {
  readonly default: relay.ConcreteRequest
}

const artifact = async (name: string) =>
  ((await import(`../relay/generated/artifacts/${name}.graphql.js`)) as Artifact).default

const environment = new Environment({
  store: new Store(new RecordSource()),
  network: Network.create(async ({ text }, variables) => {
    const response = await fetch(`${url}/v1beta1/relay`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ query: text, variables }),
    })
    return response.json()
  }),
})

interface Item {
  readonly id: string
  readonly title: string
  readonly publisher: { readonly name: string }
}

interface Page {
  readonly edges: readonly { readonly cursor: string; readonly node: { readonly id: string } }[]
  readonly pageInfo: { readonly endCursor: string; readonly hasNextPage: boolean }
}

const [query, page, itemQuery, rename] = await Promise.all(
  ['booksQuery', 'booksPageQuery', 'booksItemQuery', 'booksRenameMutation'].map(artifact),
)

/** The data of the fragment that a query spreads at its root. */
async function read<T>(request: relay.ConcreteRequest, variables: relay.Variables, pick: (data: object) => unknown) {
  const data = (await fetchQuery(environment, request, variables).toPromise()) as object
  const { fragment } = createOperationDescriptor(request, variables)
  const name = Object.keys((pick(data) as { __fragments: object }).__fragments)[0]!
  const spread = (await import(`../relay/generated/artifacts/${name}.graphql.js`)).default as relay.ReaderFragment
  const selector = getSelector(spread, pick(data)) as relay.SingularReaderSelector
  return { data: environment.lookup(selector).data as T, fragment }
}

const whole = (data: object): unknown => data
const { data: first } = await read<{ book_connection: Page }>(query!, { count: 2 }, whole)
const { endCursor, hasNextPage } = first.book_connection.pageInfo
const { data: second } = await read<{ book_connection: Page }>(page!, { count: 2, cursor: endCursor }, whole)
const last = second.book_connection.edges.at(-1)!.node.id
const { data: item } = await read<Item>(itemQuery!, { id: last }, (data) => (data as { node: object }).node)
const renamed = await new Promise((done, failed) =>
  commitMutation(environment, {
    mutation: rename!,
    variables: { id: 1, title: 'Morning' },
    onCompleted: done,
    onError: failed,
  }),
)
const node = environment
  .getStore()
  .getSource()
  .get((renamed as { update_book_by_pk: Item }).update_book_by_pk.id)
console.log(
  JSON.stringify({
    firstPage: first.book_connection.edges.length,
    hasNextPage,
    allPages: second.book_connection.edges.length,
    item: { title: item.title, publisher: item.publisher.name },
    renamed: node?.title,
  }),
)
