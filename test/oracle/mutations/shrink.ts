// Simpler cases than a given one.

import { reductions, simplerWorlds } from '../shrink.ts'
import type { MutationCase, Script } from './case.ts'
import type { Mutation } from './mutation.ts'

/** Simpler cases to try after a failure, largest reductions first. */
export function* simplerMutationCases({ world, scripts, probes }: MutationCase): Generator<MutationCase> {
  if (scripts.length + probes.length > 1) {
    for (const script of scripts) yield { world, scripts: [script], probes: [] }
    for (const probe of probes) yield { world, scripts: [], probes: [probe] }
    return
  }
  const [script] = scripts
  if (!script) return
  for (const simpler of simplerScripts(script)) yield { world, scripts: [simpler], probes }
  for (const simpler of simplerWorlds(world, script)) yield { world: simpler, scripts, probes }
}

function* simplerScripts(script: Script): Generator<Script> {
  for (const mutation of script) if (script.length > 1) yield [mutation]
  if (script.length > 1) for (const i of script.keys()) yield script.toSpliced(i, 1)
  for (const [i, mutation] of script.entries()) {
    for (const simpler of reductions(mutation)) yield script.with(i, simpler as Mutation)
  }
}
