import type { ReactNode } from 'react'
import css from './mark.module.css'

const shapes = { good: '●', bad: '▲', waiting: '○', off: '–', info: '◆' } as const

/** A state: a shape beside its colour and its word. */
export const Mark = ({ state, children }: { readonly state: keyof typeof shapes; readonly children: ReactNode }) => (
  <span className={`${css['mark']} ${css[state]}`}>
    <span aria-hidden>{shapes[state]}</span> {children}
  </span>
)
