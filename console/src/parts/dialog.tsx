import { Dialog as BaseDialog } from '@base-ui/react/dialog'
import type { ReactNode } from 'react'
import css from './dialog.module.css'

interface DialogProps {
  readonly isOpen: boolean
  readonly title: string
  readonly description?: ReactNode
  /** Buttons, the main one last. */
  readonly actions?: ReactNode
  readonly children?: ReactNode
  readonly isWide?: boolean
  onClose(): void
}

/** A dialog over the page. */
export const Dialog = ({ isOpen, title, description, actions, children, isWide = false, onClose }: DialogProps) => (
  // A click beside a form never discards typed texts.
  <BaseDialog.Root
    open={isOpen}
    onOpenChange={(opens) => !opens && onClose()}
    disablePointerDismissal={actions !== undefined}
  >
    <BaseDialog.Portal>
      <BaseDialog.Backdrop className={css['veil']} />
      <BaseDialog.Popup className={`${css['dialog']} ${isWide ? css['wide'] : ''}`}>
        <BaseDialog.Title className={css['title']}>{title}</BaseDialog.Title>
        {description && <BaseDialog.Description className={css['description']}>{description}</BaseDialog.Description>}
        {children && <div className={css['content']}>{children}</div>}
        {actions && <div className={css['actions']}>{actions}</div>}
      </BaseDialog.Popup>
    </BaseDialog.Portal>
  </BaseDialog.Root>
)
