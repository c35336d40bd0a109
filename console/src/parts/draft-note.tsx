import type { Draft } from '../base/kept-form.ts'
import { Button } from './button.tsx'
import { Warning } from './warning.tsx'

/** Says that a form shows what was typed earlier, and offers to start over. */
export function DraftNote({ draft: { earlier, hasLost, restart } }: { readonly draft: Draft }) {
  if (earlier === null) return null
  return (
    <Warning role="status" data-draft action={<Button onClick={restart}>Start over</Button>}>
      {earlier === 'same'
        ? 'This was typed earlier, and is not saved.'
        : 'This was typed earlier. The saved one changed since.'}
      {hasLost && ' Values of headers and passwords are not kept: type them again.'}
    </Warning>
  )
}
