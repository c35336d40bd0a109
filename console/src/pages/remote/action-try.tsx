import { useState } from 'react'
import { facts } from '../../base/facts.ts'
import { parseExactly } from '../../base/json.ts'
import { useStore } from '../../base/store.ts'
import { Button } from '../../parts/button.tsx'
import { Code } from '../../parts/code.tsx'
import { Field } from '../../parts/field.tsx'
import { JsonTree } from '../../parts/json-tree.tsx'
import { Failed } from '../../parts/states.tsx'
import { useAttempt } from '../../parts/use-attempt.ts'
import { type Identity, identity, identityHeaders } from '../../requests/identity.ts'
import { graphql, run } from '../../server/operations.ts'
import type { Metadata } from '../../server/queries.ts'
import type { Action } from './action-types.ts'
import { customTypesOf } from './actions.ts'
import css from './remote.module.css'
import { callOf, exampleOf } from './sdl.ts'

interface ActionTryProps {
  readonly action: Action
  readonly base: Metadata
}

/** The answer of `test_webhook`. */
interface Exchange {
  readonly status: number | null
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | null
  readonly error: string | null
  readonly seconds: number
}

/** Calls the action as a role, or its webhook alone. */
export function ActionTry({ action, base }: ActionTryProps) {
  const types = customTypesOf(base)
  const current = useStore(identity)
  const [role, setRole] = useState(current.role ?? '')
  const [variables, setVariables] = useState(JSON.stringify(current.variables))
  const [query, setQuery] = useState(() => callOf(action, types))
  const [input, setInput] = useState(() => JSON.stringify(exampleOf(action, types), null, 2))
  const [answer, setAnswer] = useState<unknown>(null)
  const [exchanged, setExchanged] = useState<{ readonly sent: unknown; readonly got: Exchange } | null>(null)
  const { isBusy, error, attempt } = useAttempt()
  const { handler } = action.definition
  const attemptAs = (work: (as: Identity) => Promise<void>) =>
    attempt(async () => {
      const name = role.trim()
      await work({ role: name === '' || name === 'admin' ? null : name, variables: JSON.parse(variables) })
    })
  const call = () =>
    attemptAs(async (as) => {
      const { body } = await graphql({ query, variables: parseExactly(input) }, { as })
      setAnswer(body)
    })
  const send = () =>
    attemptAs(async (as) => {
      const session = as.role === null ? { [facts.roleHeader]: 'admin' } : identityHeaders(as)
      const payload = {
        ...{ action: { name: action.name }, input: parseExactly(input) },
        ...{ session_variables: session, request_query: query },
      }
      const got = await run<Exchange>('test_webhook', { url: handler, payload })
      setExchanged({ sent: payload, got })
    })
  return (
    <div className={css['form']}>
      <div className={css['fields']}>
        <Field label="As role" placeholder="admin" value={role} onChange={({ target }) => setRole(target.value)} />
        <Field
          label={`Session variables, without ${facts.variablePrefix}`}
          isCode
          placeholder='{"user-id": "2"}'
          value={variables}
          onChange={({ target }) => setVariables(target.value)}
        />
      </div>
      <Code label="Operation" language="graphql" value={query} onChange={setQuery} />
      <Code label="Arguments" language="json" value={input} onChange={setInput} />
      <div className={css['buttons']}>
        <Button isBusy={isBusy} onClick={() => void call()}>
          Call the action
        </Button>
        {typeof handler === 'string' && !handler.includes('{{') && (
          <Button isBusy={isBusy} onClick={() => void send()}>
            Send to the webhook alone
          </Button>
        )}
      </div>
      {error !== null && <Failed error={error} />}
      {answer !== null && <JsonTree label="Answer of the action" value={answer} />}
      {exchanged && (
        <div className={css['answers']}>
          <div>
            <p className={css['label']}>Sent</p>
            {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scroll area is reached by the keyboard. */}
            <pre className={css['value']} tabIndex={0}>
              {JSON.stringify(exchanged.sent, null, 2)}
            </pre>
          </div>
          <div>
            <p className={css['label']}>
              {exchanged.got.error ?? `Status ${exchanged.got.status ?? 'none'}`}, {exchanged.got.seconds} s
            </p>
            {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scroll area is reached by the keyboard. */}
            <pre className={css['value']} tabIndex={0}>
              {exchanged.got.body ?? ''}
            </pre>
          </div>
        </div>
      )}
    </div>
  )
}
