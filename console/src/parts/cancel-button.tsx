import type { Draft } from '../base/kept-form.ts'
import { Button } from './button.tsx'

interface CancelButtonProps {
  /** Absent: the form keeps nothing. */
  readonly draft?: Draft | undefined
  readonly label?: string
  onClose(): void
}

/** Closes a form, and gives up the text that is kept of it. */
export function CancelButton({ draft, label = 'Cancel', onClose }: CancelButtonProps) {
  const cancel = () => {
    draft?.forget()
    onClose()
  }
  return <Button onClick={cancel}>{label}</Button>
}
