import { useQuery } from '@tanstack/react-query'
import { type FormEvent, useId, useState } from 'react'
import { facts } from '../../base/facts.ts'
import { formatMillis, plural } from '../../base/format.ts'
import { marksBetween } from '../../base/json-marks.ts'
import { useStore } from '../../base/store.ts'
import { Button } from '../../parts/button.tsx'
import { Field } from '../../parts/field.tsx'
import { JsonTree } from '../../parts/json-tree.tsx'
import { Mark } from '../../parts/mark.tsx'
import { Empty, Failed, Loading } from '../../parts/states.tsx'
import { asFailure } from '../../requests/failure.ts'
import { admin, type Identity, identity, identityText } from '../../requests/identity.ts'
import { graphql } from '../../server/operations.ts'
import { metadataQuery, rolesOf } from '../../server/queries.ts'
import { useUrlState } from '../../shell/navigation.tsx'
import css from './api.module.css'
import { type GraphqlRequest, isSubscription } from './operations.ts'

interface Side {
  readonly as: Identity
  readonly body?: unknown
  readonly millis?: number
  readonly error?: unknown
}

interface TwoRolesProps {
  /** The request of the draft; null: it cannot be sent. */
  request(): GraphqlRequest | null
}

/** Variables of a text, as `user-id=2, org-id=5`. */
function variablesOf(text: string): Readonly<Record<string, string>> {
  const pairs = text.split(',').map((each) => each.split('='))
  const named = pairs.map(([name = '', ...value]) => [name.trim().toLowerCase(), value.join('=').trim()] as const)
  return Object.fromEntries(
    named.filter(([name]) => name !== '').map(([name, value]) => [name.replace(facts.variablePrefix, ''), value]),
  )
}

async function ask({ query, variables, operationName }: GraphqlRequest, as: Identity): Promise<Side> {
  try {
    const { body, millis } = await graphql(
      { query, ...(variables !== undefined && { variables }), ...(operationName !== undefined && { operationName }) },
      { as },
    )
    return { as, body, millis }
  } catch (error) {
    return { as, error }
  }
}

/** The operation as the identity at the top and as another role, side by side. */
export function TwoRoles({ request }: TwoRolesProps) {
  const roles = useQuery({ ...metadataQuery, select: rolesOf }).data ?? []
  const list = useId()
  const left = useStore(identity)
  const [role, setRole] = useUrlState('beside')
  const [variables, setVariables] = useState('')
  const [sides, setSides] = useState<readonly [Side, Side] | 'asking' | null>(null)
  const [fault, setFault] = useState<string | null>(null)
  const send = async (event: FormEvent) => {
    event.preventDefault()
    const asked = request()
    if (!asked) return
    if (isSubscription(asked)) return setFault('A subscription runs as one role at a time.')
    if (/(?:^|[\s}])mutation\b/.test(asked.query)) return setFault('A mutation would run twice.')
    setFault(null)
    setSides('asking')
    const name = role.trim()
    const right = name === '' || name === 'admin' ? admin : { role: name, variables: variablesOf(variables) }
    setSides(await Promise.all([ask(asked, left), ask(asked, right)]))
  }
  return (
    <>
      <form className={css['twin']} onSubmit={(event) => void send(event)}>
        <Field
          label={`Compare ${identityText(left)} with the role`}
          list={list}
          placeholder="admin"
          value={role}
          onChange={({ target }) => setRole(target.value)}
        />
        <datalist id={list}>
          {roles.map((name) => (
            <option key={name} value={name} />
          ))}
        </datalist>
        <Field
          label="Session variables"
          placeholder={`${facts.variablePrefix}user-id=2`}
          value={variables}
          onChange={({ target }) => setVariables(target.value)}
        />
        <Button type="submit" look="main" isBusy={sides === 'asking'}>
          Send as both
        </Button>
        {fault && (
          <p role="alert" className={css['fault']}>
            {fault}
          </p>
        )}
      </form>
      {sides === null && (
        <Empty title="Nothing sent yet">The same operation is sent as both, and their answers are compared.</Empty>
      )}
      {sides === 'asking' && <Loading label="Waiting for both answers" />}
      {sides !== null && sides !== 'asking' && <Compared sides={sides} />}
    </>
  )
}

function Compared({ sides: [left, right] }: { readonly sides: readonly [Side, Side] }) {
  const marks = marksBetween(left.body, right.body)
  const isSame = left.body !== undefined && marks.left.size + marks.right.size === 0
  return (
    <>
      <p className={css['bar']} role="status">
        {left.body === undefined || right.body === undefined ? (
          <Mark state="bad">there are not two answers to compare</Mark>
        ) : isSame ? (
          <Mark state="good">both answers are the same</Mark>
        ) : (
          <Mark state="info">
            the answers differ: {plural(marks.left.size, 'place')} in that of {identityText(left.as)},{' '}
            {marks.right.size} in that of {identityText(right.as)}
          </Mark>
        )}
      </p>
      <div className={css['twins']}>
        {[left, right].map((side, at) => (
          <section key={at} className={css['side']} aria-label={`Answer to ${identityText(side.as)}`}>
            <h3 className={css['label']}>
              {identityText(side.as)}
              {side.millis !== undefined && `, ${formatMillis(side.millis)}`}
            </h3>
            {side.error !== undefined ? (
              <Failed error={asFailure(side.error)} />
            ) : (
              <JsonTree
                label={`Answer to ${identityText(side.as)}`}
                value={side.body}
                marks={at === 0 ? marks.left : marks.right}
                markWord={`${identityText((at === 0 ? right : left).as)} does not get this`}
              />
            )}
          </section>
        ))}
      </div>
    </>
  )
}
