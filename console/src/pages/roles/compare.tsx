import { useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { plural } from '../../base/format.ts'
import { Select } from '../../parts/field.tsx'
import { Mark } from '../../parts/mark.tsx'
import { Body, Page, Section, Toolbar } from '../../parts/page.tsx'
import { Empty, Failed, Loading } from '../../parts/states.tsx'
import { tableKey, tableLabel } from '../../server/names.ts'
import { run } from '../../server/operations.ts'
import { type Metadata, metadataQuery, rolesOf } from '../../server/queries.ts'
import type { SchemaDifferences } from '../../server/simulate.ts'
import { To, useUrlState } from '../../shell/navigation.tsx'
import { permissionDifferences } from './differences.ts'
import css from './roles.module.css'
import { permissionsOf } from './roles.tsx'

/** Two roles side by side: their permissions, and their GraphQL schemas. */
export default function Compare() {
  const metadata = useQuery(metadataQuery)
  const [a, setA] = useUrlState('a')
  const [b, setB] = useUrlState('b')
  if (!metadata.data) {
    return (
      <Page title="Compare roles">
        {metadata.isPending && <Loading label="Reading the metadata" queryKey={metadataQuery.queryKey} />}
        {metadata.isError && <Failed error={metadata.error} onRetry={() => void metadata.refetch()} />}
      </Page>
    )
  }
  const options = ['admin', ...rolesOf(metadata.data)].map((name) => ({ value: name, label: name }))
  const isReady = a !== '' && b !== '' && a !== b
  return (
    <Page title="Compare roles">
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
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a scroll area is reached by the keyboard.
        <div className={css['scroll']} role="region" aria-label="Permissions that differ" tabIndex={0}>
          <table className={css['table']}>
            <thead>
              <tr>
                <th scope="col">Table</th>
                <th scope="col">Verb</th>
                <th scope="col">{a}</th>
                <th scope="col">{b}</th>
              </tr>
            </thead>
            <tbody>
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
            </tbody>
          </table>
        </div>
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
          <code>{(typeof value === 'string' ? value : JSON.stringify(value)).slice(0, shownCharacters)}</code>
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
  const { only_a: onlyA, only_b: onlyB, differing, more } = differences.data
  const isSame = onlyA.length + onlyB.length + differing.length === 0
  return (
    <Section title="GraphQL schemas">
      {isSame && <p>Both schemas are the same.</p>}
      <div className={css['sides']}>
        <Side title={`Only ${a} has`} paths={onlyA} />
        <Side title={`Only ${b} has`} paths={onlyB} />
      </div>
      {differing.length > 0 && (
        <>
          <h3 className={css['heading']}>Both have, with other types</h3>
          <ul>
            {differing.map((each) => (
              <li key={each.path}>
                <code>
                  {each.path}: {each.a} / {each.b}
                </code>
              </li>
            ))}
          </ul>
        </>
      )}
      {more && <p className={css['note']}>The first 1,000 differences are shown.</p>}
    </Section>
  )
}

const Side = ({ title, paths }: { readonly title: string; readonly paths: readonly string[] }) => (
  <section aria-label={title}>
    <h3 className={css['heading']}>
      {title} {paths.length === 0 ? 'nothing' : ''}
    </h3>
    <ul>
      {paths.map((path) => (
        <li key={path}>
          <code>{path}</code>
        </li>
      ))}
    </ul>
  </section>
)
