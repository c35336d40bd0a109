import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { plural } from '../../base/format.ts'
import { Button } from '../../parts/button.tsx'
import { Code } from '../../parts/code.tsx'
import { Mark } from '../../parts/mark.tsx'
import { Body, Page, Section, Space, Toolbar } from '../../parts/page.tsx'
import { SmallTable } from '../../parts/small-table.tsx'
import { Empty, Failed, Loading } from '../../parts/states.tsx'
import { Tabs } from '../../parts/tabs.tsx'
import { tableKey, tableLabel } from '../../server/names.ts'
import { run } from '../../server/operations.ts'
import {
  type Metadata,
  metadataQuery,
  type PermissionEntry,
  rolesOf,
  tablesOf,
  useConfig,
  usePlugin,
} from '../../server/queries.ts'
import { pathOf, To, useNames, useUrlState } from '../../shell/navigation.tsx'
import { RoleDiagram } from '../data/diagram/diagram.tsx'
import { permissionOf, type Verb, verbs } from '../data/permissions/verbs.ts'
import { ruleText } from '../data/rule-text.ts'
import { allowedOf, collectionsOf } from '../govern/collections/collections-model.ts'
import { parentsOf, permissionsOf } from './role-facts.ts'
import css from './roles.module.css'

type Tab = 'rules' | 'schema' | 'diagram' | 'queries'

/** One role: its rules, its GraphQL schema, the tables that it sees, and the queries that it may send. */
export default function RolePage() {
  const { role = '' } = useNames()
  const metadata = useQuery(metadataQuery)
  const [given, setTab] = useUrlState('tab')
  const hasSchemas = usePlugin('role-schemas')
  const hasCollections = usePlugin('collections')
  if (!metadata.data) {
    return (
      <Page title={role}>
        {metadata.isPending && <Loading label="Reading the metadata" queryKey={metadataQuery.queryKey} />}
        {metadata.isError && <Failed error={metadata.error} onRetry={() => void metadata.refetch()} />}
      </Page>
    )
  }
  if (role !== 'admin' && !rolesOf(metadata.data).includes(role)) {
    return (
      <Page title={role}>
        <Empty title="No such role" actions={<To path="roles">See all roles</To>}>
          A role exists once it has a permission.
        </Empty>
      </Page>
    )
  }
  const tabs = [
    { value: 'rules', label: 'Rules' },
    ...(hasSchemas ? [{ value: 'schema', label: 'Schema' } as const] : []),
    { value: 'diagram', label: 'Diagram' },
    ...(hasCollections ? [{ value: 'queries', label: 'Allowed queries' } as const] : []),
  ] as const satisfies readonly { value: Tab; label: string }[]
  const tab = tabs.find(({ value }) => value === given)?.value ?? 'rules'
  const parents = parentsOf(metadata.data, role)
  return (
    <Page
      title={role}
      note={
        parents
          ? `has the permissions of ${parents.join(' and ')}`
          : role !== 'admin' && `Permissions on ${plural(permittedTables(metadata.data, role).length, 'table')}`
      }
      actions={<To path={`roles/compare?a=${encodeURIComponent(role)}`}>Compare with another</To>}
    >
      <Tabs<Tab>
        label="About the role"
        value={tab}
        tabs={tabs}
        onChange={(next) => setTab(next === 'rules' ? '' : next)}
      >
        {tab === 'rules' && <Rules {...{ role }} metadata={metadata.data} />}
        {tab === 'schema' && <Schema role={role} />}
        {tab === 'diagram' && <RoleDiagram role={role === 'admin' ? '' : role} />}
        {tab === 'queries' && <Queries {...{ role }} metadata={metadata.data} />}
      </Tabs>
    </Page>
  )
}

interface OfRole {
  readonly role: string
  readonly metadata: Metadata
}

const noTypes: ReadonlyMap<string, string> = new Map()

/** A rule in words; a long one is JSON. */
const ruleIn = (rule: unknown): string => ruleText(rule ?? {}, noTypes) ?? JSON.stringify(rule)

/** The words for a permission: its rows, its columns, and more. */
function wordsOf({ filter, check, columns, set, limit }: PermissionEntry['permission'], verb: Verb): readonly string[] {
  const rows = ruleIn(verb === 'insert' ? check : filter)
  const then = verb === 'update' ? ruleIn(check) : ''
  return [
    rows === '' ? 'all rows' : rows,
    ...(then === '' ? [] : [`then ${then}`]),
    ...(Array.isArray(columns) ? [plural(columns.length, 'column')] : []),
    ...(set && Object.keys(set).length > 0 ? [`sets ${Object.keys(set).join(', ')}`] : []),
    ...(typeof limit === 'number' ? [`limit ${limit}`] : []),
  ]
}

const permittedTables = (metadata: Metadata, role: string) =>
  tablesOf(metadata).filter((entry) => verbs.some((verb) => permissionOf(entry, role, verb)))

function Rules({ role, metadata }: OfRole) {
  const tables = permittedTables(metadata, role)
  if (role === 'admin') return <Empty title="The administrator may do everything">There is no rule for it.</Empty>
  if (tables.length === 0) {
    return (
      <Empty title="No permission of its own">
        {parentsOf(metadata, role) ? 'Its permissions are those of the roles that it inherits from.' : null}
      </Empty>
    )
  }
  return (
    <Body>
      <SmallTable hasCards label="Rules" heads={['Table', ...verbs]}>
        {tables.map((entry) => (
          <tr key={tableKey(entry.table)}>
            <th scope="row">
              <To path={permissionsOf(entry.table)}>{tableLabel(entry.table)}</To>
            </th>
            {verbs.map((verb) => {
              const permission = permissionOf(entry, role, verb)
              const path = `${permissionsOf(entry.table)}?edit=${encodeURIComponent(`${verb} ${role}`)}`
              return (
                <td key={verb} data-head={verb}>
                  {permission ? (
                    <To path={path} className={css['rule']}>
                      {wordsOf(permission, verb).map((words, at) => (
                        <span key={words}>{at === 0 ? <code>{words}</code> : words}</span>
                      ))}
                    </To>
                  ) : (
                    <Mark state="off">none</Mark>
                  )}
                </td>
              )
            })}
          </tr>
        ))}
      </SmallTable>
    </Body>
  )
}

/** The role's GraphQL schema, in pages of about a megabyte. */
function Schema({ role }: { readonly role: string }) {
  const key = ['role-schema', role]
  const schema = useInfiniteQuery({
    queryKey: key,
    initialPageParam: null as string | null,
    queryFn: ({ pageParam, signal }) =>
      run<{ readonly sdl: string; readonly next: string | null }>(
        'get_role_schema',
        { role, ...(pageParam !== null && { after: pageParam }) },
        { signal },
      ),
    getNextPageParam: ({ next }) => next,
  })
  const text = useMemo(() => schema.data?.pages.map(({ sdl }) => sdl).join('\n\n') ?? '', [schema.data])
  if (schema.isPending) return <Loading label="Reading the schema" queryKey={key} />
  if (!schema.data) return <Failed error={schema.error} onRetry={() => void schema.refetch()} />
  return (
    <>
      <Toolbar label="Schema">
        <span className={css['count']}>{plural(text.split('\n').length, 'line')}</span>
        <Space />
        {schema.hasNextPage && (
          <Button isBusy={schema.isFetchingNextPage} onClick={() => void schema.fetchNextPage()}>
            Read more
          </Button>
        )}
        <span className={css['count']}>Ctrl+F searches in it</span>
      </Toolbar>
      <Code label={`Schema of ${role}`} language="graphql" fills value={text} />
    </>
  )
}

/** The queries of collections in the allow-list that are for the role. */
function Queries({ role, metadata }: OfRole) {
  const isEnforced = useConfig()?.is_allow_list_enabled
  const allowed = collectionsOf(metadata).filter(({ name }) => {
    const who = allowedOf(metadata, name)
    return who !== 'nobody' && (who === 'everyone' || who.includes(role))
  })
  if (role === 'admin') return <Empty title="The administrator may send any query" />
  return (
    <Body>
      <p className={css['lead']}>
        {isEnforced ? (
          'The allow-list is enforced: the role may send these queries alone.'
        ) : (
          <>
            The allow-list is not enforced: the role may send any query that its schema has. The option is{' '}
            <code>--enable-allowlist</code>.
          </>
        )}{' '}
        <To path="govern/collections">See all collections</To>
      </p>
      {allowed.length === 0 && <Empty title="No query is in the allow-list for this role" />}
      {allowed.map(({ name, definition }) => (
        <Section key={name} title={name} actions={<To path={pathOf('govern', 'collections')}>Edit</To>}>
          <ul className={css['queries']}>
            {definition.queries.map((each) => (
              <li key={each.name}>
                <details>
                  <summary>{each.name}</summary>
                  <pre>{each.query}</pre>
                </details>
              </li>
            ))}
          </ul>
        </Section>
      ))}
    </Body>
  )
}
