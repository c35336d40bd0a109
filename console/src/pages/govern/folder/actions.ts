// `actions.graphql` of a folder: signatures of actions and their types. `actions.yaml` beside it has the other members.

import { GraphQLError } from 'graphql'
import { isObject, type JsonObject, listOfObjects } from '../../../base/objects.ts'
import type { Action, CustomTypes } from '../../remote/action-types.ts'
import { readActionsFile, signatureSdl, typesSdl } from '../../remote/sdl.ts'

/** The name of the file. */
export const typesFile = 'actions.graphql'

const kinds = ['input_objects', 'objects', 'scalars', 'enums'] as const

function read(sdl: string, old: CustomTypes) {
  try {
    return readActionsFile(sdl, old)
  } catch (error) {
    const [place] = error instanceof GraphQLError ? (error.locations ?? []) : []
    throw new Error(`${typesFile}:${place ? `${place.line}:${place.column}:` : ''} ${(error as Error).message}`)
  }
}

/** The actions and types of `actions.yaml`, completed by an SDL. Throws where one lacks an action of the other. */
export function withSignatures(value: JsonObject, sdl: string): JsonObject {
  const own = isObject(value['custom_types']) ? value['custom_types'] : {}
  const { signatures, types } = read(sdl, own)
  const actions = listOfObjects(value['actions'])
  const unnamed = signatures.find(({ name }) => !actions.some((action) => action['name'] === name))
  if (unnamed) throw new Error(`${typesFile}: the action ${unnamed.name} is not in actions.yaml`)
  const completed = actions.map((action) => {
    const definition = isObject(action['definition']) ? action['definition'] : {}
    const found = signatures.find(({ name }) => name === action['name'])
    if (!found && definition['output_type'] === undefined) {
      throw new Error(`${typesFile}: it has no field for the action ${action['name']}`)
    }
    if (!found) return action
    const { arguments: args, output_type, type, comment } = found
    const signature = { output_type, ...(args.length > 0 && { arguments: args }), type }
    return { ...(comment !== undefined && { comment }), ...action, definition: { ...definition, ...signature } }
  })
  // Types that only the YAML has stay, as folders with signatures in the YAML have them.
  const joined = kinds.map((kind) => {
    const declared: readonly JsonObject[] = (types[kind] ?? []) as unknown as readonly JsonObject[]
    const others = listOfObjects(own[kind]).filter(({ name }) => !declared.some((each) => each['name'] === name))
    return [kind, [...declared, ...others]] as const
  })
  return { actions: completed, custom_types: Object.fromEntries(joined.filter(([, list]) => list.length > 0)) }
}

/** The SDL of an action; null: it has none, so its YAML has all of it. The comment is in the YAML. */
function sdlOf({ name, definition }: JsonObject): string | null {
  if (!isObject(definition) || definition['output_type'] === undefined) return null
  const sdl = signatureSdl({ name, definition } as unknown as Action)
  try {
    readActionsFile(sdl, {})
    return sdl
  } catch {
    return null
  }
}

/** The two files of a document's actions and types. */
export function splitActions(document: JsonObject): { readonly value: JsonObject; readonly sdl: string } {
  const types = isObject(document['custom_types']) ? document['custom_types'] : {}
  const actions = listOfObjects(document['actions']).map((action) => {
    const sdl = sdlOf(action)
    if (sdl === null) return { action, sdl: '' }
    const { arguments: _a, output_type: _o, type: _t, ...rest } = action['definition'] as JsonObject
    return { action: { ...action, definition: rest }, sdl }
  })
  const names = kinds.map((kind) => {
    const list = listOfObjects(types[kind])
    return [kind, list.map(({ fields: _f, values: _v, description: _d, ...rest }) => rest)] as const
  })
  const custom = Object.fromEntries(names.filter(([, list]) => list.length > 0))
  const texts = [...actions.map(({ sdl }) => sdl), typesSdl(types as CustomTypes)]
  return {
    value: { actions: actions.map(({ action }) => action), custom_types: custom },
    sdl: texts.filter((text) => text !== '').join('\n'),
  }
}
