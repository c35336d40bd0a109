// One run of the property of mutations: a world, and mutations of it in sequence.

import type { Draw } from '../draw.ts'
import { drawWorld } from '../generate-world.ts'
import type { Probe } from '../probes.ts'
import type { World } from '../world.ts'
import { drawMutation } from './generate.ts'
import type { Mutation } from './mutation.ts'
import { drawWriteProbes } from './probes.ts'

/** Mutations that follow each other, starting from the rows of the world. */
export type Script = readonly Mutation[]

export interface MutationCase {
  readonly world: World
  readonly scripts: readonly Script[]
  readonly probes: readonly Probe[]
}

export function drawMutationCase(draw: Draw, scripts: number, length: number): MutationCase {
  const world = drawWorld(draw, { inherited: false })
  return {
    world,
    scripts: Array.from({ length: scripts }, () => drawScript(draw, world, length)),
    probes: world.roles.flatMap(({ name }) => drawWriteProbes(draw, world, name)),
  }
}

/** Mutations that make sense in sequence, as far as that is known in advance. */
function drawScript(draw: Draw, start: World, length: number): Script {
  const script: Mutation[] = []
  let world = start
  for (let i = 0; i < length; i++) {
    const role = draw.chance(0.3) ? null : draw.pick(world.roles).name
    const drawn = drawMutation(draw, world, role)
    if (!drawn) continue
    script.push(drawn.mutation)
    world = drawn.world
  }
  return script
}
