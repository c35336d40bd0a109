// Lets V8 compile the code that makes and writes large schemas before a client waits for one. Without this the first
// introspection of 2,000 tables takes a third longer, and the first type of it twice as long.

import { setTimeout as sleep } from 'node:timers/promises'
import { getIntrospectionQuery } from 'graphql'
import { inBackground } from '../concurrency/stepwise.ts'
import type { Model } from '../metadata/document/model.ts'
import type { Session } from '../session/session.ts'
import type { GraphQLPlanner } from './planner.ts'
import { Introspection } from './schema/introspection.ts'
import { largeModel, warmUpAfterMillis, warmUpValues } from './tuning.ts'

const administrator: Session = { role: 'admin', variables: {}, backendOnly: false }

/** Writes a part of the whole schema when a large model is served. Nothing of it is kept. */
export class WarmUp {
  readonly #planner: Pick<GraphQLPlanner, 'planAlone'>
  readonly #ending = new AbortController()
  #isBegun = false

  constructor(planner: Pick<GraphQLPlanner, 'planAlone'>) {
    this.#planner = planner
  }

  /** Begins if this model is large and no other was. */
  consider(model: Model): void {
    if (this.#isBegun || model.tables.size < largeModel) return
    this.#isBegun = true
    const { signal } = this.#ending
    sleep(warmUpAfterMillis, undefined, { ref: false, signal }).then(
      () => this.again(),
      () => {},
    )
  }

  /** Does the same again if it was worth it once: a full collection drops code with the objects that it is compiled for. */
  async again(): Promise<void> {
    if (!this.#isBegun) return
    // The client that asks for the schema learns of a failure.
    await this.#run().catch(() => {})
  }

  end(): void {
    this.#ending.abort()
  }

  async #run(): Promise<void> {
    const { signal } = this.#ending
    const { schema, prepared, variables } = this.#planner.planAlone(getIntrospectionQuery(), administrator)
    const argumentsOf = prepared.calls?.bind(variables) ?? (() => ({}))
    for (const step of prepared.steps) {
      if (step.kind !== 'introspection') continue
      await inBackground(new Introspection(schema).part(step.field, argumentsOf, warmUpValues), signal)
    }
  }
}
