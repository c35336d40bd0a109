import { useQuery } from '@tanstack/react-query'
import { metadataQuery } from '../../server/queries.ts'
import { collectionsOf } from '../govern/collections/collections-model.ts'
import { QueryDialog } from '../govern/collections/query-dialog.tsx'

/** Adds an operation to a collection of queries. */
export default function Collecting({ query, onClose }: { readonly query: string; onClose(): void }) {
  const { data } = useQuery(metadataQuery)
  if (!data) return null
  return <QueryDialog metadata={data} collection={collectionsOf(data)[0]?.name ?? ''} {...{ query, onClose }} />
}
