import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { formatBytes, formatCount } from '../../../base/format.ts'
import { useStore } from '../../../base/store.ts'
import { Button } from '../../../parts/button.tsx'
import { Mark } from '../../../parts/mark.tsx'
import { Body, Section } from '../../../parts/page.tsx'
import { readOnly } from '../../../requests/mode.ts'
import { tableLabel } from '../../../server/names.ts'
import { entryOf, metadataQuery, sourceTablesQuery, usePlugin } from '../../../server/queries.ts'
import { pathOf, To } from '../../../shell/navigation.tsx'
import { defaultOf, type TableInfo } from '../table-info.ts'
import { ChangeDialog } from './change-dialog.tsx'
import * as changes from './changes.ts'
import { GraphqlPart } from './graphql-part.tsx'
import { List, RowActions } from './list.tsx'
import css from './structure.module.css'

const mapping = (columns: Readonly<Record<string, string>>): string =>
  Object.entries(columns)
    .map(([from, to]) => (from === to ? from : `${from} = ${to}`))
    .join(', ')

interface PartProps {
  readonly info: TableInfo
  /** Null: nothing can be changed. */
  readonly onChange: ((change: changes.Change) => void) | null
}

/** Columns, keys, indexes, checks and triggers of a table. Changes of them are SQL, which is shown before it runs. */
export default function Structure({ info }: { readonly info: TableInfo }) {
  const [change, setChange] = useState<changes.Change | null>(null)
  const metadata = useQuery(metadataQuery).data
  const hasSql = usePlugin('sql')
  const canEdit = useStore(readOnly) === null
  const entry = metadata && entryOf(metadata, info.name)
  const isTable = info.kind === 'table' || info.kind === 'partitioned table'
  const onChange = hasSql && canEdit && isTable ? setChange : null
  const { is_enabled: hasRowSecurity, policies } = info.row_level_security
  return (
    <Body>
      <div className={css['about']}>
        {info.description && <p>{info.description}</p>}
        {hasSql && canEdit && (
          <Button look="quiet" onClick={() => setChange(changes.changeComment(info))}>
            {info.description ? 'Change comment' : 'Add comment'}
          </Button>
        )}
        {onChange && (
          <Button look="quiet" onClick={() => onChange(changes.dropTable(info))}>
            Drop table
          </Button>
        )}
      </div>
      <Columns {...{ info, onChange }} />
      {metadata && entry && <GraphqlPart {...{ info, entry, canEdit, base: metadata }} />}
      <Keys {...{ info, onChange }} />
      <Indexes {...{ info, onChange }} />
      <Checks {...{ info, onChange }} />
      {info.triggers.length > 0 && (
        <Section title="Triggers">
          <List
            label="Triggers"
            heads={['Name', 'Definition']}
            rows={info.triggers.map(({ name, definition }) => ({
              key: name,
              cells: [name, <code key="code">{definition}</code>],
            }))}
          />
        </Section>
      )}
      {hasRowSecurity && (
        <Section title="Row level security">
          <p>PostgreSQL applies {policies.length} policies of its own to this table, beside the permissions here.</p>
        </Section>
      )}
      {change && <ChangeDialog {...{ info, change }} onClose={() => setChange(null)} />}
    </Body>
  )
}

interface AddProps {
  readonly label: string
  onClick(): void
}

/** The button of a section that adds something. */
const Add = ({ label, onClick }: AddProps) => (
  <Button look="quiet" onClick={onClick}>
    {label}
  </Button>
)

function Columns({ info, onChange }: PartProps) {
  return (
    <Section
      title="Columns"
      actions={onChange && <Add label="Add column" onClick={() => onChange(changes.addColumn(info))} />}
    >
      <List
        label="Columns"
        heads={['Name', 'Type', 'Null', 'Default', 'Comment']}
        rows={info.columns.map((column) => ({
          key: column.name,
          cells: [
            <strong key="name">
              {column.name}
              {info.primary_key?.includes(column.name) && <span className={css['key']}>key</span>}
            </strong>,
            column.type,
            column.nullable ? 'nullable' : '',
            defaultOf(info, column.name) && <code key="default">{defaultOf(info, column.name)}</code>,
            column.description,
          ],
          ...(onChange && {
            actions: (
              <RowActions
                name={column.name}
                onChange={() => onChange(changes.changeColumn(info, column))}
                onDrop={() => onChange(changes.dropColumn(info, column.name))}
              />
            ),
          }),
        }))}
      />
    </Section>
  )
}

/** Unique keys, foreign keys, and those of other tables that lead here. */
function Keys({ info, onChange }: PartProps) {
  const tables = useQuery({ ...sourceTablesQuery, enabled: onChange !== null }).data
  const names = (tables ?? []).filter(({ kind }) => kind.includes('table')).map(tableLabel)
  const foreign = Object.entries(info.foreign_keys)
  const unique = Object.entries(info.unique_keys)
  const dropOf = (name: string) =>
    onChange && { actions: <RowActions name={name} onDrop={() => onChange(changes.dropConstraint(info, name))} /> }
  return (
    <>
      {(unique.length > 0 || onChange) && (
        <Section
          title="Unique keys"
          actions={onChange && <Add label="Add unique key" onClick={() => onChange(changes.addUniqueKey(info))} />}
        >
          {unique.length > 0 && (
            <List
              label="Unique keys"
              heads={['Name', 'Columns']}
              rows={unique.map(([name, columns]) => ({
                key: name,
                cells: [name, columns.join(', ')],
                ...dropOf(name),
              }))}
            />
          )}
        </Section>
      )}
      {(foreign.length > 0 || onChange) && (
        <Section
          title="Foreign keys"
          actions={
            onChange && <Add label="Add foreign key" onClick={() => onChange(changes.addForeignKey(info, names))} />
          }
        >
          {foreign.length > 0 && (
            <List
              label="Foreign keys"
              heads={['Name', 'To', 'Columns']}
              rows={foreign.map(([name, { foreign_table: to, column_mapping }]) => ({
                ...{ key: name, cells: [name, <TableLink key="to" table={to} />, mapping(column_mapping)] },
                ...dropOf(name),
              }))}
            />
          )}
        </Section>
      )}
      {info.referenced_by.length > 0 && (
        <Section title="Referenced by">
          <List
            label="Referenced by"
            heads={['Table', 'Foreign key', 'Columns', 'On delete']}
            rows={info.referenced_by.map(({ table, constraint, column_mapping, on_delete }) => ({
              key: `${tableLabel(table)} ${constraint}`,
              cells: [<TableLink key="table" table={table} />, constraint, mapping(column_mapping), on_delete],
            }))}
          />
        </Section>
      )}
    </>
  )
}

function Indexes({ info, onChange }: PartProps) {
  if (info.indexes.length === 0 && !onChange) return null
  return (
    <Section
      title="Indexes"
      actions={onChange && <Add label="Add index" onClick={() => onChange(changes.addIndex(info))} />}
    >
      {info.indexes.length > 0 && (
        <List
          label="Indexes"
          heads={['Name', 'Size', 'Scans', 'Definition']}
          rows={info.indexes.map(({ name, bytes, scans, is_valid, definition }) => ({
            key: name,
            cells: [
              is_valid ? name : <Mark state="bad">{name}, invalid</Mark>,
              formatBytes(bytes),
              formatCount(scans),
              <code key="definition">{definition}</code>,
            ],
            // The index of a key goes with it.
            ...(onChange &&
              !Object.hasOwn(info.unique_keys, name) &&
              !info.indexes.find((each) => each.name === name)?.is_primary && {
                actions: <RowActions name={name} onDrop={() => onChange(changes.dropIndex(info, name))} />,
              }),
          }))}
        />
      )}
    </Section>
  )
}

function Checks({ info, onChange }: PartProps) {
  if (info.check_constraints.length === 0 && !onChange) return null
  return (
    <Section
      title="Checks"
      actions={onChange && <Add label="Add check" onClick={() => onChange(changes.addCheck(info))} />}
    >
      {info.check_constraints.length > 0 && (
        <List
          label="Checks"
          heads={['Name', 'Definition']}
          rows={info.check_constraints.map(({ name, definition }) => ({
            ...{ key: name, cells: [name, <code key="code">{definition}</code>] },
            ...(onChange && {
              actions: <RowActions name={name} onDrop={() => onChange(changes.dropConstraint(info, name))} />,
            }),
          }))}
        />
      )}
    </Section>
  )
}

const TableLink = ({ table }: { readonly table: TableInfo['name'] }) => (
  <To path={pathOf('data', table.schema, table.name, 'structure')}>{tableLabel(table)}</To>
)
