import type { ReactNode } from 'react'
import css from './page.module.css'

interface PageProps {
  readonly title: ReactNode
  /** A line below the title. */
  readonly note?: ReactNode
  /** Buttons beside the title, the main one last. */
  readonly actions?: ReactNode
  readonly children: ReactNode
}

/** The frame of a page: its title, its actions, and the content that fills the rest. */
export const Page = ({ title, note, actions, children }: PageProps) => (
  <div className={css['page']}>
    <header className={css['head']}>
      <div className={css['words']}>
        <h1 className={css['title']}>{title}</h1>
        {note && <p className={css['note']}>{note}</p>}
      </div>
      {actions && <div className={css['actions']}>{actions}</div>}
    </header>
    {children}
  </div>
)

/** A section of a page with a title. */
export const Section = ({ title, actions, children }: Omit<PageProps, 'note'>) => (
  <section className={css['section']}>
    <div className={css['sectionHead']}>
      <h2 className={css['sectionTitle']}>{title}</h2>
      {actions}
    </div>
    {children}
  </section>
)

/** A row of controls above content. */
export const Toolbar = ({ label, children }: { readonly label: string; readonly children: ReactNode }) => (
  <div role="toolbar" aria-label={label} className={css['toolbar']}>
    {children}
  </div>
)

/** Moves the controls after it to the end of a toolbar, but on narrow pages, where all begin at the left. */
export const Space = () => <span className={css['space']} />

/** Content that scrolls, with the page's margins. */
export const Body = ({ children }: { readonly children: ReactNode }) => <div className={css['body']}>{children}</div>
