import { useQuery } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { useStore } from '../../../base/store.ts'
import { Button } from '../../../parts/button.tsx'
import { Field } from '../../../parts/field.tsx'
import { Body } from '../../../parts/page.tsx'
import { SmallTable } from '../../../parts/small-table.tsx'
import { Empty, Failed, Loading } from '../../../parts/states.tsx'
import { readOnly } from '../../../requests/mode.ts'
import { tableKey } from '../../../server/names.ts'
import { metadataQuery, rolesOf, tablesOf } from '../../../server/queries.ts'
import { useUrlState } from '../../../shell/navigation.tsx'
import type { TableInfo } from '../table-info.ts'
import { CopyDialog } from './copy-dialog.tsx'
import { Editor } from './editor.tsx'
import css from './permissions.module.css'
import { permissionOf, summary, type Verb, verbs } from './verbs.ts'

/** The permissions of a table: roles by verbs. */
export default function Permissions({ info }: { readonly info: TableInfo }) {
  const metadata = useQuery(metadataQuery)
  const [edited, setEdited] = useUrlState('edit')
  const [added, setAdded] = useState<readonly string[]>([])
  const [draft, setDraft] = useState('')
  const canEdit = useStore(readOnly) === null
  if (metadata.isPending) return <Loading label="Reading the metadata" queryKey={metadataQuery.queryKey} />
  if (!metadata.data) return <Failed error={metadata.error} onRetry={() => void metadata.refetch()} />
  const entry = tablesOf(metadata.data).find(({ table }) => tableKey(table) === tableKey(info.name))
  if (!entry) return <Empty title="This table is not tracked">Track it to give roles permissions on it.</Empty>
  const roles = [...new Set([...rolesOf(metadata.data), ...added])].sort()
  const addRole = (event: FormEvent) => {
    event.preventDefault()
    const role = draft.trim()
    if (role === '' || role === 'admin') return
    setAdded([...added, role])
    setDraft('')
  }
  const [verb, ...rest] = edited.split(' ')
  const role = rest.join(' ')
  const isEdited = verbs.includes(verb as Verb) && role !== ''
  return (
    <Body>
      <SmallTable
        isFolding
        label="Permissions"
        heads={['Role', ...verbs]}
        className={`${css['table']} ${css['byVerb']}`}
      >
        <tr>
          <th scope="row">admin</th>
          {verbs.map((each) => (
            <td key={each} data-verb={each}>
              all rows
            </td>
          ))}
        </tr>
        {roles.map((name) => (
          <tr key={name}>
            <th scope="row">
              <span className={css['role']}>
                {name}
                {canEdit && verbs.some((each) => permissionOf(entry, name, each)) && (
                  <Button
                    look="quiet"
                    aria-label={`Copy permissions of ${name}`}
                    onClick={() => setEdited(`copy ${name}`)}
                  >
                    Copy
                  </Button>
                )}
              </span>
            </th>
            {verbs.map((each) => {
              const permission = permissionOf(entry, name, each)
              const text = permission ? summary(permission, each, info.columns.length) : 'none'
              return (
                <td key={each} data-verb={each}>
                  <button
                    type="button"
                    className={css['verb']}
                    data-has={permission !== null || undefined}
                    aria-label={`${each} of ${name}: ${text}`}
                    onClick={() => setEdited(`${each} ${name}`)}
                  >
                    {text}
                  </button>
                </td>
              )
            })}
          </tr>
        ))}
      </SmallTable>
      {canEdit && (
        <form className={css['add']} onSubmit={addRole}>
          <Field
            label="Another role"
            value={draft}
            onChange={(event) => setDraft(event.target.value)}
            help="A role exists once it has a permission."
          />
          <Button type="submit" disabled={draft.trim() === ''}>
            Add role
          </Button>
        </form>
      )}
      {verb === 'copy' && role !== '' && (
        <CopyDialog {...{ entry, role }} base={metadata.data} onClose={() => setEdited('')} />
      )}
      {isEdited && (
        <Editor
          key={edited}
          {...{ info, entry, role, canEdit }}
          verb={verb as Verb}
          base={metadata.data}
          onClose={() => setEdited('')}
        />
      )}
    </Body>
  )
}
