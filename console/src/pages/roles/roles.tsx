import { useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { plural } from '../../base/format.ts'
import { Field } from '../../parts/field.tsx'
import { FilterField } from '../../parts/filter-field.tsx'
import { Page, Space, Toolbar } from '../../parts/page.tsx'
import { Empty, Failed, Loading } from '../../parts/states.tsx'
import { tableLabel } from '../../server/names.ts'
import { metadataQuery, rolesOf, tablesOf } from '../../server/queries.ts'
import { To, useUrlState } from '../../shell/navigation.tsx'
import { Matrix, MatrixLegend } from './matrix.tsx'
import css from './roles.module.css'

/** Tables by roles: the verbs that each role has. */
export default function Roles() {
  const metadata = useQuery(metadataQuery)
  const [roleText, setRoleText] = useUrlState('roles')
  const [text, setText] = useUrlState('filter')
  const roles = useMemo(() => (metadata.data ? rolesOf(metadata.data) : []), [metadata.data])
  const tables = useMemo(() => {
    const needle = text.trim().toLowerCase()
    const all = metadata.data ? tablesOf(metadata.data) : []
    return all.filter(({ table }) => tableLabel(table).toLowerCase().includes(needle))
  }, [metadata.data, text])
  const shown = useMemo(() => {
    const needle = roleText.trim().toLowerCase()
    return roles.filter((role) => role.toLowerCase().includes(needle))
  }, [roles, roleText])
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
  return (
    <Page title="Roles" note={`${plural(roles.length, 'role')} on ${plural(tables.length, 'table')}`}>
      <Toolbar label="Filter">
        <div className={css['filter']}>
          <FilterField label="Filter tables" value={text} onChange={setText} />
        </div>
        <div className={css['choice']}>
          <Field
            label="Filter roles"
            isLabelHidden
            placeholder="Filter roles"
            value={roleText}
            onChange={({ target }) => setRoleText(target.value)}
          />
        </div>
        <Space />
        <To path="data/diagram" className={css['compare']}>
          Diagram
        </To>
        <To path={compareOf(roles)} className={css['compare']}>
          Compare two roles
        </To>
      </Toolbar>
      {tables.length === 0 || shown.length === 0 ? (
        <Empty title={tables.length === 0 ? 'No table matches' : 'No role matches'}>
          Change the filter to see others.
        </Empty>
      ) : (
        <>
          <Matrix tables={tables} roles={shown} />
          <MatrixLegend />
        </>
      )}
    </Page>
  )
}

/** The comparison of the first two roles. */
function compareOf([a = 'admin', b = 'admin']: readonly string[]): string {
  return `roles/compare?a=${encodeURIComponent(a)}&b=${encodeURIComponent(b)}`
}
