// A shop over the library: actions that a webhook of the test answers.

import type { TestContext } from 'node:test'
import { type OtherAnswer, type OtherServer, type Received, startOther } from '../auth/other-server.ts'
import { startLibrary } from '../support/library.ts'
import type { TestTrellis, TrellisOptions } from '../support/trellis.ts'

export const types = {
  input_objects: [
    {
      name: 'LineInput',
      fields: [
        { name: 'book_id', type: 'Int!' },
        { name: 'count', type: 'Int' },
        { name: 'wrapping', type: 'Wrapping' },
      ],
    },
  ],
  objects: [
    {
      name: 'Order',
      description: 'what was ordered',
      fields: [
        { name: 'id', type: 'Int!' },
        { name: 'book_id', type: 'Int' },
        { name: 'publisher_id', type: 'Int' },
        { name: 'tags', type: '[String!]' },
        { name: 'note', type: 'Anything' },
        { name: 'lines', type: '[Line!]' },
      ],
      relationships: [
        { name: 'book', type: 'object', remote_table: 'book', field_mapping: { book_id: 'id' } },
        { name: 'books', type: 'array', remote_table: 'book', field_mapping: { publisher_id: 'publisher_id' } },
      ],
    },
    {
      name: 'Line',
      fields: [
        { name: 'book_id', type: 'Int!' },
        { name: 'wrapping', type: 'Wrapping' },
      ],
      relationships: [{ name: 'book', type: 'object', remote_table: 'book', field_mapping: { book_id: 'id' } }],
    },
  ],
  scalars: [{ name: 'Anything' }],
  enums: [
    {
      name: 'Wrapping',
      values: [{ value: 'PAPER' }, { value: 'FOIL', description: 'shiny', is_deprecated: true }],
    },
  ],
}

export interface Shop extends TestTrellis {
  readonly hook: OtherServer
  /** The bodies that the webhook got. */
  bodies(): unknown[]
  /** Creates an action that the webhook answers; other keys replace those of the definition. */
  action(name: string, definition?: object, comment?: string): Promise<unknown>
}

export type Answering = (request: Received) => OtherAnswer | null | Promise<OtherAnswer>

/** An engine whose actions are answered by a function of the test. */
export async function startShop(t: TestContext, answer: Answering, options: TrellisOptions = {}): Promise<Shop> {
  const hook = await startOther(t, answer)
  const trellis = await startLibrary(t, options)
  await trellis.op('set_custom_types', types)
  return {
    ...trellis,
    hook,
    bodies: () => hook.received.map(({ body }) => JSON.parse(body)),
    action: (name, definition = {}, comment) =>
      trellis.op('create_action', {
        name,
        definition: { handler: `${hook.url}/${name}`, output_type: 'Order', ...definition },
        ...(comment !== undefined && { comment }),
      }),
  }
}

/** The errors of a GraphQL answer. */
export interface Refused {
  readonly errors: readonly { readonly message: string; readonly extensions: Readonly<Record<string, unknown>> }[]
}

/** Waits until something is so. */
export async function until<T>(look: () => Promise<T>, isSo: (value: T) => boolean, seconds = 60): Promise<T> {
  const end = Date.now() + seconds * 1000
  for (;;) {
    const value = await look()
    if (isSo(value)) return value
    if (Date.now() > end) throw new Error(`it did not come about: ${JSON.stringify(value)}`)
    await new Promise((done) => setTimeout(done, 50))
  }
}
