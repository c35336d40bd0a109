// The columns and relationships of a table for the builder of rules, with the operators of each column.

import { useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { memberOf } from '../../../base/members.ts'
import { type GivenTable, tableName } from '../../../server/names.ts'
import { graphql } from '../../../server/operations.ts'
import { entryOf, metadataQuery, type TableEntry, useApi } from '../../../server/queries.ts'
import { type TableRelationship, tableRelationships } from '../relations/relationships.ts'
import { tableInfoQuery } from '../table-info.ts'
import { typesOf } from '../types.ts'
import { isTableName, type Meaning } from './rule-tree.ts'

/** A column that rules compare. */
export interface RuleColumn {
  readonly name: string
  /** PostgreSQL's name, as rows have it. */
  readonly type: string
  readonly operators: readonly string[]
}

/** The members that a rule on a table may have. */
export interface RuleFields {
  readonly columns: ReadonlyMap<string, RuleColumn>
  readonly relationships: ReadonlyMap<string, TableRelationship>
  readonly meaning: Meaning
}

interface InputField {
  readonly name: string
  readonly type: { readonly name: string | null; readonly inputFields: readonly { readonly name: string }[] | null }
}

/** Operators that compare two columns: for rules alone, not for queries. */
const betweenColumns = ['_ceq', '_cne', '_cgt', '_clt', '_cgte', '_clte']
/** Operators of every type, where the schema does not tell. */
const general = ['_eq', '_neq', '_in', '_nin', '_is_null', '_gt', '_lt', '_gte', '_lte']
/** The most used ones come first. */
const order = [...general, '_like', '_ilike', '_nlike', '_nilike', '_regex', '_iregex', '_contains', '_has_key']

const rank = (operator: string): number => {
  const at = order.indexOf(operator)
  return at < 0 ? order.length : at
}

interface Configuration {
  readonly custom_name?: string
  readonly custom_column_names?: Readonly<Record<string, string>>
  readonly column_config?: Readonly<Record<string, { readonly custom_name?: string }>>
}

const configurationOf = (entry: TableEntry): Configuration => (entry['configuration'] ?? {}) as Configuration

/** The name of a table's GraphQL types. */
export function typeNameOf(entry: TableEntry): string {
  const { schema, name } = tableName(entry.table)
  return configurationOf(entry).custom_name ?? (schema === 'public' ? name : `${schema}_${name}`)
}

const comparisonsQuery = (typeName: string) => ({
  queryKey: ['rule-operators', typeName],
  staleTime: 60_000,
  queryFn: async ({ signal }: { readonly signal: AbortSignal }) => {
    const query =
      'query operators($name: String!) { type: __type(name: $name) { inputFields { name type { name inputFields { name } } } } }'
    const { body } = await graphql<{ readonly type: { readonly inputFields: readonly InputField[] } | null }>(
      { query, variables: { name: `${typeName}_bool_exp` }, operationName: 'operators' },
      { signal },
    )
    const fields = body.data?.type?.inputFields ?? []
    return Object.fromEntries(fields.map(({ name, type }) => [name, type.inputFields?.map((each) => each.name) ?? []]))
  },
})

/** The members of rules on a table; null: they are read. */
export function useRuleFields(given: unknown): RuleFields | null {
  const isNamed = isTableName(given)
  const table = tableName(isNamed ? (given as GivenTable) : '')
  const info = useQuery({ ...tableInfoQuery(table), enabled: isNamed })
  const metadata = useQuery(metadataQuery)
  const entry = metadata.data && entryOf(metadata.data, table)
  const canAsk = useApi('graphql') && entry !== undefined
  const typeName = entry ? typeNameOf(entry) : ''
  const operators = useQuery({ ...comparisonsQuery(typeName), enabled: canAsk })
  return useMemo(() => {
    if (!info.data) return null
    const { custom_column_names: names = {}, column_config: config = {} } = entry ? configurationOf(entry) : {}
    const types = typesOf(info.data)
    const columns = new Map(
      info.data.columns.map(({ name }) => {
        const field = memberOf(config, name)?.custom_name ?? memberOf(names, name) ?? name
        const known = (operators.data && memberOf(operators.data, field)) ?? general
        const sorted = [...known].sort((a, b) => rank(a) - rank(b))
        return [name, { name, type: types.get(name)!, operators: [...sorted, ...betweenColumns] }]
      }),
    )
    const relationships = new Map(
      entry ? tableRelationships(entry, info.data).map((each) => [each.name, each] as const) : [],
    )
    const meaning = (name: string) =>
      columns.has(name) ? ('column' as const) : relationships.has(name) ? ('related' as const) : undefined
    return { columns, relationships, meaning }
  }, [info.data, entry, operators.data])
}
