// Tracking functions, and permissions to call them.

import { badRequest, type LaterWords, nameKey, nameText, type QualifiedName } from '../../sdk/index.ts'
import {
  findTable,
  functionRef,
  type MetadataDocument,
  operation,
  similarFunction,
  sourceName,
} from '../../sdk/metadata.ts'
import { findFunction, tableOfThatName } from './metadata.ts'
import {
  FunctionCustomizationArgs,
  type FunctionEntry,
  FunctionName,
  FunctionPermissionArgs,
  TrackFunctionArgs,
  TrackFunctionV2Args,
} from './schema.ts'

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
  about: { summary: 'Removes a function from the GraphQL schema.' },
  args: FunctionName,
  check: 'new',
  handle({ metadata, remove }, name) {
    if (!findFunction(metadata, name)) {
      const message = `function not found in cache "${nameText(name)}"`
      throw badRequest('not-exists', message, { inInterface2: unknownFunction(metadata, name) })
    }
    remove(functionRef(name))
  },
})

function requireFunction(metadata: MetadataDocument, name: QualifiedName): FunctionEntry {
  const found = findFunction(metadata, name)
  if (found) return found
  const message = `function "${nameText(name)}" does not exist`
  throw badRequest('not-exists', message, { inInterface2: unknownFunction(metadata, name) })
}

const unknownFunction = (metadata: MetadataDocument, name: QualifiedName): LaterWords => ({
  message: `function "${nameText(name)}" does not exist in source: ${sourceName(metadata)}`,
})

export const setFunctionCustomization = operation({
  type: 'set_function_customization',
  about: { summary: 'Replaces the configuration of a tracked function, such as its names.' },
  args: FunctionCustomizationArgs,
  check: 'object',
  object: ({ function: name }) => functionRef(name),
  handle({ metadata }, { function: name, configuration }) {
    const entry = requireFunction(metadata, name)
    const { function: _, configuration: __, ...others } = entry
    const next = { function: name, ...(configuration && { configuration }), ...others }
    metadata.functions[metadata.functions.indexOf(entry)] = next
  },
})

/** An error about the permission of a function in the words of interface 2, which name the source. */
const namingSource = (message: string, metadata: MetadataDocument): { readonly inInterface2: LaterWords } => ({
  inInterface2: { message: `${message} in source: "${sourceName(metadata)}"` },
})

export const createFunctionPermission = operation({
  type: 'create_function_permission',
  about: { summary: 'Lets a role call a function whose rows it may select.' },
  args: FunctionPermissionArgs,
  check: 'new',
  handle({ metadata, model }, { function: name, role }) {
    const entry = requireFunction(metadata, name)
    const text = nameText(name)
    if (entry.permissions?.some((each) => each.role === role)) {
      const later = namingSource(`permission of role "${role}" already exists for function "${text}"`, metadata)
      throw badRequest('already-exists', `permission of role "${role}" already exists for function "${text}"`, later)
    }
    const table = model.slices.functions?.get(nameKey(name))?.table
    if (table && role !== 'admin' && !model.tables.get(nameKey(table))?.permissions.get(role)?.select) {
      const wanted = `"${nameText(table)}" has select permission configured for role: "${role}"`
      throw badRequest(
        'not-supported',
        `function permission can only be added when the function's return table ${wanted}`,
      )
    }
    entry.permissions = [...(entry.permissions ?? []), { role }]
  },
})

export const dropFunctionPermission = operation({
  type: 'drop_function_permission',
  about: { summary: 'Drops the permission of a role to call a function.' },
  args: FunctionPermissionArgs,
  check: 'new',
  handle({ metadata }, { function: name, role }) {
    const entry = requireFunction(metadata, name)
    const rest = (entry.permissions ?? []).filter((each) => each.role !== role)
    if (rest.length === (entry.permissions?.length ?? 0)) {
      const text = nameText(name)
      const later = namingSource(`permission of role "${role}" does not exist for function "${text}"`, metadata)
      throw badRequest('not-exists', `permission of role "${role}" does not exist for function "${text}"`, later)
    }
    if (rest.length > 0) entry.permissions = rest
    else delete entry.permissions
  },
})
