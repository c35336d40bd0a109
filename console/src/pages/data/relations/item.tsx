import type { ReactNode } from 'react'
import css from './relations.module.css'

interface ItemProps {
  readonly name: ReactNode
  readonly kind: string
  readonly to: ReactNode
  readonly note: string
  readonly example: ReactNode
  readonly actions: ReactNode
}

/** One relationship with its example. */
export const Item = ({ name, kind, to, note, example, actions }: ItemProps) => (
  <li className={css['item']}>
    <div className={css['name']}>
      {typeof name === 'string' ? <strong>{name}</strong> : name}
      <span className={css['note']}>
        {kind} → {to}
      </span>
      <code className={css['columns']}>{note}</code>
    </div>
    <div className={css['example']}>{example}</div>
    <div className={css['actions']}>{actions}</div>
  </li>
)
