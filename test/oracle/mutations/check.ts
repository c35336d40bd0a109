// Sends mutations to the server, and compares its answers and the content of the database afterwards.

import type { TestTrellis } from '../../support/trellis.ts'
import { ask, checkProbe, errorOf, sessionOf, worldLines } from '../ask.ts'
import { Coverage } from '../coverage.ts'
import { deployed, refill } from '../deploy.ts'
import { describe, difference, type Expected } from '../expected.ts'
import { dataText, parseExact } from '../json.ts'
import type { Probe } from '../probes.ts'
import type { Run } from '../request.ts'
import { Undetermined } from '../rows.ts'
import { Invalid, type World } from '../world.ts'
import type { MutationCase, Script } from './case.ts'
import { outcomeEvents } from './events.ts'
import { execute, type Outcome } from './execute.ts'
import type { Mutation } from './mutation.ts'
import { renderMutation } from './render.ts'
import { readSequences, rowsDifference } from './state.ts'

const runs: readonly Run[] = [0, 1]

export class MutationChecker {
  readonly #trellis: TestTrellis
  #deployed: World | null = null
  compared = 0
  undetermined = 0
  /** The events in the compared mutations. */
  readonly coverage = new Coverage()

  constructor(trellis: TestTrellis) {
    this.#trellis = trellis
  }

  /** Throws when an answer, or the content of the database, is not the expected one. */
  async check({ world, scripts, probes }: MutationCase, isSimplified: boolean): Promise<void> {
    if (this.#deployed === null || withoutRows(this.#deployed) !== withoutRows(world)) {
      this.#deployed = null
      if (!(await deployed(world, this.#trellis, isSimplified))) return
      this.#deployed = world
    }
    if (probes.length > 0) await this.#checkProbes(probes, world)
    for (const script of scripts) {
      await refill(world, this.#trellis.sql)
      await this.#checkScript(script, world)
    }
  }

  /** A refused mutation changes nothing. */
  async #checkProbes(probes: readonly Probe[], world: World): Promise<void> {
    await refill(world, this.#trellis.sql)
    for (const probe of probes) await checkProbe(this.#trellis, probe, world)
    const found = await rowsDifference(world, this.#trellis.sql)
    if (found !== null) throw new Error([`after refusals: ${found}`, ...worldLines(world)].join('\n'))
  }

  async #checkScript(script: Script, start: World): Promise<void> {
    let world = start
    for (const mutation of script) {
      for (const run of runs) world = await this.#checkMutation(mutation, world, run)
    }
  }

  /** Returns the world after the mutation. */
  async #checkMutation(mutation: Mutation, world: World, run: Run): Promise<World> {
    const coverage = new Coverage()
    const outcome = this.#expected(mutation, world, run, coverage)
    if (!outcome) return world
    const rendered = renderMutation(mutation, world, run)
    const text = await ask(this.#trellis, rendered, mutation.role, world)
    const { sql } = this.#trellis
    const after = outcome.kind === 'done' ? outcome.world : world
    const sequences = await readSequences(world, sql)
    const found =
      answerDifference(outcome, text) ??
      (await rowsDifference(after, sql)) ??
      sequencesDifference(outcome, world, sequences)
    if (found === null) {
      this.coverage.add(coverage)
      for (const event of outcomeEvents(mutation, outcome)) this.coverage.happened(event)
      return { ...after, sequences }
    }
    const role = mutation.role ?? 'admin'
    throw new Error(
      [
        found,
        ...worldLines(world),
        `sequences: ${Object.entries(world.sequences).join(' ')}`,
        `role: ${role} ${JSON.stringify(sessionOf(world, mutation.role))}`,
        `query: ${rendered.query}`,
        `variables: ${JSON.stringify(rendered.variables)}${run === 1 ? ' (after others)' : ''}`,
        `expected: ${outcome.kind === 'done' ? describe(outcome.data) : JSON.stringify(outcome.refusals)}`,
        `actual:   ${text}`,
      ].join('\n'),
    )
  }

  /** Null where the outcome is not determined. */
  #expected(mutation: Mutation, world: World, run: Run, coverage: Coverage): Outcome | null {
    try {
      const outcome = execute(mutation, world, run, coverage)
      this.compared++
      return outcome
    } catch (error) {
      if (!(error instanceof Undetermined) && !(error instanceof Invalid)) throw error
      this.undetermined++
      return null
    }
  }
}

/** The parts of a world that require a new deployment when they change. */
const withoutRows = (world: World): string =>
  dataText({ ...world, tables: world.tables.map(({ rows, ...rest }) => rest) })

function answerDifference(outcome: Outcome, text: string): string | null {
  const answer = parseExact(text)
  if (outcome.kind === 'done') {
    const envelope: Expected = { kind: 'object', entries: [['data', outcome.data]] }
    return difference(envelope, answer)
  }
  const error = errorOf(answer)
  const isExpected = outcome.refusals.some(({ code, message, path }) => {
    return error.code === code && error.message === message && error.path === path
  })
  return isExpected ? null : `expected one of the errors, got ${text}`
}

/** Sequences never go back, and their values are exact when nothing fails. */
function sequencesDifference(outcome: Outcome, before: World, sequences: World['sequences']): string | null {
  for (const [column, last] of Object.entries(sequences)) {
    const expected = outcome.kind === 'done' ? outcome.world.sequences[column] : null
    const isRight = expected === null ? last >= (before.sequences[column] ?? 0n) : last === expected
    if (!isRight)
      return `the sequence of ${column}: expected ${expected ?? `${before.sequences[column]} or more`}, got ${last}`
  }
  return null
}
