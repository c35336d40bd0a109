// The tasks of the clients of subscriptions, the same for all of them.

export type Variables = Record<string, unknown>

/** The documents of the tasks; Relay has the same as compiled artifacts. */
export const documents = {
  watch: 'subscription ($id: Int!) { book_by_pk(id: $id) { id title } }',
  wrong: 'subscription { book(limit: -1) { id } }',
  read: 'query ($id: Int!) { book_by_pk(id: $id) { id title } }',
  rename: `mutation ($id: Int!, $title: String!) {
    update_book_by_pk(pk_columns: { id: $id }, _set: { title: $title }) { id title }
  }`,
}

export interface Watcher {
  next(data: unknown): void
  error(error: unknown): void
}

export interface LiveClient {
  /** Whether programs have to subscribe again when the connection is lost. */
  readonly staysAway?: true
  /** Subscribes; the function ends it. */
  subscribe(name: 'watch' | 'wrong', variables: Variables, watcher: Watcher): () => void
  /** Runs a query or mutation, over the same connection where the protocol allows it. */
  run(name: 'read' | 'rename', variables: Variables): Promise<unknown>
  close(): void
}

interface AnyError {
  readonly message: string
  readonly errors?: readonly AnyError[]
  readonly graphQLErrors?: readonly AnyError[]
  /** The server's message, where a client does not treat it as an error. */
  readonly cause?: AnyError
}

/** The server's message of an error, or of the first one of several. */
export function messageOf(error: unknown): string {
  const { errors, graphQLErrors, cause, message } = (Array.isArray(error) ? error[0] : error) as AnyError
  return (errors?.[0] ?? graphQLErrors?.[0] ?? cause)?.message ?? message
}

/** The title of the one book in an answer. */
export function titleOf(data: unknown): string {
  return /"title":"([^"]*)"/.exec(JSON.stringify(data))?.[1] ?? JSON.stringify(data)
}
