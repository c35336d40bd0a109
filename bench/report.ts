// Measurements as text.

import { type CaptureResult, captureTarget, severalTriggers } from './events/capture.ts'
import { type BurstRound, burst, type DeliveriesResult, deliveryTargets, steadyRate } from './events/deliveries.ts'
import { queueKinds } from './events/delivery-queues.ts'
import { fullLog, oneOffs } from './events/delivery-sizes.ts'
import { type HeldResult, heldRate, heldSeconds, heldTargets } from './events/held.ts'
import type { ScaleResult, ServerTime } from './metadata/scale.ts'
import type { Figure } from './neighbours/neighbour.ts'
import { type NeighbourMeasurement, sharingOff } from './neighbours/neighbours.ts'
import { type RemoteResult, remoteTargets } from './remote/remote.ts'
import { planTarget } from './requests/plans.ts'
import { startTarget } from './requests/start.ts'
import type { Measurement, Round } from './requests/throughput.ts'
import type { Workload } from './requests/workloads.ts'
import type { BesideSubscribers } from './subscribers/subscribers-http.ts'
import type { LoadResult } from './support/load.ts'
import { median } from './support/median.ts'

/** The processor time per request that Trellis may use, as a multiple of the limit's. */
const cpuTarget = 1.1

/** Bytes that the server may hold after all workloads. */
const memoryTarget = 350e6

export const whole = (value: number): string => Math.round(value).toLocaleString('en-US')
export const millis = (value: number): string => value.toFixed(value < 10 ? 2 : 1)
export const times = (value: number): string => value.toFixed(2)
export const orNone = (value: number | null, print: (value: number) => string): string =>
  value === null ? 'n/a' : print(value)

/** Aligned lines; the first columns are text, all others are numbers. */
export function table(rows: readonly (readonly string[])[], texts = 1): string {
  const widths = rows[0]!.map((_, column) => Math.max(...rows.map((row) => row[column]!.length)))
  const line = (row: readonly string[]) =>
    row.map((cell, i) => (i < texts ? cell.padEnd(widths[i]!) : cell.padStart(widths[i]!))).join('  ')
  return rows.map((row) => `  ${line(row)}`.trimEnd()).join('\n')
}

const throughputOf = (round: Round): number => round.requests / round.seconds

const cpuOf = ({ cpu }: Round): number | null =>
  cpu.server === null || cpu.postgres === null ? null : cpu.server + cpu.postgres

/** The number of processors that the server and PostgreSQL kept busy. */
function busyProcessors(round: Round): number | null {
  const cpu = cpuOf(round)
  return cpu === null ? null : (cpu * throughputOf(round)) / 1e6
}

/** The median of a number over the rounds; null if a round lacks it. */
function medianOf(rounds: readonly Round[], of: (round: Round) => number | null): number | null {
  const values = rounds.map(of)
  return values.every((value) => value !== null) ? median(values) : null
}

/** The median over the rounds of this server's number divided by the other's in the same round. */
function ratio({ rounds }: Measurement, other: Measurement, of: (round: Round) => number | null): number | null {
  const quotients = rounds.map((round, i) => {
    const [own, theirs] = [of(round), of(other.rounds[i]!)]
    return own === null || theirs === null ? null : own / theirs
  })
  return quotients.every((value) => value !== null) ? median(quotients) : null
}

const workloadHead = ['', 'requests/s', 'p50 ms', 'p99 ms', 'CPU µs/request', 'server', 'PostgreSQL', 'CPUs busy']

function measurementRow({ contender, rounds }: Measurement): string[] {
  const cell = (of: (round: Round) => number | null, print: (value: number) => string) =>
    orNone(medianOf(rounds, of), print)
  return [
    contender.name,
    cell(throughputOf, whole),
    cell((round) => round.p50, millis),
    cell((round) => round.p99, millis),
    cell(cpuOf, whole),
    cell((round) => round.cpu.server, whole),
    cell((round) => round.cpu.postgres, whole),
    cell(busyProcessors, times),
  ]
}

const verdict = (value: number | null, met: (value: number) => boolean): string =>
  value === null ? '' : met(value) ? ', met' : ', missed'

const atLeast = (value: number | null, target: number): string =>
  `${orNone(value, times)} (target >= ${target}${verdict(value, (known) => known >= target)})`

const atMost = (value: number | null, target: number): string =>
  `${orNone(value, times)} (target <= ${target}${verdict(value, (known) => known <= target)})`

/** The table of one workload; the first measurement is the limit, the last one is Trellis. */
export function workloadReport({ name, title, targets }: Workload, measurements: readonly Measurement[]): string {
  const [limit, trellis] = [measurements[0]!, measurements.at(-1)!]
  const ratios = [
    `throughput ${atLeast(ratio(trellis, limit, throughputOf), targets.throughput)}`,
    `CPU ${atMost(ratio(trellis, limit, cpuOf), cpuTarget)}`,
    ...(targets.p99 === undefined
      ? []
      : [
          `p99 ${atMost(
            ratio(trellis, limit, ({ p99 }) => p99),
            targets.p99,
          )}`,
        ]),
  ]
  return [
    `${name}: ${title}`,
    table([workloadHead, ...measurements.map(measurementRow)]),
    `  Trellis / limit: ${ratios.join(', ')}`,
  ].join('\n')
}

/** The cost of subscribers for requests over HTTP. */
export function besideSubscribersReport({ workload, measurements }: BesideSubscribers): string {
  const [without, beside] = measurements
  const [throughput, cpu] = [ratio(beside, without, throughputOf), ratio(beside, without, cpuOf)]
  return [
    `${workload.name}: ${workload.title}, without and beside subscribers`,
    table([workloadHead, ...measurements.map(measurementRow)]),
    `  beside / without: throughput ${orNone(throughput, times)}, CPU ${orNone(cpu, times)}`,
  ].join('\n')
}

/** The line about the memory of the server after its workloads. */
export const memoryReport = (bytes: number | null): string =>
  `Memory of the server after these workloads: ${orNone(bytes, megabytes)} (target <= ${megabytes(memoryTarget)}${verdict(bytes, (value) => value <= memoryTarget)})`

const range = (values: readonly number[]): string => `${whole(Math.min(...values))} to ${whole(Math.max(...values))}`

/** The line about starting. */
export function startReport(starts: readonly number[]): string {
  const middle = median(starts)
  const target = `target < ${whole(startTarget)} ms${verdict(middle, (value) => value < startTarget)}`
  return `Start to first answered query on existing data: ${whole(middle)} ms (${range(starts)} in ${starts.length} starts; ${target})`
}

/** The lines about event triggers. */
export function deliveriesReport(result: DeliveriesResult): string {
  const { bursts, p50, p99, insertCost, idle, oneOffP99, full } = result
  const targets = deliveryTargets
  const middle = (of: (round: BurstRound) => number) => median(bursts.map(of))
  const rate = middle((round) => round.rate)
  const most = (value: number, bound: number, print: (value: number) => string) =>
    `${print(value)} (target <= ${print(bound)}${verdict(value, (known) => known <= bound)})`
  const beside = (name: string, other: (round: BurstRound) => number, least: number) =>
    `  of ${name}, ${whole(middle(other))}/s: ${atLeast(
      middle((round) => round.rate / other(round)),
      least,
    )}`
  return [
    `Event triggers: ${whole(rate)} deliveries/s of ${whole(burst)} inserts (target >= ${whole(targets.rate)}${verdict(rate, (value) => value >= targets.rate)})`,
    `  processor time per delivery: server ${whole(middle((round) => round.cpu.server))} µs, PostgreSQL ${whole(middle((round) => round.cpu.postgres))} µs`,
    beside('a bare loop that is warm', (round) => round.bareRate, targets.ofBare),
    beside('a bare loop that has just started', (round) => round.freshBareRate, targets.ofBare),
    ...queueKinds.map((kind) => beside(kind, (round) => round.queueRates.get(kind) ?? Number.NaN, 1)),
    `  from commit to webhook at ${steadyRate}/s: p50 ${whole(p50)} ms, p99 ${whole(p99)} ms (target < ${targets.p99} ms${verdict(p99, (value) => value < targets.p99)})`,
    `  an insert with a trigger: ${most(insertCost, targets.insertCost, times)} times one without`,
    `  idle: ${most(idle.statementsPerSecond, targets.statements, times)} statements/s on ${idle.connections} connections`,
    `  with ${whole(fullLog)} delivered events in the log: the rate is ${most(1 / full.rate, targets.ofFull, times)} times lower, p99 of queries ${most(full.queryP99, targets.ofFull, times)} times higher`,
    `  ${whole(oneOffs)} one-off events due at once: p99 ${most(oneOffP99, targets.oneOffP99, whole)} ms late`,
  ].join('\n')
}

export const captureReport = ({ none, one, several }: CaptureResult): string =>
  [
    `Bulk inserts: ${millis(none)} µs a row without event triggers, ${millis(one)} µs with one, ${millis(several)} µs with ${severalTriggers}`,
    `  with ${severalTriggers}, beside with one: ${atMost(several / one, captureTarget)}`,
  ].join('\n')

export function heldReport({ rate, p99, p99Millis, size }: HeldResult): string {
  return [
    `Event triggers while a snapshot is held, ${heldRate}/s, after ${heldSeconds} s of finished events, beside the same without`,
    `  deliveries/s: ${atLeast(rate, heldTargets.rate)}`,
    `  p99 from commit to webhook, ${whole(p99Millis)} ms: ${atMost(p99, heldTargets.p99)}`,
    `  size of the log after the snapshot and as many new events in the place of the old ones: ${atMost(size, heldTargets.size)}`,
  ].join('\n')
}

const megabytes = (bytes: number): string => `${whole(bytes / 1e6)} MB`

/** With the most tables, a small change may cost this multiple of its cost with the fewest. */
const growthTarget = 3

/** The 99th percentile of requests meanwhile may be this multiple of the usual one. */
const latencyTarget = 3

const ifThere = <T>(target: T | undefined, print: (target: T) => string): string =>
  target === undefined ? '' : print(target)

/** The lines about one size of metadata. */
export function scaleReport(result: ScaleResult): string {
  const { scale, tracks, queriesAfterTrack, firstQueries, idle, idleAfterTracks } = result
  const { trackMillis, idleBytes } = scale.targets ?? {}
  const track = median(tracks)
  const trackTarget = ifThere(trackMillis, (most) => `; target < ${most} ms${verdict(track, (value) => value < most)}`)
  const memory = (bytes: number | null) =>
    orNone(bytes, megabytes) +
    ifThere(idleBytes, (most) => ` (target < ${megabytes(most)}${verdict(bytes, (value) => value < most)})`)
  return [
    `${whole(scale.tables)} tracked tables x ${scale.roles} roles with select, insert, update and delete permissions`,
    `  track_table of one more: ${whole(track)} ms (${range(tracks)} in ${tracks.length}${trackTarget})`,
    `  idle memory after a start and a query of each role: ${memory(idle)}`,
    `  idle memory after ${tracks.length} times track_table: ${memory(idleAfterTracks)}`,
    introspectionLine(result),
    `  requests: quiet ${latency(result.quiet)}; ${meanwhile('track_table', result.duringTracks, result.quiet)}; ${meanwhile('replace_metadata', result.duringReplace, result.quiet)}`,
    `  for information: replace_metadata ${whole(result.replace)} ms, start ${whole(result.start)} ms, first query of a role ${whole(median(firstQueries))} ms, first query after track_table ${whole(median(queriesAfterTrack))} ms`,
  ].join('\n')
}

/** Targets of introspection: milliseconds, and the memory afterwards as a multiple of the memory before. */
const introspectionTargets = { oneType: 500, whole: 2000, others: 100, memory: 1.2 }

function introspectionLine({ introspection, idle }: ScaleResult): string {
  const { oneType, first, second, meanwhile: others, idleAfter } = introspection
  const most = introspectionTargets
  const below = (value: number, target: number) => `(target <= ${target}${verdict(value, (it) => it <= target)})`
  const ratio = idle === null || idleAfter === null ? null : idleAfter / idle
  const memory = orNone(ratio, (value) => `${times(value)} ${below(value, most.memory)}`)
  return [
    `  introspection: first __type(name: "query_root") ${serverTime(oneType)} ${below(oneType.took, most.oneType)}`,
    `first whole schema ${serverTime(first)} ${below(first.took, most.whole)}, again ${serverTime(second)}`,
    `others during a role's first ${latency(others)} ${below(others.p99, most.others)}, memory afterwards ${memory}`,
  ].join('; ')
}

const serverTime = ({ took, processor }: ServerTime): string =>
  `${whole(took)} ms, processor time ${orNone(processor, whole)} ms`

const latency = ({ p50, p99 }: LoadResult): string => `p50 ${millis(p50)} ms, p99 ${millis(p99)} ms`

function meanwhile(operation: string, load: LoadResult, quiet: LoadResult): string {
  const growth = load.p99 / quiet.p99
  return `during ${operation} ${latency(load)} (${times(growth)} of quiet; target <= ${latencyTarget}${verdict(growth, (value) => value <= latencyTarget)})`
}

/** The growth of cost from the fewest to the most tables, among sizes with equal numbers of roles. */
export function growthReport(results: readonly ScaleResult[]): string {
  const sorted = results.toSorted((a, b) => a.scale.tables - b.scale.tables)
  const [least, most] = [sorted[0]!, sorted.at(-1)!]
  const growth = median(most.tracks) / median(least.tracks)
  const perTable = ({ replace, scale }: ScaleResult) => `${millis(replace / scale.tables)} ms`
  const memoryPerTable = ({ idle, scale }: ScaleResult) =>
    orNone(idle, (bytes) => `${whole(bytes / scale.tables / 1000)} kB`)
  return [
    `From ${whole(least.scale.tables)} to ${whole(most.scale.tables)} tables x ${least.scale.roles} roles`,
    `  track_table takes ${times(growth)} times as long (target <= ${growthTarget}${verdict(growth, (value) => value <= growthTarget)})`,
    `  replace_metadata per table: ${sorted.map(perTable).join(', ')}; memory per table: ${sorted.map(memoryPerTable).join(', ')}`,
  ].join('\n')
}

/** The line about plans that are not cached. */
export function plansReport(times: readonly number[]): string {
  const middle = median(times)
  const target = `target < ${millis(planTarget)} ms${verdict(middle, (value) => value < planTarget)}`
  return `A plan of a three-level query, none cached: ${middle.toFixed(2)} ms of processor time in the median of ${whole(times.length)} documents (${target})`
}

export function remoteReport({ direct, through, parts, joined, program, local }: RemoteResult): string {
  const share = median(through) / median(direct)
  const kept = median(local.after) / median(local.before)
  const lines = [
    `A remote query through Trellis: ${whole(median(through))}/s, the server directly ${whole(median(direct))}/s, ${times(share)} (target ≥ ${times(remoteTargets.share)}${verdict(share, (value) => value >= remoteTargets.share)})`,
    joinLine('A join of 100 rows, over raw sockets', parts, joined),
    joinLine('A join of 100 rows, as a program asks', program.parts, program.joined),
    `A local query with a remote schema: ${times(kept)} of the throughput without (${whole(median(local.after))}/s, ${whole(median(local.before))}/s)`,
  ]
  return lines.join('\n')
}

/** A join beside the two requests that it replaces. */
function joinLine(name: string, parts: readonly number[], joined: readonly number[]): string {
  const overhead = median(joined) / median(parts) - 1
  const target = `target < ${whole(remoteTargets.overhead * 100)} %${verdict(overhead, (value) => value < remoteTargets.overhead)}`
  return `${name}: ${millis(median(joined))} ms, its two requests ${millis(median(parts))} ms, ${whole(overhead * 100)} % more (${target})`
}

/** One server's number for a figure over all rounds. */
function overall(values: readonly number[], { over, target }: Figure): number {
  if (over === 'median') return median(values)
  return target && 'least' in target ? Math.min(...values) : Math.max(...values)
}

const inUnit = (value: number, { unit }: Figure): string =>
  unit === 'ms' ? `${millis(value)} ms` : unit === 'x' ? times(value) : `${whole(value)}${unit}`

function figureRow({ neighbour, shared, off }: NeighbourMeasurement, figure: Figure, index: number): string[] {
  const own = shared.map((round) => round[index]!)
  const theirs = off.map((round) => round[index]!)
  const isRatio = figure.compared === 'shared / off'
  const quotients = own.map((value, round) => value / theirs[round]!)
  const judged = overall(isRatio ? quotients : own, figure)
  return [
    index === 0 ? `${neighbour.name}: ${neighbour.title}` : '',
    figure.what,
    inUnit(overall(own, figure), figure),
    inUnit(overall(theirs, figure), figure),
    isRatio ? times(judged) : '',
    ...judgement(judged, figure),
  ]
}

/** The target of a figure, and whether the figure meets it. */
function judgement(judged: number, figure: Figure): [string, string] {
  const { target } = figure
  if (target === null) return ['', '']
  const bound = (value: number) => (figure.compared === 'shared / off' ? String(value) : inUnit(value, figure))
  const isMet = 'most' in target ? judged <= target.most : judged >= target.least
  return ['most' in target ? `<= ${bound(target.most)}` : `>= ${bound(target.least)}`, isMet ? 'met' : 'missed']
}

/** The table of the cost of requests for their neighbours. */
export function neighboursReport(measurements: readonly NeighbourMeasurement[]): string {
  const head = ['', '', 'sharing', 'sharing off', 'ratio', 'target', 'verdict']
  const rows = measurements.flatMap((measurement) =>
    measurement.neighbour.figures.map((figure, index) => figureRow(measurement, figure, index)),
  )
  return [
    `Neighbours, beside the same server with sharing off (${sharingOff.join(' ')})`,
    table([head, ...rows], 2),
  ].join('\n')
}
