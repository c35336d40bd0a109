import { useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { plural } from '../../base/format.ts'
import { jsonLine } from '../../base/json.ts'
import { Select } from '../../parts/field.tsx'
import { Mark } from '../../parts/mark.tsx'
import { Body, Page, Section, Toolbar } from '../../parts/page.tsx'
import { SmallTable } from '../../parts/small-table.tsx'
import { Empty, Failed, Loading } from '../../parts/states.tsx'
import { Tabs } from '../../parts/tabs.tsx'
import { tableKey, tableLabel } from '../../server/names.ts'
import { run } from '../../server/operations.ts'
import { type Metadata, metadataQuery, rolesOf, usePlugin } from '../../server/queries.ts'
import type { SchemaDifferences } from '../../server/simulate.ts'
import { To, useUrlState } from '../../shell/navigation.tsx'
import { permissionDifferences } from './differences.ts'
import { permissionsOf } from './role-facts.ts'
import css from './roles.module.css'
import { SchemaDifferencesView } from './schema-differences.tsx'
import { Versions } from './versions.tsx'

/** Two roles side by side, or two versions of the metadata: permissions, and GraphQL schemas. */
export default function Compare() {
  const metadata = useQuery(metadataQuery)
  const [a, setA] = useUrlState('a')
  const [b, setB] = useUrlState('b')
  const [of, setOf] = useUrlState('of')
  const hasHistory = usePlugin('history')
  if (!metadata.data) {
    return (
      <Page title="Compare">
        {metadata.isPending && <Loading label="Reading the metadata" queryKey={metadataQuery.queryKey} />}
        {metadata.isError && <Failed error={metadata.error} onRetry={() => void metadata.refetch()} />}
      </Page>
    )
  }
  const options = ['admin', ...rolesOf(metadata.data)].map((name) => ({ value: name, label: name }))
  const isReady = a !== '' && b !== '' && a !== b
  return (
    <Page title="Compare">
      <Tabs<'roles' | 'versions'>
        label="Compare"
        value={of === 'versions' ? of : 'roles'}
        tabs={[
          { value: 'roles', label: 'Two roles' },
          ...(hasHistory ? [{ value: 'versions', label: 'Two versions' } as const] : []),
        ]}
        onChange={(next) => setOf(next === 'roles' ? '' : next)}
      >
        {of === 'versions' ? (
          <Versions metadata={metadata.data} />
        ) : (
          <>
            <Toolbar label="Roles">
              <div className={css['choice']}>
                <Select<string> label="One role" value={a} options={options} onChange={setA} />
              </div>
              <div className={css['choice']}>
                <Select<string> label="Another role" value={b} options={options} onChange={setB} />
              </div>
            </Toolbar>
            {isReady ? (
              <Body>
                <Rules {...{ a, b }} metadata={metadata.data} />
                <Schemas {...{ a, b }} />
              </Body>
            ) : (
              <Empty title={a !== '' && a === b ? 'Both are the same role' : 'Choose two roles'}>
                The permissions and the GraphQL schemas of both are compared.
              </Empty>
            )}
          </>
        )}
      </Tabs>
    </Page>
  )
}

interface PairProps {
  readonly a: string
  readonly b: string
}

/** Permissions that differ. The administrator may do everything, and has none. */
function Rules({ a, b, metadata }: PairProps & { readonly metadata: Metadata }) {
  const differing = useMemo(() => permissionDifferences(metadata, a, b), [metadata, a, b])
  if (a === 'admin' || b === 'admin') return null
  return (
    <Section title={`${plural(differing.length, 'permission')} ${differing.length === 1 ? 'differs' : 'differ'}`}>
      {differing.length > 0 && (
        <SmallTable label="Permissions that differ" heads={['Table', 'Verb', a, b]}>
          {differing.map(({ table, verb, before, after }) => (
            <tr key={`${tableKey(table)} ${verb}`}>
              <th scope="row">
                <To path={permissionsOf(table)}>{tableLabel(table)}</To>
              </th>
              <td>{verb}</td>
              <td>{before === null ? <Mark state="off">none</Mark> : <Text permission={before} />}</td>
              <td>{after === null ? <Mark state="off">none</Mark> : <Text permission={after} />}</td>
            </tr>
          ))}
        </SmallTable>
      )}
    </Section>
  )
}

/** Characters of a member that are shown. */
const shownCharacters = 400

const Text = ({ permission }: { readonly permission: Readonly<Record<string, unknown>> }) => (
  <dl className={css['permission']}>
    {Object.entries(permission).map(([name, value]) => (
      <div key={name}>
        <dt>{name}</dt>
        <dd>
          <code>{(typeof value === 'string' ? value : jsonLine(value)).slice(0, shownCharacters)}</code>
        </dd>
      </div>
    ))}
  </dl>
)

/** Types, fields and arguments that differ. */
function Schemas({ a, b }: PairProps) {
  const key = ['role-schemas', a, b]
  const differences = useQuery({
    queryKey: key,
    queryFn: ({ signal }) => run<SchemaDifferences>('diff_role_schemas', { a, b, limit: 1000 }, { signal }),
  })
  if (differences.isPending) return <Loading label="Comparing the schemas" queryKey={key} />
  if (!differences.data) return <Failed error={differences.error} onRetry={() => void differences.refetch()} />
  return <SchemaDifferencesView {...{ a, b }} differences={differences.data} />
}
