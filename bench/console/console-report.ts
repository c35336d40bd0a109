// The measurements of the console as text.

import { times, whole } from '../report.ts'
import { median } from '../support/median.ts'
import { type ConsoleResult, consoleTargets, type Frames, slowness, tallRows } from './console.ts'

const judged = (value: number, most: number, print: (value: number) => string): string =>
  `${print(value)} (target <= ${print(most)}${value <= most ? ', met' : ', missed'})`

const kilobytes = (bytes: number): string => `${whole(bytes / 1e3)} kB`
const megabytes = (bytes: number): string => `${whole(bytes / 1e6)} MB`
const ms = (value: number): string => `${whole(value)} ms`

/** The lines about the console. */
export function consoleReport(result: ConsoleResult): string {
  const { bytes, interactive, overview, routes, longestKey, tall, wide, heap } = result
  const targets = consoleTargets
  return [
    `The console over 1,000 tables in Chromium, a processor ${slowness} times slower`,
    `  first load, compressed: ${judged(bytes.all, targets.firstLoad, kilobytes)}, fonts ${judged(bytes.fonts, targets.fonts, kilobytes)}`,
    `  list of tables shown after the start: ${judged(median(interactive), targets.interactive, ms)}, the fastest ${ms(Math.min(...interactive))}`,
    `  list of tables shown after its answer: ${judged(median(overview), targets.overview, ms)}`,
    `  another page, whose code is there: ${judged(median(routes), targets.route, ms)}, the slowest ${ms(Math.max(...routes))}`,
    `  a key in the filter: ${judged(longestKey, targets.key, ms)} for the slowest`,
    `  frames while ${whole(tallRows)} rows scroll: ${framesText(tall)}`,
    `  frames while 300 columns scroll: ${framesText(wide)}`,
    `  heap after the rows: ${judged(heap, targets.heap, megabytes)}`,
  ].join('\n')
}

function framesText(frames: Frames): string {
  const long = frames.filter((millis) => millis > consoleTargets.frame).length
  const rate = 1000 / (frames.reduce((sum, millis) => sum + millis, 0) / frames.length)
  return `${whole(long)} of ${whole(frames.length)} above ${consoleTargets.frame} ms (target 0${long === 0 ? ', met' : ', missed'}), median ${times(median(frames))} ms, the longest ${ms(Math.max(...frames))}, ${whole(rate)} a second`
}
