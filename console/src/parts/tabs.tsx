import { Tabs as BaseTabs } from '@base-ui/react/tabs'
import type { ReactNode } from 'react'
import css from './tabs.module.css'

interface TabsProps<T extends string> {
  readonly label: string
  readonly value: T
  readonly tabs: readonly { readonly value: T; readonly label: string }[]
  onChange(value: T): void
  /** Buttons beside the tabs. */
  readonly actions?: ReactNode
  /** The content of the chosen tab. */
  readonly children: ReactNode
}

/** Tabs with the content of the chosen one. */
export const Tabs = <T extends string>({ label, value, tabs, onChange, actions, children }: TabsProps<T>) => (
  <BaseTabs.Root value={value} onValueChange={(next) => onChange(next as T)} className={css['root']}>
    <div className={css['head']}>
      <BaseTabs.List className={css['list']} aria-label={label} data-tabs>
        {tabs.map((tab) => (
          <BaseTabs.Tab key={tab.value} value={tab.value} className={css['tab']}>
            {tab.label}
          </BaseTabs.Tab>
        ))}
      </BaseTabs.List>
      {actions}
    </div>
    <BaseTabs.Panel value={value} className={css['panel']}>
      {children}
    </BaseTabs.Panel>
  </BaseTabs.Root>
)
