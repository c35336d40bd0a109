import { useQuery } from '@tanstack/react-query'
import { type ReactNode, useId } from 'react'
import { formatBytes, formatCount, formatMillis, formatTime, plural } from '../../base/format.ts'
import { Mark } from '../../parts/mark.tsx'
import { Body, Page, Section } from '../../parts/page.tsx'
import { SmallTable } from '../../parts/small-table.tsx'
import { Failed, Loading } from '../../parts/states.tsx'
import { configQuery, useConfig } from '../../server/queries.ts'
import { Background } from './background.tsx'
import { Checklist } from './checklist.tsx'
import {
  byEndpoint,
  counterAt,
  countersQuery,
  failures,
  inconsistentQuery,
  measuresOf,
  perSecond,
  type RecentRequest,
  recentQuery,
} from './measures.ts'
import css from './now.module.css'

/** How the server is doing: read again every five seconds while the page is visible. */
export default function Now() {
  const config = useQuery(configQuery)
  const isOpen = config.data?.apis.enabled.includes('developer')
  return (
    <Page
      title="Now"
      note={config.data && `Trellis ${config.data.version}, PostgreSQL ${config.data.postgres.version}`}
    >
      <Body>
        {config.isPending && <Loading label="Reading the configuration" queryKey={configQuery.queryKey} />}
        {config.isError && <Failed error={config.error} onRetry={() => void config.refetch()} />}
        <Checklist />
        <Inconsistent />
        {isOpen === true && <Running />}
        {config.data && <Background />}
        {isOpen === false && <Closed />}
      </Body>
    </Page>
  )
}

/** Names the option of an API that is closed. */
function Closed() {
  const enabled = useConfig()?.apis.enabled ?? []
  return (
    <Section title="Requests and connections">
      <p className={css['closed']}>
        The API <strong>developer</strong> is closed. With it, this page shows requests, errors, connections and plans.
        Start the server with <code>--enabled-apis {[...enabled, 'developer'].join(',')}</code>.
      </p>
    </Section>
  )
}

function Running() {
  const recent = useQuery(recentQuery)
  const counters = useQuery(countersQuery)
  if (recent.isPending) return <Loading label="Reading the last requests" queryKey={recentQuery.queryKey} />
  if (!recent.data) return <Failed error={recent.error} onRetry={() => void recent.refetch()} />
  const lastMinute = recent.data.filter(({ at }) => recent.dataUpdatedAt - Date.parse(at) < 60_000)
  const all = measuresOf('', recent.data)
  const reused = counterAt(counters.data, 'graphql.plans.reused')
  const made = counterAt(counters.data, 'graphql.plans.made')
  const pooled = counterAt(counters.data, 'database.pooled')
  const idle = counterAt(counters.data, 'database.idle')
  const waiting = counterAt(counters.data, 'database.waiting')
  const subscribers = counterAt(counters.data, 'plugins.subscribers')
  const sockets = counterAt(counters.data, 'plugins.websockets')
  const memory = counterAt(counters.data, 'process.memory.rss')
  return (
    <>
      <Section title="Last minute">
        <div className={css['figures']}>
          <Figure title="Requests" value={formatCount(lastMinute.length)}>
            <Spark counts={perSecond(recent.data, recent.dataUpdatedAt)} />
          </Figure>
          <Figure title="Errors" value={formatCount(failures(lastMinute).length)}>
            of the last {formatCount(all.count)}: {formatCount(all.errors)}
          </Figure>
          <Figure title="p95" value={formatMillis(all.p95)}>
            p50 {formatMillis(all.median)}
          </Figure>
          {pooled !== undefined && idle !== undefined && (
            <Figure title="Connections at work" value={formatCount(pooled - idle)}>
              of {formatCount(pooled)} open{waiting ? `, ${plural(waiting, 'request')} waiting` : ''}
            </Figure>
          )}
          {reused !== undefined && made !== undefined && (
            <Figure
              title="Plans reused"
              value={reused + made === 0 ? '–' : `${Math.floor((100 * reused) / (reused + made))} %`}
            >
              {formatCount(made)} made
            </Figure>
          )}
          {subscribers !== undefined && (
            <Figure title="Subscriptions" value={formatCount(subscribers)}>
              {sockets !== undefined && `over ${plural(sockets, 'websocket')}`}
            </Figure>
          )}
          {memory !== undefined && <Figure title="Memory" value={formatBytes(memory)} />}
        </div>
        <RateTable counts={perSecond(recent.data, recent.dataUpdatedAt)} />
        {counters.isError && <Failed error={counters.error} onRetry={() => void counters.refetch()} />}
      </Section>
      <Endpoints requests={recent.data} />
      <Errors requests={failures(recent.data).slice(0, 20)} />
    </>
  )
}

interface FigureProps {
  readonly title: string
  readonly value: string
  readonly children?: ReactNode
}

const Figure = ({ title, value, children }: FigureProps) => (
  <div className={css['figure']}>
    <h3>{title}</h3>
    <p className={css['value']}>{value}</p>
    <div className={css['more']}>{children}</div>
  </div>
)

/** Seconds of a line of the table. */
const secondsInLine = 10

/** The chart as a table. */
function RateTable({ counts }: { readonly counts: readonly number[] }) {
  const lines = Array.from({ length: counts.length / secondsInLine }, (_, line) => ({
    ago: counts.length - line * secondsInLine,
    part: counts.slice(line * secondsInLine, (line + 1) * secondsInLine),
  }))
  return (
    <details className={css['rates']}>
      <summary>Requests per second, as a table</summary>
      <SmallTable
        hasCards
        label="Requests per second"
        heads={['Seconds ago', 'Requests', 'Most in a second']}
        className={css['table']}
      >
        {lines.map(({ ago, part }) => (
          <tr key={ago}>
            <td data-head="Seconds ago">
              {ago} to {ago - secondsInLine}
            </td>
            <td data-head="Requests">{formatCount(part.reduce((sum, count) => sum + count, 0))}</td>
            <td data-head="Most in a second">{formatCount(Math.max(...part))}</td>
          </tr>
        ))}
      </SmallTable>
    </details>
  )
}

/** Requests per second as a line of bars, which is a table as well. */
function Spark({ counts }: { readonly counts: readonly number[] }) {
  const id = useId()
  const top = Math.max(1, ...counts)
  return (
    <svg
      viewBox={`0 0 ${counts.length * 3} 16`}
      className={css['spark']}
      preserveAspectRatio="none"
      aria-labelledby={id}
    >
      <title id={id}>{`Requests per second, at most ${top}`}</title>
      {counts.map((count, index) => (
        <rect
          key={index}
          x={index * 3}
          width={2}
          y={16 - (15 * count) / top}
          height={Math.max(0.5, (15 * count) / top)}
        />
      ))}
    </svg>
  )
}

function Endpoints({ requests }: { readonly requests: readonly RecentRequest[] }) {
  const rows = byEndpoint(requests)
  if (rows.length === 0) return <p className={css['closed']}>The server remembers no request yet.</p>
  return (
    <Section title={`Endpoints, of the last ${plural(requests.length, 'request')}`}>
      <SmallTable
        hasCards
        label="Endpoints"
        heads={['Endpoint', 'Requests', 'Errors', 'p50', 'p95']}
        className={css['table']}
      >
        {rows.map(({ endpoint, count, errors, median, p95 }) => (
          <tr key={endpoint}>
            <td data-head="Endpoint">
              <code>{endpoint}</code>
            </td>
            <td data-head="Requests">{formatCount(count)}</td>
            <td data-head="Errors">{errors === 0 ? '0' : <Mark state="bad">{formatCount(errors)}</Mark>}</td>
            <td data-head="p50">{formatMillis(median)}</td>
            <td data-head="p95">{formatMillis(p95)}</td>
          </tr>
        ))}
      </SmallTable>
    </Section>
  )
}

function Errors({ requests }: { readonly requests: readonly RecentRequest[] }) {
  if (requests.length === 0) return null
  return (
    <Section title="Last errors">
      <SmallTable
        hasCards
        label="Last errors"
        heads={['Time', 'Endpoint', 'Role', 'Error', 'Request']}
        className={css['table']}
      >
        {requests.map(({ request_id, at, endpoint, operation_name, role, status, code }) => (
          <tr key={request_id}>
            <td data-head="Time">{formatTime(at)}</td>
            <td data-head="Endpoint">
              <code>
                {endpoint} {operation_name}
              </code>
            </td>
            <td data-head="Role">{role ?? '–'}</td>
            <td data-head="Error">
              <Mark state="bad">
                {status} {code}
              </Mark>
            </td>
            <td data-head="Request">
              <code>{request_id}</code>
            </td>
          </tr>
        ))}
      </SmallTable>
    </Section>
  )
}

/** Objects of the metadata that are not served, with the server's reasons. */
function Inconsistent() {
  const { data, isError, error, refetch } = useQuery(inconsistentQuery)
  if (isError) return <Failed error={error} onRetry={() => void refetch()} />
  if (!data || data.length === 0) return null
  return (
    <Section title={`${plural(data.length, 'object')} not served`}>
      <ul className={css['problems']}>
        {data.map(({ type, definition, reason }) => (
          <li key={`${type} ${JSON.stringify(definition)}`}>
            <Mark state="bad">{type}</Mark> {reason}
          </li>
        ))}
      </ul>
    </Section>
  )
}
