// REST endpoints, as the metadata has them.

import { listOfObjects } from '../../../base/objects.ts'
import type { Metadata } from '../../../server/queries.ts'
import { collectionsOf } from '../../govern/collections/collections-model.ts'
import type { RestEndpoint } from './rest-request.ts'

/** The endpoints of a document. */
export const endpointsOf = ({ metadata }: Metadata): readonly RestEndpoint[] =>
  listOfObjects(metadata['rest_endpoints']) as unknown as readonly RestEndpoint[]

/** The text of the query that an endpoint runs; undefined: its collection has no such query. */
export const queryOf = (metadata: Metadata, { definition: { query } }: RestEndpoint): string | undefined =>
  collectionsOf(metadata)
    .find(({ name }) => name === query.collection_name)
    ?.definition.queries.find(({ name }) => name === query.query_name)?.query
