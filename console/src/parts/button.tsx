import type { ButtonHTMLAttributes, ReactNode } from 'react'
import css from './button.module.css'

interface ButtonProps extends Omit<ButtonHTMLAttributes<HTMLButtonElement>, 'className'> {
  /** `main`: the one main action of a view. `quiet`: without a border. */
  readonly look?: 'main' | 'plain' | 'quiet' | 'danger'
  readonly icon?: ReactNode
  /** While it works, the button says so and cannot be pressed again. */
  readonly isBusy?: boolean
  /** In a place that is too narrow for words, the icon stands alone. The place is a container named `folding`. */
  readonly isFolding?: boolean
}

/** A button: a verb with its object, as "Track 11 tables". */
export function Button({
  look = 'plain',
  icon,
  isBusy = false,
  isFolding = false,
  children,
  disabled,
  ...props
}: ButtonProps) {
  return (
    <button
      type="button"
      {...props}
      className={`${css['button']} ${css[look]} ${isFolding ? css['folding'] : ''}`}
      disabled={disabled || isBusy}
      aria-busy={isBusy || undefined}
    >
      {icon}
      {isFolding ? <span className={css['word']}>{children}</span> : children}
    </button>
  )
}

interface IconButtonProps extends Omit<ButtonHTMLAttributes<HTMLButtonElement>, 'className' | 'children'> {
  /** The word for the icon: its tooltip, and its name for screen readers. */
  readonly label: string
  readonly icon: ReactNode
  readonly isPressed?: boolean
}

/** A button with an icon alone. */
export const IconButton = ({ label, icon, isPressed, ...props }: IconButtonProps) => (
  <button
    type="button"
    title={label}
    aria-label={label}
    aria-pressed={isPressed}
    {...props}
    className={`${css['button']} ${css['icon']}`}
  >
    {icon}
  </button>
)
