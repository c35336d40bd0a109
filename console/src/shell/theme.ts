// Light, dark, or as the system is.

import { preference } from '../base/preferences.ts'

export type Theme = 'system' | 'light' | 'dark'

const themes: readonly Theme[] = ['system', 'light', 'dark']

/** The chosen theme. */
export const theme = preference<Theme>('theme', 'system', (value) => themes.includes(value as Theme))

const apply = () => {
  document.documentElement.dataset['theme'] = theme.get()
}

/** Shows the chosen theme from now on. */
export function followTheme(): void {
  apply()
  theme.subscribe(apply)
}

/** The theme after this one. */
export const nextTheme = (): Theme => themes[(themes.indexOf(theme.get()) + 1) % themes.length]!
