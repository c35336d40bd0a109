import { useQuery } from '@tanstack/react-query'
import { Check, X } from 'lucide-react'
import { useState } from 'react'
import { facts } from '../../../base/facts.ts'
import { Button } from '../../../parts/button.tsx'
import { Code } from '../../../parts/code.tsx'
import { Dialog } from '../../../parts/dialog.tsx'
import { Mark } from '../../../parts/mark.tsx'
import { type PlanNode, PlanTree } from '../../../parts/plan-tree.tsx'
import { Empty, Failed, Loading } from '../../../parts/states.tsx'
import { type Identity, identityHeaders } from '../../../requests/identity.ts'
import { send } from '../../../requests/send.ts'
import { tableLabel } from '../../../server/names.ts'
import { entryOf, type Metadata, type TableEntry } from '../../../server/queries.ts'
import { pathOf, useGo } from '../../../shell/navigation.tsx'
import { rootFieldOf } from '../relations/relationships.ts'
import type { GridRow } from '../rows/model.ts'
import { keyCondition } from '../rows/save.ts'
import type { TableInfo } from '../table-info.ts'
import { typesOf } from '../types.ts'
import { accessQuestion, explainAccess, type Verdict } from './explain-access.ts'
import css from './look-as.module.css'

interface WhyDialogProps {
  readonly info: TableInfo
  readonly metadata: Metadata
  readonly look: Identity
  readonly row: GridRow
  readonly isSeen: boolean
  onClose(): void
}

/** Why a role gets a row or not: its rule with a verdict on each condition. */
export function WhyDialog({ info, metadata, look, row, isSeen, onClose }: WhyDialogProps) {
  const go = useGo()
  const role = look.role ?? ''
  const entry = entryOf(metadata, info.name)
  const edit = (of: string) => {
    const path = pathOf('data', info.name.schema, info.name.name, 'permissions')
    go(`${path}?edit=${encodeURIComponent(`select ${of}`)}`)
  }
  const key = Object.entries(row.key).map(([name, value]) => `${name} ${value ?? 'NULL'}`)
  return (
    <Dialog
      isOpen
      isWide
      title={`${role} ${isSeen ? 'gets' : 'does not get'} ${tableLabel(info.name)} ${key.join(', ')}`}
      onClose={onClose}
      actions={
        <>
          <Button onClick={onClose}>Close</Button>
          <Button look="main" onClick={() => edit(role)}>
            Edit this rule
          </Button>
        </>
      }
    >
      <Reasons {...{ info, look, row }} />
      {entry && <Plan {...{ info, look, row, entry }} />}
    </Dialog>
  )
}

type ReasonsProps = Pick<WhyDialogProps, 'info' | 'look' | 'row'>

function Reasons({ info, look, row }: ReasonsProps) {
  const types = typesOf(info)
  const role = look.role ?? ''
  const key = ['access', info.name, row.key, look]
  const access = useQuery({
    queryKey: key,
    retry: false,
    queryFn: ({ signal }) => explainAccess(accessQuestion(info.name, row.key, look, types), signal),
  })
  if (access.isPending) return <Loading label="Asking for each condition" queryKey={key} />
  if (!access.data) return <Failed error={access.error} onRetry={() => void access.refetch()} />
  const { isAllowed, reason, rules } = access.data
  return (
    <>
      {(reason !== null || rules.length === 0) && (
        <p>
          <Mark state={isAllowed ? 'good' : 'bad'}>{reason ?? 'nothing hides the row'}</Mark>
        </p>
      )}
      {rules.map(({ role: source, verdict }) => (
        <section key={source} aria-label={`Rule of ${source}`}>
          {source !== role && <h3 className={css['label']}>{source}</h3>}
          {verdict.kind === 'test' && verdict.parts.length === 0 && verdict.actual === null ? (
            <Mark state={verdict.holds ? 'good' : 'bad'}>The rule lets all rows through.</Mark>
          ) : (
            <ul className={css['tree']} aria-label="Conditions">
              <Branch verdict={verdict} />
            </ul>
          )}
        </section>
      ))}
    </>
  )
}

const groupWords = { all: 'all of these', any: 'at least one of these', not: 'not this', test: '' } as const

const Branch = ({ verdict }: { readonly verdict: Verdict }) => {
  const { kind, text, wanted, actual, holds, parts } = verdict
  return (
    <li className={css['verdict']}>
      <span className={css['condition']} data-holds={holds || undefined}>
        {holds ? <Check aria-label="holds" /> : <X aria-label="fails" />}
        {kind === 'test' ? <code>{text}</code> : [text && `in ${text}`, groupWords[kind]].filter(Boolean).join(', ')}
      </span>
      {actual !== null && (
        <span className={css['actual']}>
          the row has <strong>{actual.length === 0 ? 'no value' : actual.join(', ')}</strong>
          {wanted !== null && `, ${wanted}`}
        </span>
      )}
      {parts.length > 0 && (
        <ul className={css['tree']}>
          {parts.map((part, at) => (
            <Branch key={`${at} ${part.text}`} verdict={part} />
          ))}
        </ul>
      )}
    </li>
  )
}

interface FieldPlan {
  readonly sql: string | null
  readonly plan: { readonly Plan: PlanNode } | null
}

/** The SQL and the plan for the row, as the role. */
function Plan({ info, look, row, entry }: ReasonsProps & { readonly entry: TableEntry }) {
  const [isAsked, setAsked] = useState(false)
  const key = ['access-plan', info.name, row.key, look]
  const plan = useQuery({
    queryKey: key,
    enabled: isAsked,
    retry: false,
    queryFn: async ({ signal }) => {
      const root = rootFieldOf(entry)
      const query = `query why($where: ${root}_bool_exp) { ${root}(where: $where) { __typename } }`
      const variables = { where: keyCondition(row.key, typesOf(info)) }
      const user = look.role === null ? { [facts.roleHeader]: 'admin' } : identityHeaders(look)
      const { body } = await send<FieldPlan | readonly FieldPlan[]>({
        ...{ name: 'explain', path: 'v1/graphql/explain', signal },
        body: { query: { query, variables, operationName: 'why' }, user, format: 'json' },
      })
      return [body].flat()[0] ?? null
    },
  })
  if (!isAsked) {
    return (
      <div>
        <Button onClick={() => setAsked(true)}>Show SQL and plan</Button>
      </div>
    )
  }
  if (plan.isPending) return <Loading label="Asking for the plan" queryKey={key} />
  if (plan.isError) return <Failed error={plan.error} onRetry={() => void plan.refetch()} />
  if (!plan.data?.sql) return <Empty title="There is no SQL">The role gets this without a statement.</Empty>
  return (
    <>
      <Code label="SQL" language="sql" value={plan.data.sql} />
      {plan.data.plan && <PlanTree plan={plan.data.plan.Plan} />}
    </>
  )
}
