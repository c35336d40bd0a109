// The shape of definitions of stitched schemas.

import { badRequest, type ObjectOptions, Type } from '../../sdk/index.ts'
import { GraphQLName, ObjectName } from '../../sdk/metadata.ts'

/** The way in which a member gives the values of a type that others have too. */
export interface MergeDefinition {
  /** The fields that identify a value. */
  key: string | string[]
  /** The root field of queries that gives values for keys: one, or a list for a list of keys. */
  field: string
  /**
   * The argument that takes the key, or a path to a member of an input object such as `where.id._in`. Keys of several
   * fields are objects; or each field has an argument of its own.
   */
  argument: string | Record<string, string>
}

/** A member of a stitched schema. */
export interface StitchMember {
  remote_schema: string
  /** By the name of the type. */
  merge?: Record<string, MergeDefinition>
  /** The member's SDL with stitching directives, instead of `merge`. */
  sdl?: string
}

declare module '../remote-schemas/schema.ts' {
  interface RemoteSchemaDefinition {
    /** The members of a stitched schema, instead of a URL. */
    stitch?: StitchMember[]
  }
}

const Path = Type.String({ pattern: '^[_A-Za-z]\\w*(\\.[_A-Za-z]\\w*)*$', examples: ['ids', 'where.id._in'] })

const merge = (options: ObjectOptions) =>
  Type.Object(
    {
      key: Type.Union([GraphQLName, Type.Array(GraphQLName, { minItems: 1 })]),
      field: GraphQLName,
      argument: Type.Union([Path, Type.Record(Type.String(), Path, { minProperties: 1 })]),
    },
    options,
  )

function checkedMember(member: StitchMember): StitchMember {
  if (member.merge === undefined || member.sdl === undefined) return member
  throw badRequest('invalid-params', "both `merge` and `sdl` can't be present")
}

/** `stitch` of a definition. */
export const stitchSchema = (options: ObjectOptions) =>
  Type.Array(
    Type.Object(
      {
        remote_schema: ObjectName,
        merge: Type.Optional(Type.Record(Type.String(), merge(options))),
        sdl: Type.Optional(Type.String()),
      },
      { ...options, convert: checkedMember },
    ),
    { minItems: 1 },
  )
