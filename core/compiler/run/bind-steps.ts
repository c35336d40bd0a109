// Binds the inputs of a request with many values in steps, so that other requests can run in between.

import { inTurns, type Steps } from '../../concurrency/stepwise.ts'
import type { Codec, ParamSource } from '../../database/sql/param.ts'
import { below, type Path } from '../../errors/path.ts'
import { hasMoreValues } from '../../json/json.ts'
import { valuesAtOnce } from '../../json/tuning.ts'
import { charactersAtOnce, charactersPerItem } from '../tuning.ts'
import { encodeArray } from '../types/codecs.ts'
import { type Bindings, type BoundInputs, bindInputs, encodeItem, located, memberValue, readInput } from './bind.ts'

/** Whether binding the variables of a request takes so long that others should run in between. */
export const bindsLong = (variables: Bindings['variables']): boolean => hasMoreValues(variables, valuesAtOnce)

/** As `bindInputs`, in turns. */
export async function bindInTurns(inputs: readonly ParamSource[], bindings: Bindings): Promise<BoundInputs> {
  const bound = new Map<ParamSource, string | null>()
  for (const source of inputs) bound.set(source, await inTurns(boundSteps(source, bindings)))
  return bound
}

function* boundSteps(source: ParamSource, bindings: Bindings): Steps<string | null> {
  if (source.from === 'members') return yield* memberSteps(source, bindings.variables)
  if (source.from === 'input') return yield* inputSteps(source, bindings.variables)
  return bindInputs([source], bindings).get(source) ?? null
}

function* inputSteps(
  { input, codec, list, path }: Extract<ParamSource, { from: 'input' }>,
  variables: Bindings['variables'],
): Steps<string | null> {
  const value = readInput(input, variables)
  if (value === null || value === undefined) return null
  if (list) {
    const values = Array.isArray(value) ? value : [value]
    return yield* listSteps(codec, values.length, { at: (i) => values[i], pathOf: (i) => path && below(path, i) })
  }
  try {
    return codec.encodeSteps ? yield* codec.encodeSteps(value) : codec.encode(value)
  } catch (error) {
    throw located(error, path)
  }
}

function* memberSteps(
  source: Extract<ParamSource, { from: 'members' }>,
  variables: Bindings['variables'],
): Steps<string> {
  const { codec, path, member } = source
  const value = readInput(source.input, variables)
  const objects = (Array.isArray(value) ? value : [value]) as Readonly<Record<string, unknown>>[]
  return yield* listSteps(codec, objects.length, {
    at: (i) => memberValue(objects[i]!, member),
    pathOf: (i) => below(below(path, i), member),
  })
}

/** The values of a list, and the paths of errors in them. */
interface Items {
  at(index: number): unknown
  pathOf(index: number): Path | null
}

function* listSteps(codec: Codec, length: number, { at, pathOf }: Items): Steps<string> {
  const parts: string[] = []
  for (let i = 0; i < length; ) {
    const items: (string | number | null)[] = []
    try {
      for (let size = 0; i < length && size < charactersAtOnce; i++) {
        const value = at(i)
        const isLong = codec.encodeSteps !== undefined && typeof value === 'object' && value !== null
        const item = isLong ? yield* codec.encodeSteps!(value) : encodeItem(codec, value)
        items.push(item)
        size += typeof item === 'string' ? item.length + charactersPerItem : charactersPerItem
      }
    } catch (error) {
      throw located(error, pathOf(i))
    }
    parts.push(encodeArray(items).slice(1, -1))
    yield
  }
  return `{${parts.join()}}`
}
