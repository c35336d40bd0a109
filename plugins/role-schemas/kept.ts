// Descriptions of role schemas, kept while the model stays the same. One is made at a time: each needs all types.

import { LRUCache } from 'lru-cache'
import type { PlannedSchema } from '../../sdk/graphql.ts'
import type { Model } from '../../sdk/metadata.ts'
import { inTurns, type Steps } from '../../sdk/services.ts'
import { keptCharacters } from './tuning.ts'

interface Sized {
  readonly size: number
}

/** The descriptions of one generation. */
class Generation<D extends Sized> {
  readonly kept = new LRUCache<string, D>({
    maxSize: keptCharacters,
    sizeCalculation: ({ size }, key) => size + key.length + 1,
  })
  readonly pending = new Map<string, Promise<D>>()
}

/** Descriptions of one kind; the least recently used ones make room. */
export class KeptDescriptions<D extends Sized> {
  readonly #make: (schema: PlannedSchema) => Steps<D>
  readonly #generations = new WeakMap<Model, Generation<D>>()
  #last: Promise<unknown> = Promise.resolve()

  constructor(make: (schema: PlannedSchema) => Steps<D>) {
    this.#make = make
  }

  /** The description of a schema. */
  of(schema: PlannedSchema): Promise<D> {
    const { kept, pending } = this.#generation(schema.model)
    const key = JSON.stringify([schema.role, schema.backendOnly])
    const known = kept.get(key)
    if (known) return Promise.resolve(known)
    const running = pending.get(key)
    if (running) return running
    const made = this.#last.then(() => inTurns(this.#make(schema)))
    this.#last = made.catch(() => {})
    pending.set(key, made)
    const keep = (description: D) => {
      kept.set(key, description)
      pending.delete(key)
    }
    made.then(keep, () => pending.delete(key))
    return made
  }

  #generation(model: Model): Generation<D> {
    const known = this.#generations.get(model) ?? new Generation<D>()
    this.#generations.set(model, known)
    return known
  }
}
