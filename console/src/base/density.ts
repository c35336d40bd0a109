// The height of rows and controls, as the person wants it.

import { preference } from './preferences.ts'
import { useStore } from './store.ts'

type Density = 'compact' | 'normal' | 'roomy'

/** Pixels. */
const heights: Readonly<Record<Density, number>> = { compact: 28, normal: 32, roomy: 40 }

const densities = Object.keys(heights) as Density[]

/** The chosen density. */
export const density = preference<Density>('density', 'normal', (value) => densities.includes(value as Density))

/** The density after this one. */
export const nextDensity = (): Density => densities[(densities.indexOf(density.get()) + 1) % densities.length]!

/** Pixels of a row of a list. */
export const useRowHeight = (): number => heights[useStore(density)]

const apply = () => document.documentElement.style.setProperty('--control', `${heights[density.get()]}px`)

/** Shows the chosen density from now on. */
export function followDensity(): void {
  apply()
  density.subscribe(apply)
}
