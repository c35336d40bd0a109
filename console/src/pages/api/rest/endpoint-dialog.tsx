import { useState } from 'react'
import { useStore } from '../../../base/store.ts'
import { Button } from '../../../parts/button.tsx'
import { Code } from '../../../parts/code.tsx'
import { DestroyButton } from '../../../parts/destroy-button.tsx'
import { Dialog } from '../../../parts/dialog.tsx'
import { Select } from '../../../parts/field.tsx'
import { JsonTree } from '../../../parts/json-tree.tsx'
import { Failed } from '../../../parts/states.tsx'
import { useAttempt } from '../../../parts/use-attempt.ts'
import { useEdit } from '../../../parts/use-edit.ts'
import { identity } from '../../../requests/identity.ts'
import { readOnly } from '../../../requests/mode.ts'
import { send } from '../../../requests/send.ts'
import type { Metadata } from '../../../server/queries.ts'
import css from '../api.module.css'
import { queryOf } from './rest-model.ts'
import { exampleFor, isMutation, type Method, type RestEndpoint, requestTo, valuesIn } from './rest-request.ts'

interface EndpointDialogProps {
  readonly endpoint: RestEndpoint
  readonly metadata: Metadata
  onClose(): void
}

/** An endpoint with its query; it is tried as the identity at the top, and removed. */
export function EndpointDialog({ endpoint, metadata, onClose }: EndpointDialogProps) {
  const { name, url, comment } = endpoint
  const canEdit = useStore(readOnly) === null
  const as = useStore(identity)
  const query = queryOf(metadata, endpoint) ?? ''
  const [method, setMethod] = useState<Method>(endpoint.methods[0] ?? 'GET')
  const [values, setValues] = useState(() => exampleFor(endpoint, query))
  const [answer, setAnswer] = useState<{ readonly body: unknown } | null>(null)
  const trial = useAttempt()
  const removal = useEdit()
  const call = () =>
    trial.attempt(async () => {
      setAnswer(null)
      const request = requestTo(endpoint, method, valuesIn(values))
      setAnswer(await send({ ...request, as, isEdit: isMutation(query) }))
    })
  const remove = async () => {
    const operations = [{ type: 'drop_rest_endpoint', args: { name } }]
    if (await removal.save({ title: `Remove ${name}`, base: metadata, operations, done: `Removed ${name}` })) onClose()
  }
  return (
    <Dialog
      isOpen
      isWide
      title={name}
      description={comment ?? `api/rest/${url}, as ${as.role ?? 'admin'}`}
      onClose={onClose}
      actions={
        <>
          {canEdit && (
            <DestroyButton name={name} isBusy={removal.isBusy} onClick={() => void remove()}>
              Remove endpoint
            </DestroyButton>
          )}
          <Button onClick={onClose}>Close</Button>
          <Button look="main" isBusy={trial.isBusy} onClick={() => void call()}>
            Send request
          </Button>
        </>
      }
    >
      {removal.error !== null && <Failed error={removal.error} />}
      <Code label="Query" language="graphql" value={query} />
      {endpoint.methods.length > 1 && (
        <Select<Method>
          label="Method"
          value={method}
          options={endpoint.methods.map((value) => ({ value, label: value }))}
          onChange={setMethod}
        />
      )}
      <h3 className={css['heading']}>Variables</h3>
      <Code label="Variables" language="json" value={values} onChange={setValues} />
      {trial.error !== null && <Failed error={trial.error} />}
      {answer && <JsonTree label="Answer" value={answer.body} />}
    </Dialog>
  )
}
