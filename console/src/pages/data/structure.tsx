import type { ReactNode } from 'react'
import { formatBytes, formatCount } from '../../base/format.ts'
import { Mark } from '../../parts/mark.tsx'
import { Body, Section } from '../../parts/page.tsx'
import { tableLabel } from '../../server/names.ts'
import { pathOf, To } from '../../shell/navigation.tsx'
import css from './structure.module.css'
import type { TableInfo } from './table-info.ts'

interface ListProps {
  readonly label: string
  readonly heads: readonly string[]
  readonly rows: readonly { readonly key: string; readonly cells: readonly ReactNode[] }[]
}

/** A small table in the page's flow. */
const List = ({ label, heads, rows }: ListProps) => (
  // biome-ignore lint/a11y/noNoninteractiveTabindex: a scroll area is reached by the keyboard.
  <div className={css['scroll']} tabIndex={0} role="region" aria-label={label}>
    <table className={css['table']}>
      <thead>
        <tr>
          {heads.map((head) => (
            <th key={head} scope="col">
              {head}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map(({ key, cells }) => (
          <tr key={key}>
            {cells.map((cell, index) => (
              <td key={heads[index]}>{cell}</td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  </div>
)

const mapping = (columns: Readonly<Record<string, string>>): string =>
  Object.entries(columns)
    .map(([from, to]) => (from === to ? from : `${from} = ${to}`))
    .join(', ')

/** Columns, keys, indexes, checks and triggers of a table. */
export default function Structure({ info }: { readonly info: TableInfo }) {
  const foreign = Object.entries(info.foreign_keys)
  const unique = Object.entries(info.unique_keys)
  const { is_enabled: hasRowSecurity, policies } = info.row_level_security
  return (
    <Body>
      {info.description && <p className={css['about']}>{info.description}</p>}
      <Section title="Columns">
        <List
          label="Columns"
          heads={['Name', 'Type', 'Null', 'Default', 'Comment']}
          rows={info.columns.map(({ name, type, nullable, description }) => ({
            key: name,
            cells: [
              <strong key="name">
                {name}
                {info.primary_key?.includes(name) && <span className={css['key']}>key</span>}
              </strong>,
              type,
              nullable ? 'nullable' : '',
              info.defaults[name] && <code key="default">{info.defaults[name]}</code>,
              description,
            ],
          }))}
        />
      </Section>
      {unique.length > 0 && (
        <Section title="Unique keys">
          <List
            label="Unique keys"
            heads={['Name', 'Columns']}
            rows={unique.map(([name, columns]) => ({ key: name, cells: [name, columns.join(', ')] }))}
          />
        </Section>
      )}
      {foreign.length > 0 && (
        <Section title="Foreign keys">
          <List
            label="Foreign keys"
            heads={['Name', 'To', 'Columns']}
            rows={foreign.map(([name, { foreign_table: to, column_mapping }]) => ({
              key: name,
              cells: [name, <TableLink key="to" table={to} />, mapping(column_mapping)],
            }))}
          />
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
      {info.indexes.length > 0 && (
        <Section title="Indexes">
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
            }))}
          />
        </Section>
      )}
      <Definitions title="Checks" items={info.check_constraints} />
      <Definitions title="Triggers" items={info.triggers} />
      {hasRowSecurity && (
        <Section title="Row level security">
          <p>PostgreSQL applies {policies.length} policies of its own to this table, beside the permissions here.</p>
        </Section>
      )}
    </Body>
  )
}

const TableLink = ({ table }: { readonly table: TableInfo['name'] }) => (
  <To path={`${pathOf('data', table.schema, table.name, 'structure')}`}>{tableLabel(table)}</To>
)

const Definitions = ({ title, items }: { readonly title: string; readonly items: TableInfo['triggers'] }) =>
  items.length === 0 ? null : (
    <Section title={title}>
      <List
        label={title}
        heads={['Name', 'Definition']}
        rows={items.map(({ name, definition }) => ({ key: name, cells: [name, <code key="code">{definition}</code>] }))}
      />
    </Section>
  )
