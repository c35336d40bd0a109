// Changes of a table's structure: the fields that a person fills, and the SQL that they become.

import { sqlName, sqlTable, sqlText } from '../sql-names.ts'
import { type ColumnInfo, defaultOf, type TableInfo } from '../table-info.ts'

/** A field of a change. */
export interface ChangeField {
  readonly name: string
  readonly label: string
  /** `columns`: names of columns, between commas. */
  readonly kind: 'text' | 'code' | 'tick' | 'choice' | 'columns'
  readonly choices?: readonly string[]
  readonly help?: string
}

/** The values of the fields; of a tick: an empty text where it is off. */
export type ChangeValues = Readonly<Record<string, string>>

/** A change of the structure. */
export interface Change {
  /** Names the change, as `Add column`. */
  readonly title: string
  readonly isDestructive?: boolean
  readonly fields: readonly ChangeField[]
  readonly values: ChangeValues
  /** Null: something is missing. */
  sql(values: ChangeValues): string | null
  /** The segments of the address to which it leads; absent: the page stays. */
  readonly goesTo?: readonly string[]
}

const alter = ({ name }: TableInfo, what: string): string => `alter table ${sqlTable(name)} ${what};`

const columnsOf = (text = ''): readonly string[] =>
  text
    .split(',')
    .map((each) => each.trim())
    .filter((each) => each !== '')

const listed = (text = ''): string => columnsOf(text).map(sqlName).join(', ')

const columnFields: readonly ChangeField[] = [
  { name: 'name', label: 'Name', kind: 'text' },
  { name: 'type', label: 'Type', kind: 'code', help: 'as text, integer, numeric(10, 2), timestamptz' },
  { name: 'nullable', label: 'Takes NULL', kind: 'tick' },
  { name: 'default', label: 'Default', kind: 'code', help: "an expression of SQL, as now() or 'draft'" },
  { name: 'comment', label: 'Comment', kind: 'text' },
]

const commentOn = (info: TableInfo, column: string, comment: string): string =>
  `comment on column ${sqlTable(info.name)}.${sqlName(column)} is ${comment === '' ? 'null' : sqlText(comment)};`

/** Adds a column. */
export const addColumn = (info: TableInfo): Change => ({
  title: 'Add column',
  fields: columnFields,
  values: { type: 'text', nullable: 'yes' },
  sql({ name = '', type = '', nullable, default: expression = '', comment = '' }) {
    if (name === '' || type === '') return null
    const parts = [
      ...[sqlName(name), type, nullable ? '' : 'not null'],
      expression === '' ? '' : `default ${expression}`,
    ].filter((part) => part !== '')
    const added = alter(info, `add column ${parts.join(' ')}`)
    return comment === '' ? added : `${added}\n${commentOn(info, name, comment)}`
  },
})

/** Changes a column; only the parts that differ become SQL. */
export const changeColumn = (info: TableInfo, column: ColumnInfo): Change => {
  const before: ChangeValues = {
    ...{ name: column.name, type: column.type, nullable: column.nullable ? 'yes' : '' },
    ...{ default: defaultOf(info, column.name) ?? '', comment: column.description ?? '' },
  }
  return {
    title: `Change column ${column.name}`,
    fields: [
      ...columnFields,
      { name: 'using', label: 'Convert by', kind: 'code', help: 'of a new type: an expression, as total::text' },
    ],
    values: before,
    sql({ name = '', type = '', nullable = '', default: expression = '', comment = '', using = '' }) {
      if (name === '' || type === '') return null
      const own = sqlName(column.name)
      const parts = [
        ...(type === before['type']
          ? []
          : [`alter column ${own} type ${type}${using === '' ? '' : ` using ${using}`}`]),
        ...(nullable === before['nullable'] ? [] : [`alter column ${own} ${nullable ? 'drop' : 'set'} not null`]),
        ...(expression === before['default']
          ? []
          : [`alter column ${own} ${expression === '' ? 'drop default' : `set default ${expression}`}`]),
      ]
      const statements = [
        ...(parts.length === 0 ? [] : [alter(info, parts.join(',\n  '))]),
        ...(name === column.name ? [] : [alter(info, `rename column ${own} to ${sqlName(name)}`)]),
        ...(comment === before['comment'] ? [] : [commentOn(info, name, comment)]),
      ]
      return statements.length === 0 ? null : statements.join('\n')
    },
  }
}

const dropping = (title: string, sql: string): Change => ({
  ...{ title, isDestructive: true, fields: [], values: {} },
  sql: () => sql,
})

/** Drops a column with its values. */
export const dropColumn = (info: TableInfo, name: string): Change =>
  dropping(`Drop column ${name}`, alter(info, `drop column ${sqlName(name)}`))

/** Drops a key or a check. */
export const dropConstraint = (info: TableInfo, name: string): Change =>
  dropping(`Drop ${name}`, alter(info, `drop constraint ${sqlName(name)}`))

/** Drops an index. */
export const dropIndex = (info: TableInfo, name: string): Change =>
  dropping(`Drop index ${name}`, `drop index ${sqlTable({ schema: info.name.schema, name })};`)

/** Drops the table with its rows. */
export const dropTable = ({ name }: TableInfo): Change => ({
  ...dropping(`Drop table ${name.name}`, `drop table ${sqlTable(name)};`),
  goesTo: ['data'],
})

/** Adds an index. */
export const addIndex = (info: TableInfo): Change => ({
  title: 'Add index',
  fields: [
    { name: 'columns', label: 'Columns', kind: 'columns' },
    { name: 'method', label: 'Method', kind: 'choice', choices: ['btree', 'hash', 'gin', 'gist', 'brin'] },
    { name: 'unique', label: 'No two rows have the same values', kind: 'tick' },
    { name: 'where', label: 'Only rows with', kind: 'code', help: 'a condition of SQL, as deleted_at is null' },
  ],
  values: { method: 'btree' },
  sql({ columns, method = 'btree', unique, where = '' }) {
    if (listed(columns) === '') return null
    const kind = unique ? 'create unique index' : 'create index'
    const rest = where === '' ? '' : ` where ${where}`
    return `${kind} on ${sqlTable(info.name)} using ${method} (${listed(columns)})${rest};`
  },
})

/** Adds a foreign key. `tables`: those that it may lead to. */
export const addForeignKey = (info: TableInfo, tables: readonly string[]): Change => ({
  title: 'Add foreign key',
  fields: [
    { name: 'columns', label: 'Columns', kind: 'columns' },
    { name: 'table', label: 'Leads to', kind: 'choice', choices: tables },
    { name: 'to', label: 'Columns there', kind: 'text', help: 'between commas; empty: its primary key' },
    {
      ...{ name: 'delete', label: 'When that row is deleted', kind: 'choice' },
      choices: ['no action', 'cascade', 'set null', 'set default', 'restrict'],
    },
  ],
  values: { table: tables[0] ?? '', delete: 'no action' },
  sql({ columns, table = '', to = '', delete: action = 'no action' }) {
    if (listed(columns) === '' || table === '') return null
    const [schema, name] = table.includes('.') ? table.split('.', 2) : ['public', table]
    const target = sqlTable({ schema: schema!, name: name! })
    const there = listed(to) === '' ? '' : ` (${listed(to)})`
    const end = action === 'no action' ? '' : ` on delete ${action}`
    return alter(info, `add foreign key (${listed(columns)}) references ${target}${there}${end}`)
  },
})

/** Adds a unique key. */
export const addUniqueKey = (info: TableInfo): Change => ({
  title: 'Add unique key',
  fields: [{ name: 'columns', label: 'Columns', kind: 'columns' }],
  values: {},
  sql: ({ columns }) => (listed(columns) === '' ? null : alter(info, `add unique (${listed(columns)})`)),
})

/** Adds a check. */
export const addCheck = (info: TableInfo): Change => ({
  title: 'Add check',
  fields: [
    { name: 'name', label: 'Name', kind: 'text', help: 'empty: PostgreSQL chooses one' },
    { name: 'expression', label: 'Each row has', kind: 'code', help: 'a condition of SQL, as total >= 0' },
  ],
  values: {},
  sql({ name = '', expression = '' }) {
    const named = name === '' ? '' : `constraint ${sqlName(name)} `
    return expression === '' ? null : alter(info, `add ${named}check (${expression})`)
  },
})

/** Changes the comment of the table. */
export const changeComment = (info: TableInfo): Change => ({
  title: 'Change comment',
  fields: [{ name: 'comment', label: 'Comment', kind: 'text' }],
  values: { comment: info.description ?? '' },
  sql({ comment = '' }) {
    if (comment === (info.description ?? '')) return null
    const kind = info.kind === 'view' ? 'view' : info.kind === 'materialized view' ? 'materialized view' : 'table'
    return `comment on ${kind} ${sqlTable(info.name)} is ${comment === '' ? 'null' : sqlText(comment)};`
  },
})
