import { useQuery } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { useStore } from '../../../base/store.ts'
import { Button } from '../../../parts/button.tsx'
import { Code } from '../../../parts/code.tsx'
import { Field } from '../../../parts/field.tsx'
import { Body, Page, Section } from '../../../parts/page.tsx'
import { Failed, Loading } from '../../../parts/states.tsx'
import { useEdit } from '../../../parts/use-edit.ts'
import { readOnly } from '../../../requests/mode.ts'
import { type TableName, tableLabel } from '../../../server/names.ts'
import { run } from '../../../server/operations.ts'
import { type Metadata, metadataQuery, usePlugin } from '../../../server/queries.ts'
import { useNames } from '../../../shell/navigation.tsx'
import { sqlText } from '../sql-names.ts'
import css from './functions.module.css'
import { functionEntry } from './functions-info.ts'

const definitionQuery = ({ schema, name }: TableName) => ({
  queryKey: ['function-definition', schema, name],
  queryFn: async ({ signal }: { readonly signal: AbortSignal }) => {
    const sql = `select pg_get_functiondef(p.oid) from pg_proc p join pg_namespace n on n.oid = p.pronamespace
      where n.nspname = ${sqlText(schema)} and p.proname = ${sqlText(name)} and p.prokind = 'f'`
    const { result } = await run<{ readonly result: readonly (readonly string[])[] | null }>(
      'run_sql',
      { sql, read_only: true },
      { signal },
    )
    return (result ?? []).slice(1).map(([text]) => text ?? '')
  },
})

/** A function: its definition, whether it is served, and the roles that may call it. */
export default function FunctionPage() {
  const { schema = '', name = '' } = useNames()
  const named = { schema, name }
  const metadata = useQuery(metadataQuery)
  const hasSql = usePlugin('sql')
  const asked = definitionQuery(named)
  const definition = useQuery({ ...asked, enabled: hasSql })
  const canEdit = useStore(readOnly) === null && metadata.data !== undefined
  const entry = functionEntry(metadata.data, named)
  const { isBusy, error, save } = useEdit()
  /** Nothing is left to do where somebody else did the same meanwhile. */
  const setTracked = (isTracked: boolean) => {
    const words = isTracked ? 'Track' : 'Untrack'
    const operation = { type: isTracked ? 'track_function' : 'untrack_function', args: named }
    const part = (now: Metadata) => functionEntry(now, named)
    const operations = (now: Metadata) => (isTracked === (part(now) !== undefined) ? [] : [operation])
    void save({ title: `${words} ${label}`, part, operations, mine: operation, done: `${words}ed ${label}` })
  }
  const permit = (role: string, isAllowed: boolean) => {
    const has = (now: Metadata) => functionEntry(now, named)?.permissions?.some((each) => each.role === role) ?? false
    const type = isAllowed ? 'create_function_permission' : 'drop_function_permission'
    const operation = { type, args: { function: named, role } }
    const operations = (now: Metadata) => (has(now) === isAllowed ? [] : [operation])
    const done = isAllowed ? `${role} may call ${label}` : `${role} may not call ${label} any more`
    void save({ title: `${isAllowed ? 'Allow' : 'Refuse'} ${role}`, part: has, operations, mine: operation, done })
  }
  const label = tableLabel(named)
  return (
    <Page
      title={label}
      note={entry ? 'function, tracked' : 'function, not tracked'}
      actions={
        canEdit &&
        (entry ? (
          <Button isBusy={isBusy} onClick={() => setTracked(false)}>
            Untrack function
          </Button>
        ) : (
          <Button look="main" isBusy={isBusy} onClick={() => setTracked(true)}>
            Track function
          </Button>
        ))
      }
    >
      <Body>
        {error !== null && <Failed error={error} />}
        {metadata.isError && <Failed error={metadata.error} onRetry={() => void metadata.refetch()} />}
        {entry && (
          <Section title="Roles">
            <p>
              Roles that see its table may call a function that only reads, unless the server asks for a permission.
              Other functions always need one.
            </p>
            <Roles
              roles={(entry.permissions ?? []).map(({ role }) => role)}
              canEdit={canEdit}
              onAdd={(role) => permit(role, true)}
              onRemove={(role) => permit(role, false)}
            />
          </Section>
        )}
        {hasSql && (
          <Section title="Definition">
            {definition.isPending && <Loading label="Reading the definition" queryKey={asked.queryKey} />}
            {definition.isError && <Failed error={definition.error} onRetry={() => void definition.refetch()} />}
            {definition.data?.length === 0 && <p>The database has no such function.</p>}
            {definition.data?.map((text) => (
              <Code key={text} label="Definition" language="sql" value={text} />
            ))}
          </Section>
        )}
      </Body>
    </Page>
  )
}

interface RolesProps {
  readonly roles: readonly string[]
  readonly canEdit: boolean
  onAdd(role: string): void
  onRemove(role: string): void
}

/** The roles with a permission to call it. */
function Roles({ roles, canEdit, onAdd, onRemove }: RolesProps) {
  const [role, setRole] = useState('')
  const submit = (event: FormEvent) => {
    event.preventDefault()
    onAdd(role.trim())
    setRole('')
  }
  return (
    <>
      {roles.length > 0 && (
        <ul className={css['roles']}>
          {roles.map((each) => (
            <li key={each} className={css['role']}>
              <strong>{each}</strong>
              {canEdit && (
                <Button look="quiet" onClick={() => onRemove(each)}>
                  Remove {each}
                </Button>
              )}
            </li>
          ))}
        </ul>
      )}
      {canEdit && (
        <form className={css['form']} onSubmit={submit}>
          <Field label="Role" value={role} onChange={(event) => setRole(event.target.value)} />
          <Button type="submit" disabled={role.trim() === ''}>
            Allow role
          </Button>
        </form>
      )}
    </>
  )
}
