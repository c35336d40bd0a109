// The operation that replaces the custom types.

import { operation } from '../../sdk/metadata.ts'
import { customTypesRef } from './metadata.ts'
import type { RelationshipKinds } from './relationship-kinds.ts'
import { setCustomTypesArgs } from './schema.ts'

export const setCustomTypes = (kinds: RelationshipKinds) =>
  operation({
    type: 'set_custom_types',
    about: { summary: "Replaces all custom types: the types of actions' arguments and results." },
    args: setCustomTypesArgs(kinds),
    check: 'object',
    object: () => customTypesRef,
    parts: ({ objects = [] }) => kinds.entriesOf(objects).map(({ description }) => description.ref),
    handle({ metadata }, types) {
      metadata.custom_types = types
    },
  })
