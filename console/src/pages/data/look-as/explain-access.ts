// Why a role gets a row or not: the conditions of its rule one by one, each counted on the row. The one module that knows
// how the verdicts are found.

import type { Operation } from '../../../server/operations.ts'
import { run } from '../../../server/operations.ts'
import type { Condition } from '../rows/filter.ts'
import { testText } from '../rule-text.ts'
import {
  type RuleTable,
  related,
  resolvedRule,
  resolvedValue,
  typeOf,
  type Variables,
  variableOf,
} from '../rules/context.ts'

/** A part of a rule with its verdict on a row. */
export interface Verdict {
  readonly kind: 'all' | 'any' | 'not' | 'test'
  /** The condition as a sentence; of groups: empty. */
  readonly text: string
  /** The session variable's value, as `X-Service-User-Id is 2`; null: there is no variable. */
  readonly wanted: string | null
  /** The values that the row has, or its related rows; null: not known. */
  readonly actual: readonly string[] | null
  readonly holds: boolean
  readonly parts: readonly Verdict[]
}

interface Asked {
  readonly table: RuleTable
  /** The condition for the row. */
  readonly key: object
  readonly rule: unknown
  readonly variables: Variables
}

/** A part before it is asked about. */
interface Node {
  readonly kind: Verdict['kind']
  readonly text: string
  readonly wanted: string | null
  readonly where: Condition
  /** The column with the relationships that lead to it; null: no column. */
  readonly column: readonly string[] | null
  readonly isMany: readonly boolean[]
  readonly parts: readonly Node[]
}

interface Way {
  readonly names: readonly string[]
  readonly isMany: readonly boolean[]
  readonly table: RuleTable
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const wrapped = (names: readonly string[], condition: Condition): Condition =>
  names.reduceRight<Condition>((inner, name) => ({ [name]: inner }), condition)

const group = (kind: Node['kind'], { names }: Way, parts: readonly Node[], where: Condition): Node => ({
  ...{ kind, text: '', wanted: null, where: wrapped(names, where), column: null, isMany: [], parts },
})

/** The parts of a rule, read on the way to a table. */
async function nodeOf(rule: unknown, way: Way, variables: Variables): Promise<Node> {
  const where = (await resolvedRule(rule, way.table, variables)) as Condition
  const entries = isObject(rule) ? Object.entries(rule) : []
  const parts = await Promise.all(entries.map(([key, value]) => memberNode(key, value, way, variables)))
  const [only] = parts
  return parts.length === 1 && only ? only : group('all', way, parts, where)
}

async function memberNode(key: string, value: unknown, way: Way, variables: Variables): Promise<Node> {
  const where = (await resolvedRule({ [key]: value }, way.table, variables)) as Condition
  if (key === '_not') return group('not', way, [await nodeOf(value, way, variables)], where)
  if ((key === '_and' || key === '_or') && Array.isArray(value)) {
    const parts = await Promise.all(value.map((part) => nodeOf(part, way, variables)))
    return group(key === '_and' ? 'all' : 'any', way, parts, where)
  }
  const type = typeOf(way.table, key)
  const other = type === undefined ? await related(way.table, key) : null
  if (other) {
    const next = { names: [...way.names, key], isMany: [...way.isMany, other.isMany], table: other }
    return nodeOf(value, next, variables)
  }
  if (type === undefined || !isObject(value) || Object.keys(value).length === 0) return opaque(key, value, way, where)
  const tests = Object.entries(value).map(([operator, given]): Node => {
    const column = [...way.names, key]
    const resolved = resolvedValue(given, { operator, type }, variables)
    const name = variableOf(given)
    return {
      ...{ kind: 'test', text: testText(column.join('.'), operator, given), column, isMany: way.isMany, parts: [] },
      wanted: name === null ? null : `${String(given)} is ${variables[name] ?? 'not set'}`,
      where: wrapped(way.names, { [key]: { [operator]: resolved } }),
    }
  })
  const [only] = tests
  return tests.length === 1 && only ? only : group('all', way, tests, where)
}

/** A part that is shown as JSON. */
const opaque = (key: string, value: unknown, { names }: Way, where: Condition): Node => ({
  ...{ kind: 'test', text: JSON.stringify(wrapped(names, { [key]: value })), wanted: null },
  ...{ where: wrapped(names, where), column: null, isMany: [], parts: [] },
})

const flat = (node: Node): readonly Node[] => [node, ...node.parts.flatMap(flat)]

/** Related rows whose values are read. */
const readRows = 5

/** The columns of a `select` that lead to a column. */
function selected(column: readonly string[], isMany: readonly boolean[]): unknown {
  const [name = '', ...rest] = column
  if (rest.length === 0) return name
  const [many = false, ...others] = isMany
  return { name, columns: [selected(rest, others)], ...(many && { limit: readRows }) }
}

/** The values at the end of a way in the answer of a `select`. */
function valuesAt(value: unknown, column: readonly string[]): readonly string[] {
  if (Array.isArray(value)) return value.flatMap((each) => valuesAt(each, column))
  const [name, ...rest] = column
  if (name === undefined) return [value === null ? 'NULL' : typeof value === 'string' ? value : JSON.stringify(value)]
  return isObject(value) ? valuesAt(value[name], rest) : []
}

/** The verdicts of a rule's parts on a row, in one request. */
export async function explainAccess({ table, key, rule, variables }: Asked, signal?: AbortSignal): Promise<Verdict> {
  const { name } = table.info
  const root = await nodeOf(rule, { names: [], isMany: [], table }, variables)
  const nodes = flat(root)
  const tests = nodes.filter(({ column }) => column !== null)
  const operations: readonly Operation[] = [
    ...nodes.map(({ where }) => ({ type: 'count', args: { table: name, where: { _and: [key, where] } } })),
    ...tests.map(({ column, isMany }) => ({
      type: 'select',
      args: { table: name, columns: [selected(column ?? [], isMany)], where: key, limit: 1 },
    })),
  ]
  const answers = await run<readonly unknown[]>('bulk', operations, signal ? { signal } : {})
  const verdictOf = (node: Node): Verdict => {
    const { count } = answers[nodes.indexOf(node)] as { readonly count: number }
    const at = tests.indexOf(node)
    const actual = at < 0 || node.column === null ? null : valuesAt(answers[nodes.length + at], node.column)
    const { kind, text, wanted, parts } = node
    return { kind, text, wanted, actual, holds: count > 0, parts: parts.map(verdictOf) }
  }
  return verdictOf(root)
}
