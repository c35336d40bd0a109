// The report about operations on large metadata.

import { median } from '../support/median.ts'
import { type EditsResult, editTargets, editTitles } from './metadata-edits.ts'

type Timed = EditsResult['replacement']
type Compared = EditsResult['tracks'][number]

const whole = (value: number): string => value.toFixed(value < 10 ? 1 : 0)

const within = (value: number, most: number): string =>
  `${whole(value)} ms (target <= ${most}: ${value <= most ? 'met' : 'missed'})`

function operation(name: string, all: readonly Timed[]): string {
  const took = median(all.map((each) => each.took))
  const longest = median(all.map((each) => each.longest))
  const { operation: most, others } = editTargets
  return `  ${name}: ${within(took, most)}, another request waits at most ${within(longest, others)}`
}

const plain = (name: string, all: readonly Timed[]): string =>
  `  ${name}: ${whole(median(all.map(({ took }) => took)))} ms, another request waits at most ${whole(median(all.map(({ longest }) => longest)))} ms`

function compared(name: string, all: readonly Compared[]): string {
  const ratio = median(all.map(({ bulk, document }) => bulk.took / document.took))
  const [took, other] = [median(all.map(({ bulk }) => bulk.took)), median(all.map(({ document }) => document.took))]
  const verdict = ratio <= editTargets.bulk ? 'met' : 'missed'
  return `${name}: ${whole(took)} ms, replace_metadata of the same ${whole(other)} ms, ${ratio.toFixed(2)} times (target <= ${editTargets.bulk}: ${verdict})`
}

/** The lines about operations on large metadata. */
export const editsReport = (result: EditsResult): string =>
  [
    editTitles.operations,
    operation('create_select_permission', result.creates),
    operation('drop_select_permission', result.drops),
    plain(`${editTitles.few}, creating`, result.createsTogether),
    plain(`${editTitles.few}, dropping`, result.dropsTogether),
    `  replace_metadata of everything: ${whole(result.replacement.took)} ms, another request waits at most ${within(result.replacement.longest, editTargets.replaceOthers)}`,
    compared(editTitles.tracks, result.tracks),
    compared(editTitles.permissions, result.permissions),
  ].join('\n')
