import { useState } from 'react'
import { Button } from '../../parts/button.tsx'
import { Select } from '../../parts/field.tsx'
import { Body } from '../../parts/page.tsx'
import { tableKey, tableLabel, tableName } from '../../server/names.ts'
import { type Metadata, type TableEntry, tablesOf } from '../../server/queries.ts'
import { pathOf, To, useGo } from '../../shell/navigation.tsx'
import css from './remote.module.css'

interface JoinsProps {
  readonly name: string
  readonly base: Metadata
  readonly canEdit: boolean
}

interface JoinEntry {
  readonly name: string
  readonly definition?: Readonly<Record<string, unknown>>
}

/** The relationships of a table that lead to a remote schema. */
const joinsOf = (entry: TableEntry, schema: string): readonly JoinEntry[] =>
  ((entry['remote_relationships'] ?? []) as readonly JoinEntry[]).filter(({ definition = {} }) => {
    const to = (definition['to_remote_schema'] ?? definition) as Readonly<Record<string, unknown>>
    return to['remote_schema'] === schema
  })

const relationsOf = ({ table }: TableEntry): string => {
  const { schema, name } = tableName(table)
  return pathOf('data', schema, name, 'relations')
}

/** The tables that are joined to a remote schema, and the way to join another one. */
export function Joins({ name, base, canEdit }: JoinsProps) {
  const go = useGo()
  const [table, setTable] = useState('')
  const tables = tablesOf(base)
  const joins = tables.flatMap((entry) => joinsOf(entry, name).map((join) => ({ entry, join })))
  const chosen = tables.find((entry) => tableKey(entry.table) === table)
  return (
    <Body>
      {joins.length === 0 && <p className={css['note']}>No table is joined to it yet.</p>}
      <ul className={css['list']} aria-label="Joins">
        {joins.map(({ entry, join }) => (
          <li key={`${tableKey(entry.table)} ${join.name}`}>
            <To path={`${relationsOf(entry)}?edit=${encodeURIComponent(`change ${join.name}`)}`}>
              {tableLabel(entry.table)}.{join.name}
            </To>
          </li>
        ))}
      </ul>
      {canEdit && (
        <div className={css['join']}>
          <Select<string>
            label="Table"
            value={table}
            options={tables.map((entry) => ({ value: tableKey(entry.table), label: tableLabel(entry.table) }))}
            onChange={setTable}
          />
          <Button disabled={!chosen} onClick={() => chosen && go(`${relationsOf(chosen)}?edit=add+remote`)}>
            Join this table
          </Button>
        </div>
      )}
    </Body>
  )
}
