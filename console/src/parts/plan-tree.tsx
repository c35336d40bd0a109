import { formatCount } from '../base/format.ts'
import { Mark } from './mark.tsx'
import css from './plan-tree.module.css'

/** A node of PostgreSQL's plan, as `explain (format json)` prints it. */
export interface PlanNode {
  readonly 'Node Type': string
  readonly 'Relation Name'?: string
  readonly 'Index Name'?: string
  readonly 'Total Cost'?: number
  readonly 'Plan Rows'?: number
  readonly 'Actual Total Time'?: number
  readonly 'Actual Rows'?: number
  readonly 'Actual Loops'?: number
  readonly Plans?: readonly PlanNode[]
  readonly [fact: string]: unknown
}

/** The measure of a node with all below it: milliseconds where it ran, else the estimated cost. */
const whole = (node: PlanNode): number =>
  node['Actual Total Time'] === undefined
    ? (node['Total Cost'] ?? 0)
    : node['Actual Total Time'] * (node['Actual Loops'] ?? 1)

const own = (node: PlanNode): number =>
  Math.max(0, whole(node) - (node.Plans ?? []).reduce((sum, child) => sum + whole(child), 0))

const millis = (value: number): string => `${value.toFixed(value < 10 ? 2 : 0)} ms`

const nodesOf = (node: PlanNode): readonly PlanNode[] => [node, ...(node.Plans ?? []).flatMap(nodesOf)]

const conditions = [
  'Index Cond',
  'Recheck Cond',
  'Hash Cond',
  'Merge Cond',
  'Join Filter',
  'Filter',
  'Sort Key',
  'Group Key',
]

/** A plan as a tree; the node with the largest part of the time or cost is marked. */
export function PlanTree({ plan }: { readonly plan: PlanNode }) {
  const slowest = nodesOf(plan).reduce((most, node) => (own(node) > own(most) ? node : most))
  return (
    <ul className={css['tree']} aria-label="Plan">
      <Node node={plan} slowest={slowest} total={whole(plan)} />
    </ul>
  )
}

interface NodeProps {
  readonly node: PlanNode
  readonly slowest: PlanNode
  readonly total: number
}

function Node({ node, slowest, total }: NodeProps) {
  const hasRun = node['Actual Total Time'] !== undefined
  const target = [node['Relation Name'], node['Index Name'] && `by ${node['Index Name']}`].filter(Boolean).join(' ')
  const rows = hasRun ? (node['Actual Rows'] ?? 0) * (node['Actual Loops'] ?? 1) : (node['Plan Rows'] ?? 0)
  return (
    <li className={css['node']}>
      <div className={css['line']} data-slowest={node === slowest || undefined}>
        <span className={css['part']} aria-hidden>
          <span style={{ width: `${total === 0 ? 0 : Math.round((own(node) / total) * 100)}%` }} />
        </span>
        <strong>{node['Node Type']}</strong>
        {target !== '' && <code>{target}</code>}
        <span className={css['facts']}>
          {hasRun ? millis(own(node)) : `cost ${formatCount(Math.round(own(node)))}`}, {hasRun ? '' : '~'}
          {formatCount(Math.round(rows))} {Math.round(rows) === 1 ? 'row' : 'rows'}
        </span>
        {node === slowest && <Mark state="waiting">largest part</Mark>}
      </div>
      {conditions
        .filter((name) => node[name] !== undefined)
        .map((name) => (
          <p key={name} className={css['condition']}>
            {name} <code>{[node[name]].flat().join(', ')}</code>
          </p>
        ))}
      {node.Plans && (
        <ul className={css['children']}>
          {node.Plans.map((child, index) => (
            <Node key={index} node={child} slowest={slowest} total={total} />
          ))}
        </ul>
      )}
    </li>
  )
}
