// One run of the property of queries: a world, and requests to it.

import type { Draw } from './draw.ts'
import { drawRequest } from './generate-request.ts'
import { drawWorld } from './generate-world.ts'
import { drawProbes, type Probe } from './probes.ts'
import type { Request } from './request.ts'
import type { World } from './world.ts'

export interface Case {
  readonly world: World
  readonly requests: readonly Request[]
  readonly probes: readonly Probe[]
}

/** A case with this number of requests. */
export function drawCase(draw: Draw, requests: number): Case {
  const world = { ...drawWorld(draw, { inherited: true }), entities: true }
  const role = () => (draw.chance(0.2) ? null : draw.pick(world.roles).name)
  return {
    world,
    requests: Array.from({ length: requests }, () => drawRequest(draw, world, role())),
    probes: world.roles.flatMap(({ name }) => drawProbes(draw, world, name)),
  }
}
