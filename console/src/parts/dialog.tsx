import { Dialog as BaseDialog } from '@base-ui/react/dialog'
import { type ReactNode, useRef } from 'react'
import css from './dialog.module.css'

interface DialogProps {
  readonly isOpen: boolean
  readonly title: string
  readonly description?: ReactNode
  /** Buttons, the main one last. */
  readonly actions?: ReactNode
  readonly children?: ReactNode
  readonly isWide?: boolean
  /** Whether it is as tall as the page whatever its content: a form that grows moves nothing then. */
  readonly isTall?: boolean
  onClose(): void
}

const fields = 'input:enabled, textarea:enabled, [contenteditable=true], button[role=combobox]:enabled'

/** A dialog over the page. */
export function Dialog(props: DialogProps) {
  const { isOpen, title, description, actions, children, isWide = false, isTall = false, onClose } = props
  const popup = useRef<HTMLDivElement>(null)
  return (
    // A click beside a form never discards typed texts.
    <BaseDialog.Root
      open={isOpen}
      onOpenChange={(opens) => !opens && onClose()}
      disablePointerDismissal={actions !== undefined}
    >
      <BaseDialog.Portal>
        <BaseDialog.Backdrop className={css['veil']} />
        <BaseDialog.Popup
          ref={popup}
          className={`${css['dialog']} ${isWide ? css['wide'] : ''} ${isTall ? css['tall'] : ''}`}
          initialFocus={(way) => (way === 'touch' ? popup.current : beginningOf(popup.current))}
        >
          <BaseDialog.Title className={css['title']}>{title}</BaseDialog.Title>
          {description && <BaseDialog.Description className={css['description']}>{description}</BaseDialog.Description>}
          {children && <div className={css['content']}>{children}</div>}
          {actions && <div className={css['actions']}>{actions}</div>}
        </BaseDialog.Popup>
      </BaseDialog.Portal>
    </BaseDialog.Root>
  )
}

/** Where the focus begins. The first button would throw a draft away. */
const beginningOf = (popup: HTMLElement | null): HTMLElement | true | null =>
  popup?.querySelector('[data-draft]') ? (popup.querySelector<HTMLElement>(fields) ?? popup) : true
