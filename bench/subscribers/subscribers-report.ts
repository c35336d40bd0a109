// Measurements of subscribers as text.

import { millis, orNone, table, times, whole } from '../report.ts'
import { median } from '../support/median.ts'
import type { SubscriberResult, SubscriberRound, SubscriberScenario } from './subscribers.ts'

/** The processor time per message that `changes` may use, as a multiple of the limit's. */
const cpuTarget = 1.3

const head = [
  ...['', 'messages', 'p50 ms', 'p99 ms', 'µs CPU / message', '/ limit', 'transactions/s', 'HTTP p99 ms'],
  ...['idle tx/s', 'idle CPU %', 'bytes / subscriber'],
]

/** All servers with their subscribers, medians of the rounds. */
export function subscribersReport(
  { title, p99 }: SubscriberScenario,
  [limit, ...servers]: readonly SubscriberResult[],
): string {
  const rows = [limit!, ...servers].map((result) => row(result, limit!))
  const changes = servers.find(({ server }) => server === 'changes')!
  const share = ratio(changes, limit!)
  const late = medianOf(changes, (round) => round.p99)
  const verdicts = [
    ...(p99 === null || late === null ? [] : [`p99 ${millis(late)} ms (target < ${p99})`]),
    `CPU ${orNone(share, times)} of the limit's (target <= ${cpuTarget})`,
  ]
  return [
    `Subscribers, ${title}: medians of ${limit!.rounds.length} rounds`,
    table([head, ...rows]),
    `  changes: ${verdicts.join(', ')}`,
  ].join('\n')
}

function row(result: SubscriberResult, limit: SubscriberResult): string[] {
  const { server, idle, bytesPerSubscriber } = result
  const cell = (of: (round: SubscriberRound) => number | null, print: (value: number) => string) =>
    orNone(medianOf(result, of), print)
  return [
    server,
    cell(({ messages }) => messages, whole),
    cell(({ p50 }) => p50, millis),
    cell((round) => round.p99, millis),
    cell(({ cpu }) => cpu, millis),
    orNone(ratio(result, limit), times),
    cell(({ transactionsPerSecond }) => transactionsPerSecond, times),
    cell(({ asked99 }) => asked99, millis),
    orNone(idle?.transactionsPerSecond ?? null, times),
    orNone(idle?.cpuPercent ?? null, times),
    orNone(bytesPerSubscriber, whole),
  ]
}

/** The median over the rounds of this server's processor time per message divided by the limit's in the same round. */
const ratio = (result: SubscriberResult, limit: SubscriberResult): number | null =>
  medianOfAll(
    result.rounds.map(({ cpu }, i) => {
      const least = limit.rounds[i]!.cpu
      return cpu === null || least === null ? null : cpu / least
    }),
  )

const medianOf = ({ rounds }: SubscriberResult, of: (round: SubscriberRound) => number | null): number | null =>
  medianOfAll(rounds.map(of))

const medianOfAll = (values: readonly (number | null)[]): number | null =>
  values.every((value) => value !== null) ? median(values) : null
