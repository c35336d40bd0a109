// What tracked functions look like on the wire, in arguments and in the document.

import { Type } from '@sinclair/typebox'
import type { QualifiedName } from '../../core/names.ts'
import { decode } from '../../core/operations/decode.ts'
import { TableName } from '../../core/operations/wire-types.ts'

/** One tracked function. */
export interface FunctionEntry {
  function: QualifiedName
  configuration?: { session_argument: string }
}

declare module '../../core/metadata/document.ts' {
  interface MetadataDocument {
    functions: FunctionEntry[]
  }
}

export const FunctionName = { ...TableName, title: 'FunctionName', examples: ['search_books'] }

interface WireEntry {
  readonly function: QualifiedName
  readonly configuration?: { readonly session_argument?: string }
}

/** Leaves out a configuration that says nothing. */
function canonical({ function: name, configuration }: WireEntry): FunctionEntry {
  const argument = configuration?.session_argument
  return { function: name, ...(argument !== undefined && { configuration: { session_argument: argument } }) }
}

/** A document may hold no unknown keys, arguments may. */
function entrySchema(document: boolean) {
  const closed = document ? { additionalProperties: false } : {}
  const configuration = Type.Object({ session_argument: Type.Optional(Type.String()) }, closed)
  const options = { ...closed, missingKey: 'A', convert: canonical }
  const shape = Type.Object({ function: FunctionName, configuration: Type.Optional(configuration) }, options)
  return Type.Unsafe<FunctionEntry>(shape)
}

/** The arguments of `track_function`: a function's name alone. */
export const TrackFunctionArgs = Type.Unsafe<FunctionEntry>({
  ...FunctionName,
  convert: (name: unknown): FunctionEntry => ({ function: decode(FunctionName, name) }),
})

export const TrackFunctionV2Args = entrySchema(false)

/** `functions` of a document of format 1, and of format 2. */
export const documentSchemas = {
  names: Type.Array(TrackFunctionArgs),
  entries: Type.Array(entrySchema(true)),
}
