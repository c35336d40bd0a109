// Which of the shell's overlays are open.

import { createStore } from '../base/store.ts'

export const isPaletteOpen = createStore(false)
export const isDrawerOpen = createStore(false)
export const isHelpOpen = createStore(false)
