import type { ReactNode } from 'react'
import type { Draft } from '../../../base/kept-form.ts'
import { Button } from '../../../parts/button.tsx'
import { CancelButton } from '../../../parts/cancel-button.tsx'
import { DraftNote } from '../../../parts/draft-note.tsx'
import { Failed } from '../../../parts/states.tsx'
import css from './relations.module.css'

interface RelationshipFormProps {
  /** The words of the button that saves. */
  readonly submit: string
  readonly isBusy: boolean
  readonly disabled: boolean
  /** Null: nothing failed. */
  readonly error: unknown
  readonly draft: Draft
  readonly children: ReactNode
  onSubmit(): void
  onClose(): void
}

/** A form that saves one relationship. */
export function RelationshipForm(props: RelationshipFormProps) {
  const { submit, isBusy, disabled, error, draft, children, onSubmit, onClose } = props
  return (
    <form
      className={css['form']}
      onSubmit={(event) => {
        event.preventDefault()
        onSubmit()
      }}
    >
      {error !== null && <Failed error={error} />}
      <DraftNote draft={draft} />
      {children}
      <div className={css['end']}>
        <CancelButton draft={draft} onClose={onClose} />
        <Button type="submit" look="main" isBusy={isBusy} disabled={disabled}>
          {submit}
        </Button>
      </div>
    </form>
  )
}
