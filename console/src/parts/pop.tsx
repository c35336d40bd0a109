import { Popover } from '@base-ui/react/popover'
import type { ReactNode } from 'react'
import button from './button.module.css'
import css from './pop.module.css'

interface PopProps {
  /** The words of the button that opens it. In a container named `folding` that is narrow, its icon stands alone. */
  readonly label: string
  /** The name of the content. */
  readonly title: string
  readonly icon?: ReactNode
  readonly isOpen: boolean
  onOpen(isOpen: boolean): void
  readonly children: ReactNode
}

/** A button that opens a small form beside it. */
export const Pop = ({ label, title, icon, isOpen, onOpen, children }: PopProps) => (
  <Popover.Root open={isOpen} onOpenChange={onOpen}>
    <Popover.Trigger
      title={title}
      className={`${button['button']} ${button['plain']} ${icon ? button['folding'] : ''}`}
    >
      {icon}
      <span className={button['word']}>{label}</span>
    </Popover.Trigger>
    <Popover.Portal>
      <Popover.Positioner sideOffset={4} align="start" className={css['positioner']}>
        <Popover.Popup className={css['popup']} aria-label={title}>
          {children}
        </Popover.Popup>
      </Popover.Positioner>
    </Popover.Portal>
  </Popover.Root>
)
