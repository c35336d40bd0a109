// Members whose SDL says with stitching directives how their types merge: `@key`, `@merge`, `@computed` and `@canonical`.

import {
  assertValidSchema,
  buildASTSchema,
  type GraphQLSchema,
  isInputObjectType,
  isInterfaceType,
  isObjectType,
  Kind,
  parse,
} from 'graphql'
import { messageOf } from '../../sdk/index.ts'
import { directives, type SubschemaConfig } from './library.ts'
import { invalid } from './merges.ts'

/** Whether the SDL of a schema of this process has the directives. */
export const hasDirectives = (schema: GraphQLSchema): boolean => schema.getDirective('merge') !== undefined

/** The schema of an SDL with directives. Throws if it is invalid, or has fields that the server does not have. */
export function schemaOfSdl(
  sdl: string,
  served: GraphQLSchema,
  { at, name }: { readonly at: string; readonly name: string },
) {
  const { allStitchingDirectivesTypeDefs } = directives()
  let schema: GraphQLSchema
  try {
    const { definitions } = parse(sdl)
    const isDefined = definitions.some((each) => each.kind === Kind.DIRECTIVE_DEFINITION && each.name.value === 'merge')
    const known = isDefined ? [] : parse(allStitchingDirectivesTypeDefs).definitions
    schema = buildASTSchema({ kind: Kind.DOCUMENT, definitions: [...definitions, ...known] })
    assertValidSchema(schema)
  } catch (error) {
    throw invalid(`${at}: ${messageOf(error)}`)
  }
  for (const type of Object.values(schema.getTypeMap())) {
    if (type.name.startsWith('__')) continue
    const own = served.getType(type.name)
    if (!hasFields(type)) continue
    if (!own || !hasFields(own)) throw invalid(`${at}: "${name}" has no type "${type.name}"`)
    const fields = own.getFields()
    for (const [field, { type: given }] of Object.entries(type.getFields())) {
      const found = fields[field]
      if (!found) throw invalid(`${at}: "${name}" has no field "${type.name}.${field}"`)
      if (String(found.type) === String(given)) continue
      throw invalid(`${at}: the field "${type.name}.${field}" of "${name}" is of type ${found.type}, not ${given}`)
    }
  }
  return schema
}

const hasFields = (type: unknown) => isObjectType(type) || isInterfaceType(type) || isInputObjectType(type)

/** The form of the library with the merges that directives declare; throws if they are invalid. */
export function withDirectives(config: SubschemaConfig, at: string): SubschemaConfig {
  const { stitchingDirectivesTransformer, stitchingDirectivesValidator } = directives()
  try {
    stitchingDirectivesValidator(config.schema)
    return stitchingDirectivesTransformer(config)
  } catch (error) {
    throw invalid(`${at}: ${messageOf(error)}`)
  }
}
