// `bulk`: several requests as one. Its members are decoded with it and run in its transaction, see `dispatch.ts`.

import { Type } from '@sinclair/typebox'
import { internalError } from '../errors/errors.ts'
import { operation } from './operation.ts'

/** The operation whose arguments are requests of their own; access and effects are those of its members. */
export const bulk = operation({
  type: 'bulk',
  about: { summary: 'Runs requests in order, all or none of them.' },
  args: Type.Array(Type.Unknown()),
  adminOnly: false,
  access: 'any',
  editsMetadata: false,
  handle() {
    throw internalError('the members of a bulk are run by the dispatcher')
  },
})
