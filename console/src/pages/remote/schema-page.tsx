import { useQuery } from '@tanstack/react-query'
import { plural } from '../../base/format.ts'
import { useStore } from '../../base/store.ts'
import { Button } from '../../parts/button.tsx'
import { FormDialog } from '../../parts/form-dialog.tsx'
import { Body, Page } from '../../parts/page.tsx'
import { Empty, Failed, Loading } from '../../parts/states.tsx'
import { Tabs } from '../../parts/tabs.tsx'
import { Touched } from '../../parts/touched.tsx'
import { useEdit } from '../../parts/use-edit.ts'
import { readOnly } from '../../requests/mode.ts'
import type { Operation } from '../../server/operations.ts'
import { type Metadata, metadataQuery, queries } from '../../server/queries.ts'
import { introspectionQuery, type RemoteSchema, remoteSchemasOf } from '../../server/remote-schemas.ts'
import { To, useGo, useNames, useUrlState } from '../../shell/navigation.tsx'
import { Joins } from './joins.tsx'
import { RemotePermissions } from './remote-permissions.tsx'
import { addressOf, SchemaDialog } from './schema-dialog.tsx'
import { SchemaTree } from './schema-tree.tsx'

const tabs = [
  { value: 'schema', label: 'Schema' },
  { value: 'permissions', label: 'Permissions' },
  { value: 'joins', label: 'Joins' },
] as const

type Tab = (typeof tabs)[number]['value']

/** One remote schema: its fields, the parts that roles see, and the tables that are joined to it. */
export default function SchemaPage() {
  const { name = '' } = useNames()
  const metadata = useQuery(metadataQuery)
  const schema = metadata.data && remoteSchemasOf(metadata.data).find((each) => each.name === name)
  if (metadata.data && schema) return <Known schema={schema} base={metadata.data} />
  return (
    <Page title={name}>
      {metadata.isPending && <Loading label="Reading the remote schema" queryKey={metadataQuery.queryKey} />}
      {metadata.isError && <Failed error={metadata.error} onRetry={() => void metadata.refetch()} />}
      {metadata.data && (
        <Empty title="There is no such remote schema" actions={<To path="remote">All remote schemas</To>}>
          It may have been removed.
        </Empty>
      )}
    </Page>
  )
}

function Known({ schema, base }: { readonly schema: RemoteSchema; readonly base: Metadata }) {
  const { name, definition, comment } = schema
  const [tab, setTab] = useUrlState('tab')
  const [dialog, setDialog] = useUrlState('edit')
  const canEdit = useStore(readOnly) === null
  const introspected = useQuery(introspectionQuery(name))
  const chosen: Tab = tabs.find(({ value }) => value === tab)?.value ?? 'schema'
  const close = () => setDialog('')
  return (
    <Page
      title={name}
      note={[addressOf(definition), introspected.data && plural(introspected.data.types.length, 'type'), comment]
        .filter(Boolean)
        .join(', ')}
      actions={
        canEdit && (
          <>
            <Button onClick={() => setDialog('remove')}>Remove</Button>
            <Button onClick={() => setDialog('reload')}>Reload</Button>
            <Button onClick={() => setDialog('change')}>Change</Button>
          </>
        )
      }
    >
      <Tabs<Tab>
        label="Remote schema"
        value={chosen}
        tabs={tabs}
        onChange={(next) => setTab(next === 'schema' ? '' : next)}
      >
        {chosen === 'joins' ? (
          <Joins name={name} base={base} canEdit={canEdit} />
        ) : (
          <>
            {introspected.isPending && (
              <Loading label="Reading the schema" queryKey={introspectionQuery(name).queryKey} />
            )}
            {introspected.isError && <Failed error={introspected.error} onRetry={() => void introspected.refetch()} />}
            {introspected.data && chosen === 'schema' && (
              <Body>
                <SchemaTree schema={introspected.data} />
              </Body>
            )}
            {introspected.data && chosen === 'permissions' && (
              <RemotePermissions {...{ schema, base, canEdit }} introspected={introspected.data} />
            )}
          </>
        )}
      </Tabs>
      {dialog === 'change' && <SchemaDialog base={base} schema={schema} onClose={close} />}
      {dialog === 'reload' && <Reload schema={schema} base={base} onClose={close} />}
      {dialog === 'remove' && <Remove schema={schema} base={base} onClose={close} />}
    </Page>
  )
}

interface AskProps {
  readonly schema: RemoteSchema
  readonly base: Metadata
  onClose(): void
}

/** Five roles at most, the administrator first. */
const comparedRoles = ({ permissions = [] }: RemoteSchema): readonly string[] =>
  ['admin', ...permissions.map(({ role }) => role)].slice(0, 5)

/** Asks the server for its schema again, and lists first all that differs. */
function Reload({ schema, base, onClose }: AskProps) {
  const { name } = schema
  const { isBusy, error, save } = useEdit()
  const operations: readonly Operation[] = [{ type: 'reload_remote_schema', args: { name } }]
  const reload = async () => {
    if (!(await save({ title: `Reload ${name}`, base, part: () => null, operations, done: `Reloaded ${name}` }))) return
    await queries.invalidateQueries({ queryKey: ['remote-schema', name] })
    onClose()
  }
  return (
    <FormDialog
      isWide
      title={`Reload ${name}`}
      description="The server is asked for its schema again. These fields would change:"
      onClose={onClose}
      submit="Reload remote schema"
      isBusy={isBusy}
      onSubmit={reload}
      error={error}
    >
      <Touched operations={operations} roles={comparedRoles(schema)} />
    </FormDialog>
  )
}

/** Removes a remote schema, with all that goes with it. */
function Remove({ schema, base, onClose }: AskProps) {
  const { name } = schema
  const go = useGo()
  const { isBusy, error, save } = useEdit()
  const operations: readonly Operation[] = [{ type: 'remove_remote_schema', args: { name } }]
  const remove = async () => {
    if (await save({ title: `Remove ${name}`, base, operations, done: `Removed ${name}` })) go('remote')
  }
  return (
    <FormDialog
      isWide
      title={`Remove ${name}`}
      description="It is refused while relationships of tables lead to it."
      onClose={onClose}
      submit={`Remove ${name}`}
      destroys={name}
      isBusy={isBusy}
      onSubmit={remove}
      error={error}
    >
      <Touched operations={operations} roles={comparedRoles(schema)} />
    </FormDialog>
  )
}
