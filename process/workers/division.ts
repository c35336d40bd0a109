// The number of workers, and the part of each in the totals that they share.

import { availableParallelism } from 'node:os'
import type { AllSettings } from '../../core/engine/options.ts'
import { type Option, OptionsError } from '../../core/options/option-values.ts'

type Pooled = Pick<AllSettings, 'workers' | 'connections' | 'stripes'>

/** The number of workers that the settings ask for; each needs a connection to the database. */
export function workerCount({ workers, connections, stripes }: Pooled): number {
  const most = connections * stripes
  if (workers === 'auto') return Math.min(availableParallelism(), most)
  if (Number(workers) > most) {
    throw new OptionsError(`${workers} workers need a connection each, and --connections allows ${most}`, 'workers')
  }
  return Number(workers)
}

/** The settings of one worker: of each total that its option calls divided, it gets its part. */
export function settingsOfWorker(
  settings: AllSettings,
  options: readonly Option[],
  { number, count }: { readonly number: number; readonly count: number },
): AllSettings {
  const whole: AllSettings = { ...settings, connections: settings.connections * settings.stripes, stripes: 1 }
  const divided = options.filter(({ declaration }) => declaration.divided)
  const parts = divided.map(({ key }) => {
    const total = whole[key] as number
    return [key, Math.max(1, Math.floor(total / count) + (number <= total % count ? 1 : 0))] as const
  })
  return { ...whole, ...Object.fromEntries(parts), workers: String(count) }
}
