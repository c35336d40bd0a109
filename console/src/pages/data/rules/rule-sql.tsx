import { useQuery } from '@tanstack/react-query'
import { facts } from '../../../base/facts.ts'
import { newId } from '../../../base/ids.ts'
import { Code } from '../../../parts/code.tsx'
import { Empty, Failed, Loading } from '../../../parts/states.tsx'
import type { TableEntry } from '../../../server/queries.ts'
import { useCanTry } from '../../../server/queries.ts'
import { simulate } from '../../../server/simulate.ts'
import { rootFieldOf } from '../relations/relationships.ts'
import css from './rule-builder.module.css'
import { shownVariable } from './shown-variable.ts'
import { brokenLines, conditionIn } from './sql-text.ts'
import { variablesIn } from './variables.ts'

interface RuleSqlProps {
  readonly label: string
  readonly entry: TableEntry
  readonly rule: unknown
}

/** The answer of a query that is explained. */
type Statements = readonly { readonly sql: string | null }[]

/** The condition that a rule becomes, which the server tells: the rule is given to a scratch role, and taken back. */
export function RuleSql({ label, entry, rule }: RuleSqlProps) {
  const canTry = useCanTry()
  const key = ['simulation', 'rule-sql', entry.table, rule]
  const sql = useQuery({
    ...{ queryKey: key, enabled: canTry, retry: false, gcTime: 60_000 },
    queryFn: async ({ signal }) => {
      const role = `rule_sql_${newId().slice(0, 8)}`
      const permission = { columns: '*', filter: rule }
      // Variables stand for themselves: the text has their names.
      const named = variablesIn(rule).map((name) => [facts.variablePrefix + name, shownVariable(name)])
      const { answers } = await simulate<Statements>({
        changes: [{ type: 'create_select_permission', args: { table: entry.table, role, permission } }],
        ask: [
          {
            session: { ...Object.fromEntries(named), [facts.roleHeader]: role },
            graphql: { query: `{ ${rootFieldOf(entry)} { __typename } }` },
            explain: true,
          },
        ],
        signal,
      })
      const answer = answers[0]?.after
      if (!answer || 'error' in answer) throw new Error(answer?.error.error ?? 'the server answered nothing')
      return conditionIn(answer.result[0]?.sql ?? '')
    },
  })
  if (!canTry)
    return (
      <Empty title="Rules cannot be tried here">The server lacks the plugin simulate, or the secret only reads.</Empty>
    )
  if (sql.isPending) return <Loading label="Asking for the SQL" queryKey={key} />
  if (sql.isError) return <Failed error={sql.error} onRetry={() => void sql.refetch()} />
  if (sql.data === null) return <p className={css['note']}>There is no condition: every row.</p>
  return (
    <>
      <Code label={`${label}, as SQL`} language="sql" value={brokenLines(`where ${sql.data}`)} />
      <p className={css['note']}>SQL cannot be turned into a rule, so it can only be read.</p>
    </>
  )
}
