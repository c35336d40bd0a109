// The query tags of a source: comments in statements that name the operation, for those who watch the database.

import { type Static, Type } from '@sinclair/typebox'

/** The form of the comments. */
export type TagFormat = 'standard' | 'sqlcommenter'

/** Query tags in documents and arguments. */
export const QueryTags = Type.Object(
  {
    disabled: Type.Optional(Type.Boolean()),
    format: Type.Optional(Type.Union([Type.Literal('standard'), Type.Literal('sqlcommenter')])),
    omit_request_id: Type.Optional(Type.Boolean()),
  },
  { additionalProperties: false },
)

/** The form of comments that tags ask for; null: no comments. */
export const tagFormatOf = ({ disabled = false, format = 'standard' }: Static<typeof QueryTags>): TagFormat | null =>
  disabled ? null : format
