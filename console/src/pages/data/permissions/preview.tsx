import { useQuery } from '@tanstack/react-query'
import { useMemo, useState } from 'react'
import { facts } from '../../../base/facts.ts'
import { formatCount } from '../../../base/format.ts'
import { useStore } from '../../../base/store.ts'
import { Field } from '../../../parts/field.tsx'
import { asFailure } from '../../../requests/failure.ts'
import { identity } from '../../../requests/identity.ts'
import { run } from '../../../server/operations.ts'
import { readValue } from '../rows/filter.ts'
import type { BrowsedRows } from '../rows/model.ts'
import type { TableInfo } from '../table-info.ts'
import { typesOf } from '../types.ts'
import css from './permissions.module.css'

interface PreviewProps {
  readonly info: TableInfo
  readonly role: string
  readonly rule: unknown
}

/** Milliseconds that an exact count may take. */
const countMillis = 500

const variable = /^x-(?:service|hasura)-(.+)$/i

/** The rule with values in the place of session variables, and all variables in it. */
function resolved(
  rule: unknown,
  values: Readonly<Record<string, string>>,
  types: ReadonlyMap<string, string>,
): { where: unknown; names: readonly string[] } {
  const names = new Set<string>()
  const replace = (value: unknown, column: string | undefined): unknown => {
    if (Array.isArray(value)) return value.map((each) => replace(each, column))
    if (typeof value === 'object' && value !== null) {
      const entries = Object.entries(value).map(([key, inner]) => [
        key,
        replace(inner, key.startsWith('_') || key.startsWith('$') ? column : key),
      ])
      return Object.fromEntries(entries)
    }
    const [, name] = (typeof value === 'string' && variable.exec(value)) || []
    if (name === undefined) return value
    names.add(name.toLowerCase())
    return readValue(values[name.toLowerCase()] ?? '', column === undefined ? undefined : types.get(column), false)
  }
  return { where: replace(rule, undefined), names: [...names] }
}

/** How many rows a rule lets through, counted with values for its session variables. */
export function Preview({ info, role, rule }: PreviewProps) {
  const { variables } = useStore(identity)
  const [given, setGiven] = useState<Readonly<Record<string, string>>>({})
  const types = useMemo(() => typesOf(info), [info])
  const values = useMemo(() => ({ ...lowered(variables), ...given }), [variables, given])
  const { where, names } = useMemo(() => resolved(rule, values, types), [rule, values, types])
  const missing = names.filter((name) => !values[name])
  const count = (condition: unknown) => ({
    queryKey: ['preview', info.name, condition],
    enabled: missing.length === 0,
    retry: false,
    queryFn: async ({ signal }: { signal: AbortSignal }) => {
      const args = { table: info.name, columns: [info.columns[0]?.name], where: condition, limit: 1 }
      const options = { count: { exact_within_ms: countMillis } }
      return (await run<BrowsedRows>('browse_rows', { ...args, ...options }, { signal })).count ?? null
    },
  })
  const seen = useQuery(count(where))
  const all = useQuery(count({}))
  return (
    <div className={css['preview']}>
      {names.map((name) => (
        <Field
          key={name}
          label={`Try with ${facts.variablePrefix}${name}`}
          value={values[name] ?? ''}
          onChange={({ target }) => setGiven({ ...given, [name]: target.value })}
        />
      ))}
      {missing.length > 0 && <p>A value shows how many rows {role} gets.</p>}
      {seen.isError && <p className={css['fault']}>{asFailure(seen.error).message}</p>}
      {missing.length === 0 && (seen.data === null || all.data === null) && (
        <p>The table is too large to count at once.</p>
      )}
      {missing.length === 0 && seen.data && all.data && (
        <p role="status">
          {role} gets <strong>{formatCount(seen.data.value)}</strong> of {formatCount(all.data.value)} rows.
        </p>
      )}
    </div>
  )
}

const lowered = (variables: Readonly<Record<string, string>>): Readonly<Record<string, string>> =>
  Object.fromEntries(Object.entries(variables).map(([name, value]) => [name.toLowerCase(), value]))
