// `$patch` of `update`: changes within values of jsonb, as RFC 6902 has them.

import { badRequest, within } from '../../sdk/index.ts'
import type { ColumnModel } from '../../sdk/metadata.ts'
import { type Assignment, codecFor, constantValue, encodeArray, param, type Sql, sql } from '../../sdk/sql.ts'
import { parsing } from './caller.ts'

const kinds = ['add', 'remove', 'replace', 'test'] as const

/** An operation with its pointer as a list of keys, and its value as JSON. */
interface Step {
  readonly op: (typeof kinds)[number]
  readonly keys: readonly string[]
  /** Of `remove`: absent. */
  readonly value: string | undefined
}

/** The operand of operators without one. */
export const nothing = constantValue(null, 'text')

/** The column with these operations applied to its value; null for rows to which one of them does not apply. */
export function patchAssignment(operations: unknown, column: ColumnModel): Assignment {
  if (!Array.isArray(operations) || operations.length === 0)
    throw badRequest('unexpected-payload', 'expecting a list of operations')
  const steps = operations.map((operation: unknown, i) => within(i, () => stepOf(operation, column)))
  return { column: column.name, operator: '_patch', value: nothing, build: (old) => patchedSql(old, steps) }
}

function stepOf(operation: unknown, { type }: ColumnModel): Step {
  const { op, path, ...rest } = Object(operation) as Readonly<Record<string, unknown>>
  const kind = kinds.find((each) => each === op)
  if (!kind) throw badRequest('unexpected-payload', `expecting one of "${kinds.join('", "')}"`, { path: ['op'] })
  const keys = within('path', () => keysOf(path))
  if (kind === 'remove') {
    if (keys.length > 0) return { op: kind, keys, value: undefined }
    throw badRequest('unexpected-payload', 'the whole value cannot be removed', { path: ['path'] })
  }
  if (!Object.hasOwn(rest, 'value')) throw badRequest('unexpected-payload', `"${kind}" needs a value`)
  return { op: kind, keys, value: within('value', () => parsing(() => codecFor(type).encode(rest['value']))) }
}

/** The keys of a JSON Pointer, RFC 6901. */
function keysOf(pointer: unknown): readonly string[] {
  if (typeof pointer === 'string' && /^(\/([^~\0]|~[01])*)?$/.test(pointer)) {
    const keys = pointer.split('/').slice(1)
    return keys.map((key) => key.replaceAll('~1', '/').replaceAll('~0', '~'))
  }
  throw badRequest('unexpected-payload', `${JSON.stringify(pointer)} is not a JSON Pointer`)
}

/**
 * Each step sees the result of the one before. Subqueries name that result, so that it is computed once. The empty path
 * decompresses the stored value, which each test would do otherwise.
 */
const patchedSql = (old: Sql, steps: readonly Step[]): Sql =>
  steps.reduce(
    (value, step) => sql`(select ${stepSql(step)} from (select ${value} as v offset 0) as patched)`,
    sql`${old} #> '{}'`,
  )

/** The value after a step. A step never fails in the database: that would tell of rows that the role may not read. */
function stepSql({ op, keys, value }: Step): Sql {
  const path = pathSql(keys)
  const json = param({ from: 'constant', value: value ?? null }, 'jsonb')
  const there = sql`patched.v #> ${path}`
  switch (op) {
    case 'test':
      return sql`case when ${there} = ${json}${onlyKeys(keys)} then patched.v end`
    case 'remove':
      return sql`case when ${there} is not null${onlyKeys(keys)} then patched.v #- ${path} end`
    case 'replace':
      return sql`case when ${there} is not null${onlyKeys(keys)} then ${setSql(keys, json)} end`
    case 'add':
      return addSql(keys, json)
    default:
      return op satisfies never
  }
}

/** `jsonb_set` cannot replace a whole value. */
const setSql = (keys: readonly string[], json: Sql): Sql =>
  keys.length === 0 ? json : sql`jsonb_set(patched.v, ${pathSql(keys)}, ${json})`

/** Sets the member of an object, or inserts into an array. */
function addSql(keys: readonly string[], json: Sql): Sql {
  const last = keys.at(-1)
  if (last === undefined) return sql`case when patched.v is not null then ${json} end`
  const parents = keys.slice(0, -1)
  const parent = sql`patched.v #> ${pathSql(parents)}`
  const inserted = sql`when 'array' then ${insertSql(parents, last, json)}`
  const cases = sql`when 'object' then ${setSql(keys, json)} ${isEnd(last) || isIndex(last) ? inserted : sql``}`
  return sql`case when true${onlyKeys(parents)} then case jsonb_typeof(${parent}) ${cases} end end`
}

function insertSql(parents: readonly string[], last: string, json: Sql): Sql {
  // The end of an array is after its last element.
  if (isEnd(last)) return sql`jsonb_insert(patched.v, ${pathSql([...parents, '-1'])}, ${json}, true)`
  const size = sql`jsonb_array_length(patched.v #> ${pathSql(parents)})`
  const index = param({ from: 'constant', value: last }, 'integer')
  return sql`case when ${size} >= ${index} then jsonb_insert(patched.v, ${pathSql([...parents, last])}, ${json}) end`
}

const pathSql = (keys: readonly string[]): Sql => param({ from: 'constant', value: encodeArray(keys) }, 'text[]')

const isEnd = (key: string): boolean => key === '-'

/** Longer arrays do not fit into a jsonb. */
const isIndex = (key: string): boolean => /^(0|[1-9]\d{0,8})$/.test(key)

/** PostgreSQL reads other numbers as indexes too, such as `-1` and `01`. They are keys of objects alone. */
function onlyKeys(keys: readonly string[]): Sql {
  const odd = keys.flatMap((key, i) => (/^\s*[+-]?\d/.test(key) && !isIndex(key) ? [i] : []))
  return odd.reduce(
    (all, i) => sql`${all} and jsonb_typeof(patched.v #> ${pathSql(keys.slice(0, i))}) = 'object'`,
    sql``,
  )
}
