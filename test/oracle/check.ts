// Sends requests to the server, and compares the answers.

import type { TestTrellis } from '../support/trellis.ts'
import { expectedAnswer } from './answer.ts'
import { ask, askEndpoint, checkProbe, checkStoredProbe, sessionOf, worldLines } from './ask.ts'
import type { Case } from './case.ts'
import { Coverage } from './coverage.ts'
import { deployed } from './deploy.ts'
import { describe, difference, type Expected } from './expected.ts'
import { parseExact } from './json.ts'
import type { Probe } from './probes.ts'
import { type Rendered, render } from './render.ts'
import type { Request, Run } from './request.ts'
import { Undetermined } from './rows.ts'
import { View } from './view.ts'
import { Invalid, type World } from './world.ts'

/** The first run uses the values of the document, the second one other values under the same plan. */
const runs: readonly Run[] = [0, 1]

export class Checker {
  readonly #trellis: TestTrellis
  #deployed: World | null = null
  /** The number of compared answers, and of those that could not be compared. */
  compared = 0
  undetermined = 0
  /** The number of refusals by endpoints. */
  refusedByEndpoints = 0
  /** The comparisons that contributed to the answers. */
  readonly coverage = new Coverage()

  constructor(trellis: TestTrellis) {
    this.#trellis = trellis
  }

  /** Throws when an answer is not the expected one. */
  async check({ world, requests, probes }: Case, isSimplified: boolean): Promise<void> {
    if (this.#deployed !== world) {
      this.#deployed = null
      if (!(await deployed(world, this.#trellis, isSimplified, storedTexts(requests, probes, world)))) return
      this.#deployed = world
    }
    for (const request of requests) {
      for (const run of runs) await this.#checkRequest(request, world, run)
    }
    for (const probe of probes) await checkProbe(this.#trellis, probe, world)
    await this.#checkStored({ world, requests, probes })
  }

  /** Compares the answers of endpoints for stored texts. */
  async #checkStored({ world, requests, probes }: Case): Promise<void> {
    for (const [place, request] of requests.filter(({ stored }) => stored).entries()) {
      for (const run of runs) await this.#checkRequest(request, world, run, place)
    }
    const first = requests.filter(({ stored }) => stored).length
    for (const [place, probe] of probes.filter(({ stored }) => stored).entries()) {
      if (await checkStoredProbe(this.#trellis, probe, first + place, world)) this.refusedByEndpoints++
    }
  }

  /** With the place of an endpoint, it is asked. */
  async #checkRequest(request: Request, world: World, run: Run, endpoint: number | null = null): Promise<void> {
    const coverage = new Coverage()
    const expected = this.#expected(request, new View(world, request.role, coverage), run)
    if (!expected) return
    const rendered = render(request, world, run)
    const { variables } = rendered
    const text =
      endpoint === null
        ? await ask(this.#trellis, rendered, request.role, world)
        : await askEndpoint(this.#trellis, endpoint, variables, request.role, world)
    const found = answerDifference(
      endpoint === null ? { kind: 'object', entries: [['data', expected]] } : expected,
      text,
    )
    if (found === null) {
      this.coverage.add(coverage)
      return
    }
    const role = request.role ?? 'admin'
    throw new Error(
      [
        `${endpoint === null ? '' : 'of an endpoint: '}${found}`,
        ...worldLines(world),
        `role: ${role} ${JSON.stringify(sessionOf(world, request.role))}`,
        `query: ${rendered.query}`,
        `variables: ${JSON.stringify(rendered.variables)}${run === 1 ? ' (after others)' : ''}`,
        `expected: ${describe(expected)}`,
        `actual:   ${text}`,
        `sql: ${this.#sql(rendered, request.role, world)}`,
      ].join('\n'),
    )
  }

  /** Null where the answer is not determined. */
  #expected(request: Request, view: View, run: Run): Expected | null {
    try {
      const expected = expectedAnswer(request, view, run)
      this.compared++
      return expected
    } catch (error) {
      if (!(error instanceof Undetermined) && !(error instanceof Invalid)) throw error
      this.undetermined++
      return null
    }
  }

  #sql({ query, variables }: Rendered, role: string | null, world: World): string {
    try {
      const session = { role: role ?? 'admin', variables: sessionOf(world, role), backendOnly: false }
      const { prepared } = this.#trellis.engine.graphql.plan({ query, variables, operationName: null }, session)
      return prepared.whole?.text ?? 'several statements'
    } catch (error) {
      return `none: ${(error as Error).message}`
    }
  }
}

/** The texts of endpoints, in their order. */
const storedTexts = (requests: readonly Request[], probes: readonly Probe[], world: World): readonly string[] => [
  ...requests.filter(({ stored }) => stored).map((request) => render(request, world, 0).query),
  ...probes.filter(({ stored }) => stored).map(({ query }) => query),
]

function answerDifference(expected: Expected, text: string): string | null {
  try {
    return difference(expected, parseExact(text))
  } catch (error) {
    return `no JSON: ${(error as Error).message}`
  }
}
