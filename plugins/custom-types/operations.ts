// Replacing the custom types.

import { operation } from '../../sdk/metadata.ts'
import { customTypesRef } from './metadata.ts'
import { SetCustomTypesArgs } from './schema.ts'

export const setCustomTypes = operation({
  type: 'set_custom_types',
  about: { summary: 'Replaces all custom types, which actions are declared with.' },
  args: SetCustomTypesArgs,
  check: 'object',
  object: () => customTypesRef,
  handle({ metadata }, types) {
    metadata.custom_types = types
  },
})
