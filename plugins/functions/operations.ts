// Tracking functions.

import { badRequest, nameText } from '../../sdk/index.ts'
import { findTable, functionRef, operation, similarFunction } from '../../sdk/metadata.ts'
import { findFunction, tableOfThatName } from './metadata.ts'
import { type FunctionEntry, FunctionName, TrackFunctionArgs, TrackFunctionV2Args } from './schema.ts'

export const trackFunction = operation({
  type: 'track_function',
  about: { summary: 'Adds a function that returns rows of a tracked table to the GraphQL schema.' },
  args: TrackFunctionArgs,
  group: 'track functions',
  check: 'object',
  object: (entry: FunctionEntry) => functionRef(entry.function),
  help: ({ transaction }, entry) => similarFunction(transaction, entry.function),
  handle({ metadata, refreshCatalog }, entry) {
    const name = entry.function
    if (findFunction(metadata, name)) {
      throw badRequest('already-tracked', `function already tracked : "${nameText(name)}"`)
    }
    if (findTable(metadata, name)) throw badRequest('not-supported', tableOfThatName(name))
    metadata.functions.push(entry)
    refreshCatalog([name])
  },
})

export const trackFunctionV2 = operation({ ...trackFunction, version: 2, args: TrackFunctionV2Args })

export const untrackFunction = operation({
  type: 'untrack_function',
  about: { summary: 'Takes a function out of the GraphQL schema.' },
  args: FunctionName,
  check: 'new',
  handle({ metadata, remove }, name) {
    if (!findFunction(metadata, name)) {
      throw badRequest('not-exists', `function not found in cache "${nameText(name)}"`)
    }
    remove(functionRef(name))
  },
})
