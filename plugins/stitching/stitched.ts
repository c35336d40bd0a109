// Stitches the schemas of members into one.

import { type GraphQLSchema, validateSchema } from 'graphql'
import { badRequest, messageOf, TrellisError } from '../../sdk/index.ts'
import { checkConflicts } from './conflicts.ts'
import { memberExecutor } from './executor.ts'
import { argumentsOf, argumentsOfAll, keyFields, keyOf, keyText, valuesByKey } from './keys.ts'
import { library } from './library.ts'
import { checkMerges, type MemberTypes } from './merges.ts'
import { wrapResolvers } from './resolvers.ts'
import type { MergeDefinition } from './schema.ts'
import { mostKeys } from './tuning.ts'

/** The schema of members; throws if they conflict. */
export function stitchedSchema(members: readonly MemberTypes[]): GraphQLSchema {
  for (const member of members) checkMerges(member)
  checkConflicts(members)
  const { stitchSchemas, ValidationLevel } = library()
  let schema: GraphQLSchema
  try {
    schema = stitchSchemas({
      subschemas: members.map(subschemaOf),
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
  return schema
}

const refused = (faults: readonly unknown[]) =>
  badRequest('remote-schema-error', `the members do not fit together: ${faults.map(messageOf).join('; ')}`)

const subschemaOf = ({ name, schema, merge }: MemberTypes) => ({
  name,
  schema,
  batch: true,
  executor: memberExecutor(name) as never,
  merge: Object.fromEntries(
    Object.entries(merge).map(([type, definition]) => [
      type,
      mergeConfig(definition, `"${definition.field}" of "${name}"`),
    ]),
  ),
})

type Row = Readonly<Record<string, unknown>>

/** The library's form of a merge; `place` names the root field in errors. */
function mergeConfig(merge: MergeDefinition, place: string) {
  const common = { selectionSet: `{ ${keyFields(merge).join(' ')} }`, fieldName: merge.field }
  if (typeof merge.argument !== 'string') return { ...common, args: (row: Row) => argumentsOf(merge, row) }
  return {
    ...common,
    key: (row: Row) => keyOf(merge, row),
    argsFromKeys: (keys: readonly unknown[]) => argumentsOfAll(merge, keys),
    valuesFromResults: (results: unknown, keys: readonly unknown[]) => valuesByKey(merge, results, keys, place),
    dataLoaderOptions: { cacheKeyFn: keyText, maxBatchSize: mostKeys },
  }
}
