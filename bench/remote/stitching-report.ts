// The measurement of stitching as text.

import { times, whole } from '../report.ts'
import { median } from '../support/median.ts'
import { type StitchingResult, stitchingTargets } from './stitching.ts'

/** The lines about a schema of this process, and about a stitched one. */
export function stitchingReport({ local, stitched }: StitchingResult): string {
  return [
    lineOf('A schema of this process, three levels', local, stitchingTargets.local),
    lineOf('A stitched schema, three levels over two servers', stitched, stitchingTargets.stitched),
  ].join('\n')
}

/** A request's time as a multiple of the bare server's, by the throughput of both. */
function lineOf(name: string, { bare, trellis }: StitchingResult['local'], target: number): string {
  const multiple = median(bare.map((rate, i) => rate / trellis[i]!))
  const missed = multiple <= target ? '' : ', missed'
  const rates = `${whole(median(trellis))}/s, the bare server ${whole(median(bare))}/s`
  return `${name}: ${rates}, ${times(multiple)} times its time (target ≤ ${times(target)}${missed})`
}
