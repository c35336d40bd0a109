import { useState } from 'react'
import { Button } from '../../../parts/button.tsx'
import { JsonTree } from '../../../parts/json-tree.tsx'
import { Failed } from '../../../parts/states.tsx'
import { useAttempt } from '../../../parts/use-attempt.ts'
import { graphql, run } from '../../../server/operations.ts'
import { queries } from '../../../server/queries.ts'
import { introspectionQuery, type RemoteSchema } from '../../../server/remote-schemas.ts'
import type { RemoteField } from '../../../server/remote-types.ts'
import type { BrowsedRows } from '../rows/model.ts'
import type { TableInfo } from '../table-info.ts'
import css from './relations.module.css'
import { columnsIn, namespaceOf, trialQuery } from './remote-steps.ts'

interface RemoteTryProps {
  readonly info: TableInfo
  /** Absent: the metadata has no such remote schema. */
  readonly schema: RemoteSchema | undefined
  readonly field: RemoteField
}

interface Tried {
  readonly row: ReadonlyMap<string, string | null>
  readonly answer: unknown
}

/** Asks the remote schema for the value of a row: the next row each time. */
export function RemoteTry({ info, schema, field }: RemoteTryProps) {
  const [tried, setTried] = useState<Tried | null>(null)
  const { isBusy, error, attempt } = useAttempt()
  const [after, setAfter] = useState<string | null>(null)
  if (!schema) return <span className={css['note']}>the remote schema is gone</span>
  const ask = async () => {
    const isDone = await attempt(async () => {
      const columns = [...new Set([...(info.primary_key ?? []), ...columnsIn(field)])]
      const where = { _and: columnsIn(field).map((column) => ({ [column]: { _is_null: false } })) }
      const page = { table: info.name, columns, where, limit: 1, ...(after !== null && { after }) }
      const { rows, columns: found, next } = await run<BrowsedRows>('browse_rows', page)
      const [cells] = rows
      if (!cells) throw new Error(after === null ? 'no row has values for the arguments' : 'there are no more rows')
      setAfter(next)
      const row = new Map(found.map(({ name }, at) => [name, cells[at] ?? null]))
      const introspected = await queries.ensureQueryData(introspectionQuery(schema.name))
      const query = trialQuery({ field, namespace: namespaceOf(schema.definition) }, row, introspected)
      const { body } = await graphql({ query, operationName: 'try' })
      setTried({ row, answer: body.errors ? { data: body.data, errors: body.errors } : body.data })
      return true
    })
    if (!isDone) setAfter(null)
  }
  return (
    <div className={css['tried']}>
      {tried && (
        <>
          <span>{[...tried.row].map(([name, value]) => `${name} ${value ?? 'NULL'}`).join(', ')}</span>
          <JsonTree label="Answer of the remote schema" value={tried.answer} />
        </>
      )}
      {error !== null && <Failed error={error} />}
      <div>
        <Button isBusy={isBusy} onClick={() => void ask()}>
          {tried ? 'Try the next row' : 'Try with a row'}
        </Button>
      </div>
    </div>
  )
}
