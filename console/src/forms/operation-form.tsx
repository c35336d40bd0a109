import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { parseExactly } from '../base/json.ts'
import { useKeptText } from '../base/kept-form.ts'
import { isObject } from '../base/objects.ts'
import { useStore } from '../base/store.ts'
import { Button } from '../parts/button.tsx'
import { Code } from '../parts/code.tsx'
import { DraftNote } from '../parts/draft-note.tsx'
import { JsonTree } from '../parts/json-tree.tsx'
import { Empty, Failed, Loading } from '../parts/states.tsx'
import { useAttempt } from '../parts/use-attempt.ts'
import { readOnly } from '../requests/mode.ts'
import { isEditing } from '../server/editing.ts'
import { type Api, type DescribedOperation, openapiQuery } from '../server/openapi.ts'
import { run } from '../server/operations.ts'
import { refreshMetadata, useCanTry } from '../server/queries.ts'
import { ArgumentsForm } from './arguments-form.tsx'
import { fieldsOf } from './field-kinds.ts'
import css from './forms.module.css'

interface OperationFormProps {
  readonly type: string
  /** Absent: the first. */
  readonly version?: number
}

/** The form of an operation, made of the server's description of it: run it, or try it without keeping anything. */
export function OperationForm({ type, version }: OperationFormProps) {
  const api = useQuery(openapiQuery)
  if (api.isPending) return <Loading label="Reading the operations" queryKey={openapiQuery.queryKey} />
  if (api.isError) return <Failed error={api.error} onRetry={() => void api.refetch()} />
  const versions = api.data.operations.filter((each) => each.type === type)
  const operation = versions.find((each) => each.version === version) ?? versions[0]
  if (!operation) {
    return <Empty title={`The server has no operation "${type}"`}>Its API may be closed, or its plugin absent.</Empty>
  }
  return <Form key={`${type} ${operation.version}`} api={api.data} operation={operation} />
}

interface Outcome {
  readonly title: string
  readonly body: unknown
}

const parsed = (text: string): unknown => {
  try {
    return parseExactly(text)
  } catch {
    return undefined
  }
}

function Form({ api, operation }: { readonly api: Api; readonly operation: DescribedOperation }) {
  const { type, version, summary } = operation
  const fields = fieldsOf(operation.args, api)
  const initial = fields === null ? JSON.stringify(operation.example, null, 2) : '{}'
  const { text, change: setText, draft } = useKeptText(`${type} ${version}`, initial)
  const [outcome, setOutcome] = useState<Outcome | null>(null)
  const { isBusy, error, attempt } = useAttempt()
  const isLocked = useStore(readOnly) !== null
  const args = parsed(text)
  const edits = isEditing({ type, args, version })
  const show = async (title: string, send: () => Promise<unknown>) =>
    setOutcome((await attempt(async () => ({ title, body: await send() }))) ?? null)
  const start = () =>
    show('Answer', async () => {
      const body = await run(type, args, version === 1 ? {} : { version })
      if (edits) {
        void refreshMetadata()
        draft.forget()
      }
      return body
    })
  const change = { type, args, ...(version !== 1 && { version }) }
  const simulate = () => show('Its effects', () => run('simulate', { changes: [change] }))
  const canTry = useCanTry()
  const canSimulate = edits && canTry && api.operations.some((each) => each.type === 'simulate') && type !== 'simulate'
  return (
    <div className={css['operation']}>
      <p className={css['summary']}>{summary}</p>
      <DraftNote draft={draft} />
      <div className={css['columns']}>
        {fields !== null && (
          <section aria-label="Arguments">
            {isObject(args) ? (
              <ArgumentsForm fields={fields} value={args} onChange={(next) => setText(JSON.stringify(next, null, 2))} />
            ) : (
              <p className={css['summary']}>The form comes back once the JSON is an object again.</p>
            )}
            {fields.length === 0 && <p className={css['summary']}>It takes no arguments.</p>}
          </section>
        )}
        <section aria-label="Arguments as JSON" className={css['json']}>
          <Code label="Arguments" language="json" value={text} onChange={setText} onRun={() => void start()} />
        </section>
      </div>
      <div className={css['actions']}>
        {edits && isLocked && <p>Nothing can be edited now.</p>}
        {canSimulate && (
          <Button isBusy={isBusy} disabled={args === undefined} onClick={() => void simulate()}>
            Simulate
          </Button>
        )}
        {!(edits && isLocked) && (
          <Button look="main" isBusy={isBusy} disabled={args === undefined} onClick={() => void start()}>
            Run {type}
          </Button>
        )}
      </div>
      {error !== null && <Failed error={error} />}
      {outcome && (
        <section aria-label={outcome.title} className={css['outcome']}>
          <h2 className={css['title']}>{outcome.title}</h2>
          <JsonTree label={outcome.title} value={outcome.body} openLevels={3} />
        </section>
      )}
    </div>
  )
}
