import type { ComponentProps } from 'react'
import type { Draft } from '../base/kept-form.ts'
import { Button } from './button.tsx'
import { CancelButton } from './cancel-button.tsx'
import { DestroyButton } from './destroy-button.tsx'
import { Dialog } from './dialog.tsx'
import { DraftNote } from './draft-note.tsx'
import { Failed } from './states.tsx'

interface FormDialogProps extends Omit<ComponentProps<typeof Dialog>, 'isOpen' | 'actions'> {
  readonly isOpen?: boolean
  /** The words of the main button: a verb with its object. */
  readonly submit: string
  /** The name of the thing that goes, or the number of several. Absent: nothing is destroyed. */
  readonly destroys?: string
  readonly isBusy?: boolean
  readonly disabled?: boolean
  /** Null: nothing failed. */
  readonly error?: unknown
  onSubmit(): void
  /** The draft of the form, which "Cancel" gives up; absent: the form keeps nothing. */
  readonly draft?: Draft
}

/** A dialog that asks for one action: its form, the error of the last attempt, "Cancel", and the button that acts. */
export function FormDialog(props: FormDialogProps) {
  const {
    isOpen = true,
    submit,
    destroys,
    isBusy = false,
    disabled = false,
    error = null,
    onSubmit,
    draft,
    children,
    ...dialog
  } = props
  const button = { isBusy, disabled, onClick: () => onSubmit(), children: submit }
  return (
    <Dialog
      {...dialog}
      isOpen={isOpen}
      actions={
        <>
          <CancelButton draft={draft} onClose={dialog.onClose} />
          {destroys === undefined ? <Button {...button} look="main" /> : <DestroyButton {...button} name={destroys} />}
        </>
      }
    >
      {(error !== null || children) && (
        <>
          {error !== null && <Failed error={error} />}
          {draft && <DraftNote draft={draft} />}
          {children}
        </>
      )}
    </Dialog>
  )
}
