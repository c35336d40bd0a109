import type { ComponentProps, ReactNode } from 'react'
import { Mark } from './mark.tsx'
import css from './warning.module.css'

interface WarningProps extends Omit<ComponentProps<'div'>, 'className'> {
  /** The button of its remedy. */
  readonly action: ReactNode
}

/** A warning in a form, with the button of its remedy. */
export const Warning = ({ action, children, ...props }: WarningProps) => (
  <div {...props} className={css['warning']}>
    <Mark state="waiting">{children}</Mark>
    {action}
  </div>
)
