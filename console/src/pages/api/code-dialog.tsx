import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { copyText } from '../../base/clipboard.ts'
import { useStore } from '../../base/store.ts'
import { Button } from '../../parts/button.tsx'
import { Code } from '../../parts/code.tsx'
import { Dialog } from '../../parts/dialog.tsx'
import { Failed, Loading } from '../../parts/states.tsx'
import { Tabs } from '../../parts/tabs.tsx'
import { toast } from '../../parts/toast.tsx'
import { identity } from '../../requests/identity.ts'
import css from './api.module.css'
import { readType } from './introspection.ts'
import { apolloOf, curlOf, fetchOf, type GraphqlRequest } from './operations.ts'

interface CodeDialogProps {
  readonly request: GraphqlRequest
  onClose(): void
}

type Form = 'curl' | 'fetch' | 'Apollo' | 'types'

/** The same request for other clients, and the types of its answer. */
export function CodeDialog({ request, onClose }: CodeDialogProps) {
  const as = useStore(identity)
  const [form, setForm] = useState<Form>('curl')
  const types = useQuery({
    queryKey: ['types', request.query, as],
    enabled: form === 'types',
    retry: false,
    queryFn: async ({ signal }) => {
      const { typesOf } = await import('./answer-types.ts')
      return typesOf(request, (name) => readType(name, as, signal))
    },
  })
  const text = {
    curl: () => curlOf(request, as),
    fetch: () => fetchOf(request, as),
    Apollo: () => apolloOf(request),
    types: () => types.data ?? '',
  }[form]()
  return (
    <Dialog
      isOpen
      isWide
      title="The same request elsewhere"
      description={
        form === 'types'
          ? 'The types of the variables and the answer, as the role sees them.'
          : 'The secret is a variable of the environment.'
      }
      onClose={onClose}
      actions={
        <>
          <Button onClick={onClose}>Close</Button>
          <Button
            look="main"
            disabled={text === ''}
            onClick={() => void copyText(text).then(() => toast(`Copied ${form}`))}
          >
            Copy {form === 'types' ? 'types' : `for ${form}`}
          </Button>
        </>
      }
    >
      <Tabs<Form>
        label="Form"
        value={form}
        tabs={(['curl', 'fetch', 'Apollo', 'types'] as const).map((value) => ({ value, label: value }))}
        onChange={setForm}
      >
        <div className={css['coded']}>
          {form === 'types' && types.isPending && <Loading label="Reading the types" />}
          {form === 'types' && types.isError ? (
            <Failed error={types.error} onRetry={() => void types.refetch()} />
          ) : (
            <Code label={`Code, ${form}`} language="text" value={text} />
          )}
        </div>
      </Tabs>
    </Dialog>
  )
}
