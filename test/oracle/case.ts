// What one run of the property is about, as an arbitrary of fast-check: a world, and what is asked of it.

import * as fc from 'fast-check'
import { Draw } from './draw.ts'
import { drawRequest } from './generate-request.ts'
import { drawWorld } from './generate-world.ts'
import { drawProbes, type Probe } from './probes.ts'
import type { Request } from './request.ts'
import { simplerCases } from './shrink.ts'
import type { World } from './world.ts'

export interface Case {
  readonly world: World
  readonly requests: readonly Request[]
  readonly probes: readonly Probe[]
}

/** Cases of so many requests. */
export class CaseArbitrary extends fc.Arbitrary<Case> {
  readonly #requests: number

  constructor(requests: number) {
    super()
    this.#requests = requests
  }

  override generate(random: fc.Random): fc.Value<Case> {
    const draw = new Draw(random)
    const world = drawWorld(draw)
    const role = () => (draw.chance(0.2) ? null : draw.pick(world.roles).name)
    const requests = Array.from({ length: this.#requests }, () => drawRequest(draw, world, role()))
    const probes = world.roles.flatMap(({ name }) => drawProbes(draw, world, name))
    return new fc.Value({ world, requests, probes }, undefined)
  }

  override canShrinkWithoutContext(_value: unknown): _value is Case {
    return false
  }

  override shrink(value: Case): fc.Stream<fc.Value<Case>> {
    return fc.stream(simplerCases(value)).map((simpler) => new fc.Value(simpler, undefined))
  }
}
