import { useQuery } from '@tanstack/react-query'
import { Download } from 'lucide-react'
import { lazy, Suspense, useMemo } from 'react'
import { saveFile } from '../../../base/files.ts'
import { formatEstimate, plural } from '../../../base/format.ts'
import { Button } from '../../../parts/button.tsx'
import { Select } from '../../../parts/field.tsx'
import { Body, Page, Toolbar } from '../../../parts/page.tsx'
import { Empty, Failed, Loading } from '../../../parts/states.tsx'
import { tableLabel } from '../../../server/names.ts'
import { run } from '../../../server/operations.ts'
import { type Metadata, metadataQuery, rolesOf, type SourceTable, sourceTablesQuery } from '../../../server/queries.ts'
import { pathOf, To, useUrlChange, useUrlState } from '../../../shell/navigation.tsx'
import { useIsNarrow } from '../rows/use-narrow.ts'
import css from './diagram.module.css'
import { placesOf } from './layout.ts'
import { type Diagram, diagramOf, type KeyRelationship, neighbourhood, part } from './model.ts'
import { svgOf } from './svg.ts'

const Canvas = lazy(() => import('./canvas.tsx').then(({ Canvas: component }) => ({ default: component })))

/** Tables that are shown at once: of more, a schema or the surroundings of one. */
const mostTables = 150

const keysKey = ['key-relationships']

/** The page of the diagram. */
export default function DiagramPage() {
  return (
    <Page title="Diagram">
      <RoleDiagram />
    </Page>
  )
}

/** The tables that a role sees with their relationships: as a diagram, or as a list. Without a role it can be chosen. */
export function RoleDiagram({ role }: { readonly role?: string }) {
  const metadata = useQuery(metadataQuery)
  const sources = useQuery(sourceTablesQuery)
  const keys = useQuery({
    queryKey: keysKey,
    queryFn: ({ signal }) =>
      run<{ readonly relationships: readonly KeyRelationship[] }>(
        'suggest_relationships',
        { omit_tracked: false },
        { signal },
      ),
  })
  const failed = [metadata, keys].find(({ isError }) => isError)
  return (
    <>
      {metadata.data && keys.data ? (
        <Shown
          metadata={metadata.data}
          keys={keys.data.relationships}
          sources={sources.data ?? []}
          fixedRole={role ?? null}
        />
      ) : failed ? (
        <Failed error={failed.error} onRetry={() => void failed.refetch()} />
      ) : (
        <Loading label="Reading the relationships" queryKey={keysKey} />
      )}
    </>
  )
}

interface ShownProps {
  readonly metadata: Metadata
  readonly keys: readonly KeyRelationship[]
  readonly sources: readonly SourceTable[]
  /** Null: the role of the address. */
  readonly fixedRole: string | null
}

/** The part of a diagram that the address asks for. */
function chosenPart(
  whole: Diagram,
  { centre, hops, schema }: { centre: string; hops: number; schema: string },
): Diagram {
  const kept = schema === '' ? whole : part(whole, (key) => (JSON.parse(key) as [string])[0] === schema)
  return centre === '' ? kept : neighbourhood(kept, centre, hops)
}

function Shown({ metadata, keys, sources, fixedRole }: ShownProps) {
  const [chosenRole] = useUrlState('role')
  const role = fixedRole ?? chosenRole
  const [around] = useUrlState('around')
  const [hopText] = useUrlState('hops')
  const [schema] = useUrlState('schema')
  const [view] = useUrlState('view')
  const change = useUrlChange()
  const isNarrow = useIsNarrow()
  const whole = useMemo(
    () => diagramOf({ metadata, keys, sources, role: role === '' ? null : role }),
    [metadata, keys, sources, role],
  )
  const centre = whole.tables.find(({ label }) => label === around)?.key ?? ''
  const hops = Math.min(3, Math.max(1, Number(hopText) || 1))
  const diagram = useMemo(() => chosenPart(whole, { centre, hops, schema }), [whole, centre, hops, schema])
  const schemas = [...new Set(whole.tables.map(({ table }) => (typeof table === 'string' ? 'public' : table.schema)))]
  const isList = view === 'list' || (view === '' && isNarrow)
  const isTooLarge = diagram.tables.length > mostTables
  const open = (label: string) => change({ around: label })
  return (
    <>
      <Toolbar label="Diagram">
        {fixedRole === null && (
          <div className={css['choice']}>
            <Select<string>
              label="As role"
              value={role}
              options={[
                { value: '', label: 'admin' },
                ...rolesOf(metadata).map((name) => ({ value: name, label: name })),
              ]}
              onChange={(next) => change({ role: next })}
            />
          </div>
        )}
        {schemas.length > 1 && (
          <div className={css['choice']}>
            <Select<string>
              label="Schema"
              value={schema}
              options={[{ value: '', label: 'all' }, ...schemas.map((name) => ({ value: name, label: name }))]}
              onChange={(next) => change({ schema: next })}
            />
          </div>
        )}
        <div className={css['choice']}>
          <Select<string>
            label="Around"
            value={centre === '' ? '' : around}
            options={[
              { value: '', label: 'all tables' },
              ...whole.tables.map(({ label }) => ({ value: label, label })),
            ]}
            onChange={open}
          />
        </div>
        {centre !== '' && (
          <div className={css['choice']}>
            <Select<string>
              label="Distance"
              value={String(hops)}
              options={['1', '2', '3'].map((value) => ({ value, label: plural(Number(value), 'step') }))}
              onChange={(next) => change({ hops: next })}
            />
          </div>
        )}
        <Button onClick={() => change({ view: isList ? 'diagram' : 'list' })}>
          {isList ? 'Show diagram' : 'Show list'}
        </Button>
        <span className={css['count']}>
          {plural(diagram.tables.length, 'table')}, {plural(diagram.links.length, 'link')}
          {role !== '' && fixedRole === null && `, as ${role}`}
        </span>
      </Toolbar>
      {diagram.tables.length === 0 && (
        <Empty title={role === '' ? 'No table is tracked' : `${role} sees no table`}>
          Tables that the role may select from are shown here.
        </Empty>
      )}
      {diagram.tables.length > 0 && isList && <List diagram={diagram} role={role} onOpen={open} />}
      {diagram.tables.length > 0 && !isList && isTooLarge && (
        <Empty title={`${plural(diagram.tables.length, 'table')} are too many for one diagram`}>
          Choose a table to see its surroundings, or a schema. The list has them all.
        </Empty>
      )}
      {diagram.tables.length > 0 && !isList && !isTooLarge && (
        <Drawing diagram={diagram} centre={centre} onOpen={open} />
      )}
    </>
  )
}

interface DrawingProps {
  readonly diagram: Diagram
  readonly centre: string
  onOpen(label: string): void
}

function Drawing({ diagram, centre, onOpen }: DrawingProps) {
  const key = ['diagram-places', diagram.tables.map((table) => table.key), diagram.links.map((link) => link.key)]
  const places = useQuery({
    ...{ queryKey: key, staleTime: Number.POSITIVE_INFINITY, gcTime: 60_000 },
    queryFn: ({ signal }) => placesOf(diagram, signal),
  })
  if (places.isPending) return <Loading label="Finding places" queryKey={key} />
  if (!places.data) return <Failed error={places.error} onRetry={() => void places.refetch()} />
  return (
    <div className={css['drawing']}>
      <Suspense fallback={<Loading label="Loading" />}>
        <Canvas
          // A new diagram is fitted into view.
          key={JSON.stringify(key)}
          {...{ diagram, centre }}
          places={places.data}
          onOpen={(id) => onOpen(diagram.tables.find((table) => table.key === id)?.label ?? '')}
        />
      </Suspense>
      <div className={css['save']}>
        <Button
          icon={<Download aria-hidden />}
          onClick={() => saveFile('diagram.svg', svgOf(diagram, places.data), 'image/svg+xml')}
        >
          Save as SVG
        </Button>
      </div>
    </div>
  )
}

interface ListProps {
  readonly diagram: Diagram
  readonly role: string
  onOpen(label: string): void
}

/** The same as a list. */
const List = ({ diagram: { tables, links }, onOpen }: ListProps) => (
  <Body>
    <ul className={css['list']} aria-label="Tables">
      {tables.map(({ key, table, label, rule, rows }) => {
        const own = links.filter(({ from, to }) => from === key || to === key)
        const { schema, name } = typeof table === 'string' ? { schema: 'public', name: table } : table
        return (
          <li key={key}>
            <div className={css['head']}>
              <To path={pathOf('data', schema, name, 'relations')}>
                <strong>{label}</strong>
              </To>
              <span className={css['note']}>
                {rows === null ? '' : `${formatEstimate(rows)} rows, `}
                {rule}
              </span>
              <Button look="quiet" aria-label={`Around ${label}`} onClick={() => onOpen(label)}>
                Around
              </Button>
            </div>
            {own.length > 0 && (
              <ul aria-label={`Relationships of ${tableLabel(table)}`}>
                {own
                  .flatMap(({ names }) => names)
                  .map((each) => (
                    <li key={each}>
                      <code>{each}</code>
                    </li>
                  ))}
              </ul>
            )}
          </li>
        )
      })}
    </ul>
  </Body>
)
