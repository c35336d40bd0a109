// Why a role gets a row or not, as `explain_access` tells it. The one module that knows the shape of its answer.

import { facts } from '../../../base/facts.ts'
import { type Identity, identityHeaders } from '../../../requests/identity.ts'
import type { TableName } from '../../../server/names.ts'
import { run } from '../../../server/operations.ts'
import type { GridRow } from '../rows/model.ts'
import { argumentOf } from '../rows/save.ts'
import { testText } from '../rule-text.ts'

/** A part of a rule with its verdict on a row. */
export interface Verdict {
  readonly kind: 'all' | 'any' | 'not' | 'test'
  /** The condition as a sentence, or the relationship that the parts are about; empty: there is nothing to say. */
  readonly text: string
  /** The value that the operand stands for, as `X-Service-User-Id is 2`; null: it is the value itself. */
  readonly wanted: string | null
  /** The values that the row has, or its related rows; null: not known. */
  readonly actual: readonly string[] | null
  readonly holds: boolean
  readonly parts: readonly Verdict[]
}

/** The rule of a role, or of a parent of it. */
export interface RuleVerdict {
  readonly role: string
  readonly verdict: Verdict
}

/** The answer. */
export interface Access {
  readonly isAllowed: boolean
  /** Null: the rules say all. */
  readonly reason: string | null
  readonly rules: readonly RuleVerdict[]
}

interface Node {
  readonly at: string
  readonly verdict: boolean | null
  readonly column?: string
  readonly operator?: string
  readonly operand?: unknown
  readonly actual?: unknown
  readonly expected?: unknown
  readonly missing?: string
  readonly nodes?: readonly Node[]
}

interface Answer {
  readonly allowed: boolean
  readonly reason: string | null
  readonly rules: readonly (Node & { readonly role: string })[]
}

/** A question about a row. */
interface Asked {
  readonly table: TableName
  readonly key: Readonly<Record<string, unknown>>
  readonly role: string
  /** Session variables by their full names. */
  readonly session: Readonly<Record<string, string>>
}

const shown = (value: unknown): string =>
  value === null ? 'NULL' : typeof value === 'string' ? value : JSON.stringify(value)

/** The last name in a place, as `_or` or the name of a relationship. */
const lastName = (at: string): string => /([^.[\]]+)(?:\[\d+\])?$/.exec(at)?.[1] ?? ''

const groupKinds: Readonly<Record<string, Verdict['kind']>> = { _or: 'any', _and: 'all', _not: 'not' }

function wantedOf({ operand, expected, missing }: Node): string | null {
  if (missing !== undefined) return `${missing} is not set`
  return expected === undefined ? null : `${shown(operand)} is ${shown(expected)}`
}

function verdictOf(node: Node): Verdict {
  const { at, verdict, column, operator, operand, actual, nodes = [] } = node
  const name = lastName(at)
  const isElement = at.endsWith(']')
  const kind = nodes.length === 0 ? 'test' : ((isElement ? undefined : groupKinds[name]) ?? 'all')
  const parts = nodes.map(verdictOf)
  const [only] = parts
  // A column is shown with the relationships that lead to it.
  if (kind === 'all' && only && parts.length === 1 && name !== '_exists') return only
  const tested = operator === undefined ? null : testText(column ?? name, operator, operand)
  return {
    kind,
    text: tested ?? (kind === 'test' ? at : groupKinds[name] || isElement || name === 'filter' ? '' : name),
    wanted: wantedOf(node),
    actual: actual === undefined ? null : Array.isArray(actual) ? actual.map(shown) : [shown(actual)],
    holds: verdict === true,
    parts,
  }
}

/** The question about a row for an identity. */
export function accessQuestion(
  table: TableName,
  key: GridRow['key'],
  look: Identity,
  types: ReadonlyMap<string, string>,
): Asked {
  const named = Object.entries(key).map(([name, value]) => [name, argumentOf(value, types.get(name))] as const)
  const { [facts.roleHeader]: _, ...session } = identityHeaders(look)
  return { table, key: Object.fromEntries(named), role: look.role ?? '', session }
}

/** Whether a role gets each row: one request. */
export async function judgeAccess(asked: readonly Asked[], signal?: AbortSignal): Promise<readonly boolean[]> {
  const questions = asked.map((args) => ({ type: 'explain_access', args }))
  const answers = await run<readonly Answer[]>('bulk', questions, { signal })
  return answers.map(({ allowed }) => allowed)
}

/** The verdicts of a role's rules on a row. */
export async function explainAccess({ table, key, role, session }: Asked, signal?: AbortSignal): Promise<Access> {
  const { allowed, reason, rules } = await run<Answer>('explain_access', { table, key, role, session }, { signal })
  return {
    isAllowed: allowed,
    reason,
    rules: rules.map((rule) => ({ role: rule.role, verdict: verdictOf(rule) })),
  }
}
