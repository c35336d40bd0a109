import type { ReactNode } from 'react'
import css from './group.module.css'

interface GroupProps {
  readonly legend: ReactNode
  /** Whether the legend is a control or a heading, rather than a label. */
  readonly isDense?: boolean
  readonly children?: ReactNode
}

/** Fields that belong together, in a frame with a legend. */
export const Group = ({ legend, isDense = false, children }: GroupProps) => (
  <fieldset className={`${css['group']} ${isDense ? css['dense'] : ''}`}>
    <legend className={isDense ? undefined : css['words']}>{legend}</legend>
    {children}
  </fieldset>
)
