import type { ComponentProps } from 'react'
import { Button } from './button.tsx'
import { DestroyButton } from './destroy-button.tsx'
import { Dialog } from './dialog.tsx'
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
  /** The text of the form is given up, where it is kept otherwise; absent: the dialog closes alone. */
  onCancel?(): void
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
    onCancel,
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
          <Button
            onClick={() => {
              onCancel?.()
              dialog.onClose()
            }}
          >
            Cancel
          </Button>
          {destroys === undefined ? <Button {...button} look="main" /> : <DestroyButton {...button} name={destroys} />}
        </>
      }
    >
      {(error !== null || children) && (
        <>
          {error !== null && <Failed error={error} />}
          {children}
        </>
      )}
    </Dialog>
  )
}
