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
import { apolloOf, type GraphqlRequest, requestCode } from './operations.ts'

interface CodeDialogProps {
  readonly request: GraphqlRequest
  onClose(): void
}

/** Apollo has the hook, types are those of variables and answer. */
const forms = ['curl', 'fetch', 'Apollo', 'CLI', 'JSON', 'types'] as const

type Form = (typeof forms)[number]

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
  const text = () => {
    if (form === 'types') return types.data ?? ''
    return form === 'Apollo' ? apolloOf(request) : requestCode(request, as, form)
  }
  const code = text()
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
            disabled={code === ''}
            onClick={() =>
              void copyText(code).then(() => toast(form === 'types' ? 'Copied the types' : `Copied as ${form}`))
            }
          >
            Copy {form === 'types' ? 'types' : `as ${form}`}
          </Button>
        </>
      }
    >
      <Tabs<Form> label="Form" value={form} tabs={forms.map((value) => ({ value, label: value }))} onChange={setForm}>
        <div className={css['coded']}>
          {form === 'types' && types.isPending && <Loading label="Reading the types" />}
          {form === 'types' && types.isError ? (
            <Failed error={types.error} onRetry={() => void types.refetch()} />
          ) : (
            <Code label={`Code, ${form}`} language="text" value={code} />
          )}
        </div>
      </Tabs>
    </Dialog>
  )
}
