// The source argument of later engines: there is one source here.

import { badRequest, Type } from '../../sdk/index.ts'
import { ObjectName } from '../../sdk/metadata.ts'

const only = 'default'

/** The name of a source as an argument; absent: the only one. */
export const Source = Type.Optional(ObjectName)

/** Refuses any other source. */
export function requireSource(name: string = only): void {
  if (name !== only) throw badRequest('not-exists', `source with name "${name}" does not exist`)
}
