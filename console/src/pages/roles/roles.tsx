import { useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { plural } from '../../base/format.ts'
import { Select } from '../../parts/field.tsx'
import { FilterField } from '../../parts/filter-field.tsx'
import { Page, Toolbar } from '../../parts/page.tsx'
import { Empty, Failed, Loading } from '../../parts/states.tsx'
import { Table, type TableColumn } from '../../parts/table.tsx'
import { tableKey, tableLabel, tableName } from '../../server/names.ts'
import { type Metadata, metadataQuery, rolesOf, type TableEntry, tablesOf } from '../../server/queries.ts'
import { pathOf, To, useUrlState } from '../../shell/navigation.tsx'
import css from './roles.module.css'

const verbs = ['select', 'insert', 'update', 'delete'] as const

/** Roles that are columns at first. */
const shownRoles = 12

interface InheritedRole {
  readonly role_name: string
  readonly role_set: readonly string[]
}

/** Tables by roles: the verbs that each role has. */
export default function Roles() {
  const metadata = useQuery(metadataQuery)
  const [role, setRole] = useUrlState('role')
  const [text, setText] = useUrlState('filter')
  const roles = useMemo(() => (metadata.data ? rolesOf(metadata.data) : []), [metadata.data])
  const tables = useMemo(() => {
    const needle = text.trim().toLowerCase()
    const all = metadata.data ? tablesOf(metadata.data) : []
    return all.filter(({ table }) => tableLabel(table).toLowerCase().includes(needle))
  }, [metadata.data, text])
  if (!metadata.data) {
    return (
      <Page title="Roles">
        {metadata.isPending && <Loading label="Reading the metadata" queryKey={metadataQuery.queryKey} />}
        {metadata.isError && <Failed error={metadata.error} onRetry={() => void metadata.refetch()} />}
      </Page>
    )
  }
  if (roles.length === 0) {
    return (
      <Page title="Roles">
        <Empty title="No role has a permission yet" actions={<To path="data">Choose a table</To>}>
          The administrator may do everything. Other roles get permissions table by table, in the tab Permissions.
        </Empty>
      </Page>
    )
  }
  const chosen = roles.includes(role) ? [role] : roles.slice(0, shownRoles)
  return (
    <Page title="Roles" note={noteOf(roles, chosen, metadata.data)}>
      <Toolbar label="Filter">
        <div className={css['filter']}>
          <FilterField label="Filter tables" value={text} onChange={setText} />
        </div>
        <div className={css['choice']}>
          <Select<string>
            label="Role"
            isLabelHidden
            value={roles.includes(role) ? role : ''}
            options={[{ value: '', label: 'All roles' }, ...roles.map((name) => ({ value: name, label: name }))]}
            onChange={setRole}
          />
        </div>
        <To
          path={`data/diagram${roles.includes(role) ? `?role=${encodeURIComponent(role)}` : ''}`}
          className={css['compare']}
        >
          Diagram
        </To>
        <To path={compareOf(roles, role)} className={css['compare']}>
          Compare two roles
        </To>
      </Toolbar>
      {tables.length === 0 ? (
        <Empty title="No table matches">Change the filter to see others.</Empty>
      ) : (
        <Table<TableEntry>
          label="Permissions"
          rows={tables}
          columns={columnsOf(chosen)}
          rowKey={({ table }) => tableKey(table)}
        />
      )}
    </Page>
  )
}

function noteOf(roles: readonly string[], chosen: readonly string[], { metadata }: Metadata): string {
  const inherited = (metadata['inherited_roles'] ?? []) as readonly InheritedRole[]
  const parents = inherited.find(({ role_name }) => chosen.length === 1 && role_name === chosen[0])
  if (parents) return `${parents.role_name} has the permissions of ${parents.role_set.join(' and ')}`
  const hidden = roles.length - chosen.length
  return chosen.length > 1 && hidden > 0
    ? `${plural(roles.length, 'role')}, of which the first ${chosen.length} are shown`
    : plural(roles.length, 'role')
}

const columnsOf = (roles: readonly string[]): readonly TableColumn<TableEntry>[] => [
  {
    ...{ key: 'table', title: 'Table', width: 'minmax(140px, 1fr)' },
    cell: ({ table }) => (
      <To path={permissionsOf(table)} className={css['name']}>
        {tableLabel(table)}
      </To>
    ),
  },
  ...roles.map<TableColumn<TableEntry>>((role, index) => ({
    ...{ key: `role ${role}`, title: role, width: 'minmax(96px, 160px)', isSecondary: index > 1 },
    cell: (entry) => <Verbs entry={entry} role={role} />,
  })),
]

/** The comparison of a role with another one. */
function compareOf(roles: readonly string[], role: string): string {
  const a = roles.includes(role) ? role : (roles[0] ?? 'admin')
  const b = roles.find((each) => each !== a) ?? 'admin'
  return `roles/compare?a=${encodeURIComponent(a)}&b=${encodeURIComponent(b)}`
}

/** The path of a table's permissions. */
export const permissionsOf = (table: TableEntry['table']): string => {
  const { schema, name } = tableName(table)
  return pathOf('data', schema, name, 'permissions')
}

/** The verbs of a role on a table, each by its first letter at its place. */
function Verbs({ entry, role }: { readonly entry: TableEntry; readonly role: string }) {
  const has = verbs.filter((verb) => entry[`${verb}_permissions`]?.some((each) => each.role === role))
  return (
    <span
      className={css['verbs']}
      role="img"
      aria-label={has.length === 0 ? 'none' : has.join(', ')}
      title={has.join(', ')}
    >
      {verbs.map((verb) => (
        <span key={verb} data-has={has.includes(verb) || undefined}>
          {has.includes(verb) ? verb[0]!.toUpperCase() : '·'}
        </span>
      ))}
    </span>
  )
}
