// Stitches the schemas of members into one.

import { type GraphQLSchema, validateSchema } from 'graphql'
import { badRequest, messageOf, TrellisError } from '../../sdk/index.ts'
import { checkConflicts } from './conflicts.ts'
import { withDirectives } from './directives.ts'
import { memberExecutor } from './executor.ts'
import { argumentsOf, argumentsOfAll, keyFields, keyOf, keyText, valuesByKey } from './keys.ts'
import { library, type SubschemaConfig } from './library.ts'
import { checkMerges, looksUpLists, type MemberTypes } from './merges.ts'
import { wrapResolvers } from './resolvers.ts'
import type { MergeDefinition } from './schema.ts'
import { mostKeys } from './tuning.ts'

type MergedTypeConfig = NonNullable<SubschemaConfig['merge']>[string]

/** A stitched schema. */
export interface StitchedSchema {
  readonly schema: GraphQLSchema
  /** The names of fields that the library adds to selections. */
  readonly keys: ReadonlySet<string>
}

/** The schema of members; throws if they conflict. */
export function stitchedSchema(given: readonly MemberTypes[]): StitchedSchema {
  for (const member of given) checkMerges(member)
  const subschemas = given.map(subschemaOf)
  const members = given.map((member, i) => ({ ...member, merged: new Set(Object.keys(subschemas[i]!.merge ?? {})) }))
  checkConflicts(members)
  const { stitchSchemas, ValidationLevel } = library()
  let schema: GraphQLSchema
  try {
    schema = stitchSchemas({
      subschemas,
      assumeValid: true,
      typeMergingOptions: { validationSettings: { validationLevel: ValidationLevel.Error } },
    })
  } catch (error) {
    if (error instanceof TrellisError) throw error
    throw refused([error])
  }
  const faults = validateSchema(schema)
  if (faults.length > 0) throw refused(faults)
  wrapResolvers(schema, members)
  return { schema, keys: new Set(subschemas.flatMap(({ merge = {} }) => Object.values(merge).flatMap(selectedNames))) }
}

/** The names in the selection sets of a merge. */
function selectedNames(merge: MergedTypeConfig): string[] {
  const { selectionSet = '', fields = {}, entryPoints = [] } = merge
  const others = [...Object.values(fields), ...entryPoints].map((each) => each.selectionSet ?? '')
  return [selectionSet, ...others].join(' ').match(/\w+/g) ?? []
}

const refused = (faults: readonly unknown[]) =>
  badRequest('remote-schema-error', `the members do not fit together: ${faults.map(messageOf).join('; ')}`)

function subschemaOf({ name, schema, merge, directivesAt }: MemberTypes): SubschemaConfig {
  const config: SubschemaConfig = { name, schema, batch: true, executor: memberExecutor(name, schema) as never }
  if (directivesAt !== null) return withDirectives(config, directivesAt)
  const merges = Object.entries(merge).map(([type, definition]) => {
    return [type, mergeConfig(definition, { name, schema })] as const
  })
  return { ...config, merge: Object.fromEntries(merges) }
}

type Row = Readonly<Record<string, unknown>>

/** The library's form of a merge. */
function mergeConfig(merge: MergeDefinition, { name, schema }: Pick<MemberTypes, 'name' | 'schema'>) {
  const common = { selectionSet: `{ ${keyFields(merge).join(' ')} }`, fieldName: merge.field }
  if (!looksUpLists(merge, schema)) return { ...common, args: (row: Row) => argumentsOf(merge, row) }
  const place = `"${merge.field}" of "${name}"`
  return {
    ...common,
    key: (row: Row) => keyOf(merge, row),
    argsFromKeys: (keys: readonly unknown[]) => argumentsOfAll(merge, keys),
    valuesFromResults: (results: unknown, keys: readonly unknown[]) => valuesByKey(merge, results, keys, place),
    dataLoaderOptions: { cacheKeyFn: keyText, maxBatchSize: mostKeys },
  }
}
