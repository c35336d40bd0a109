// Query collections and the allow-list.

import { documentHas, doesNotServe, serves } from './effects.ts'
import type { Area, Call, Effect, Refusal } from './entry.ts'

const titles = 'query Titles { book(order_by: {id: asc}) { title } }'
const ids = '{ book { id } }'

const collection = (queries: Readonly<Record<string, string>>, comment?: string) => ({
  name: 'shop',
  definition: { queries: Object.entries(queries).map(([name, query]) => ({ name, query })) },
  ...(comment !== undefined && { comment }),
})

const created: Call = { type: 'create_query_collection', args: collection({ titles }) }
const allowed: Call = { type: 'add_collection_to_allowlist', args: { collection: 'shop' } }

const asReader = { role: 'reader' }
const onlyAllowed = { enableAllowlist: true }
const mayAsk = serves(titles, { book: [{ title: 'Dawn' }, { title: 'Ebb' }] }, asReader)
const mayNotAsk = (query: string): Effect => doesNotServe(query, 'query is not allowed', asReader)

const unknown = (args: object, path: string): Refusal => ({
  title: 'a collection that is not there',
  args,
  code: 'not-exists',
  path,
  error: 'query collection with name "shop" does not exists',
})

/** Invalid query texts. */
const refusedTexts = (args: (query: unknown) => object, path: string): Refusal[] => [
  {
    title: 'a query that is no GraphQL',
    args: args('{ book { id }'),
    code: 'parse-failed',
    path,
    error: 'parsing the graphql query failed',
    fits: true,
  },
  {
    title: 'a query that is no text',
    args: args({ book: 'id' }),
    code: 'parse-failed',
    path,
    error: 'expecting String for GraphQL query',
  },
]

export const collections: Area = {
  title: 'query collections and the allow-list',
  operations: [
    {
      type: 'create_query_collection',
      requires: ['name', 'definition'],
      succeeds: [
        {
          title: 'keeps queries under names, in their order and as they are written',
          args: collection({ titles, ids: `${ids} # all` }, 'What the shop asks'),
          then: [documentHas('query_collections', [collection({ titles, ids: `${ids} # all` }, 'What the shop asks')])],
        },
        {
          title: 'takes a collection without queries',
          args: collection({}),
          then: [documentHas('query_collections', [collection({})])],
        },
      ],
      refuses: [
        {
          title: 'the name of a collection that is there',
          given: [created],
          args: collection({}),
          code: 'already-exists',
          path: '$.args.name',
          error: 'query collection with name "shop" already exists',
        },
        {
          title: 'queries of one name',
          args: {
            name: 'shop',
            definition: { queries: ['a', 'b', 'a', 'c', 'b'].map((name) => ({ name, query: ids })) },
          },
          code: 'not-supported',
          path: '$.args.definition.queries',
          error: 'found duplicate query names "a", "b"',
        },
        ...[
          ['a definition without queries', {}, '$.definition', 'queries'] as const,
          ['a query without a name', { queries: [{ query: ids }] }, '$.definition.queries[0]', 'name'] as const,
          ['a query without its text', { queries: [{ name: 'q' }] }, '$.definition.queries[0]', 'query'] as const,
        ].map(
          ([title, definition, path, key]): Refusal => ({
            title,
            args: { name: 'shop', definition },
            code: 'parse-failed',
            path,
            error: `the key '${key}' was not present`,
          }),
        ),
        ...refusedTexts(
          (query) => ({ name: 'shop', definition: { queries: [{ name: 'q', query }] } }),
          '$.definition.queries[0].query',
        ),
        {
          title: 'an empty name',
          args: { ...collection({}), name: '' },
          code: 'parse-failed',
          path: '$.name',
          error: 'empty string not allowed',
        },
      ],
    },
    {
      type: 'rename_query_collection',
      requires: ['name', 'new_name'],
      succeeds: [
        {
          title: 'renames a collection, also in the allow-list',
          given: [created, allowed],
          settings: onlyAllowed,
          args: { name: 'shop', new_name: 'store' },
          then: [
            documentHas('query_collections', [{ ...collection({ titles }), name: 'store' }]),
            documentHas('allowlist', [{ collection: 'store' }]),
            mayAsk,
          ],
        },
      ],
      refuses: [
        unknown({ name: 'shop', new_name: 'store' }, '$.args.name'),
        {
          title: 'the name of another collection',
          given: [created],
          args: { name: 'shop', new_name: 'shop' },
          code: 'already-exists',
          path: '$.args.new_name',
          error: 'query collection with name "shop" already exists',
        },
      ],
    },
    {
      type: 'drop_query_collection',
      requires: ['collection', 'cascade'],
      succeeds: [
        {
          title: 'forgets a collection',
          given: [created],
          args: { collection: 'shop', cascade: false },
          then: [documentHas('query_collections', undefined)],
        },
        {
          title: 'takes it off the allow-list, with cascade',
          given: [created, allowed],
          settings: onlyAllowed,
          args: { collection: 'shop', cascade: true },
          then: [documentHas('query_collections', undefined), documentHas('allowlist', undefined), mayNotAsk(titles)],
        },
      ],
      refuses: [
        unknown({ collection: 'shop', cascade: false }, '$.args.collection'),
        {
          title: 'a collection in the allow-list',
          given: [created, allowed],
          args: { collection: 'shop', cascade: false },
          code: 'dependency-error',
          path: '$.args.collection',
          error: 'query collection with name "shop" is present in allowlist; cannot proceed to drop',
        },
      ],
    },
    {
      type: 'add_query_to_collection',
      requires: ['collection_name', 'query_name', 'query'],
      succeeds: [
        {
          title: 'appends a query, which is allowed at once when the collection is',
          given: [{ ...created, args: collection({ zero: ids }) }, allowed],
          settings: onlyAllowed,
          args: { collection_name: 'shop', query_name: 'titles', query: titles },
          then: [documentHas('query_collections', [collection({ zero: ids, titles })]), mayAsk],
        },
      ],
      refuses: [
        unknown({ collection_name: 'shop', query_name: 'ids', query: ids }, '$.args'),
        {
          title: 'the name of a query that is there',
          given: [created],
          args: { collection_name: 'shop', query_name: 'titles', query: ids },
          code: 'already-exists',
          error: 'query with name "titles" already exists in collection "shop"',
        },
        ...refusedTexts((query) => ({ collection_name: 'shop', query_name: 'q', query }), '$.query'),
      ],
    },
    {
      type: 'drop_query_from_collection',
      requires: ['collection_name', 'query_name'],
      succeeds: [
        {
          title: 'takes a query out, which is not allowed any more',
          given: [{ ...created, args: collection({ titles, ids }) }, allowed],
          settings: onlyAllowed,
          args: { collection_name: 'shop', query_name: 'ids' },
          then: [documentHas('query_collections', [collection({ titles })]), mayAsk, mayNotAsk(ids)],
        },
      ],
      refuses: [
        unknown({ collection_name: 'shop', query_name: 'ids' }, '$.args'),
        {
          title: 'a query that is not there',
          given: [created],
          args: { collection_name: 'shop', query_name: 'ids' },
          code: 'not-found',
          error: 'query with name "ids" not found in collection "shop"',
        },
      ],
    },
    {
      type: 'add_collection_to_allowlist',
      ownWords: ['$.scope'],
      requires: ['collection'],
      succeeds: [
        {
          title: 'lets roles run the queries of the collection, and no others',
          given: [created],
          settings: onlyAllowed,
          args: { collection: 'shop' },
          then: [documentHas('allowlist', [{ collection: 'shop' }]), mayAsk, mayNotAsk(ids)],
        },
        {
          title: 'changes nothing for a collection that is listed',
          given: [created, allowed],
          args: { collection: 'shop' },
          then: [documentHas('allowlist', [{ collection: 'shop' }])],
        },
      ],
      refuses: [unknown({ collection: 'shop' }, '$.args.collection')],
    },
    {
      type: 'update_scope_of_collection_in_allowlist',
      ownWords: ['$.scope'],
      requires: ['collection', 'scope'],
      succeeds: [
        {
          title: 'takes the queries of the collection from roles that it does not name',
          given: [created, allowed],
          settings: onlyAllowed,
          args: { collection: 'shop', scope: { global: false, roles: ['other'] } },
          then: [
            documentHas('allowlist', [{ collection: 'shop', scope: { global: false, roles: ['other'] } }]),
            mayNotAsk(titles),
          ],
        },
      ],
      refuses: [
        unknown({ collection: 'shop', scope: { global: true } }, '$.args.collection'),
        {
          title: 'a collection that is not on the list',
          given: [created],
          args: { collection: 'shop', scope: { global: true } },
          code: 'not-found',
          path: '$.args.collection',
          error: 'collection "shop" does not exist in the allowlist',
        },
      ],
    },
    {
      type: 'drop_collection_from_allowlist',
      requires: ['collection'],
      succeeds: [
        {
          title: 'stops roles from running the queries of the collection',
          given: [created, allowed],
          settings: onlyAllowed,
          args: { collection: 'shop' },
          then: [documentHas('allowlist', undefined), mayNotAsk(titles)],
        },
        {
          title: 'changes nothing for a collection that is not listed',
          given: [created],
          args: { collection: 'shop' },
          then: [documentHas('query_collections', [collection({ titles })])],
        },
      ],
      refuses: [unknown({ collection: 'shop' }, '$.args.collection')],
    },
  ],
}
