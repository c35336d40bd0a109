// The slice `api_limits`, and the operations that set it.

import type { Dialect } from '../../sdk/index.ts'
import { NoArguments, operation, type SliceDefinition } from '../../sdk/metadata.ts'
import { saysNothing } from '../../sdk/services.ts'
import { type ApiLimits, storedLimits } from './schema.ts'

declare module '../../sdk/registry.ts' {
  interface DocumentSlices {
    api_limits: ApiLimits
  }
  interface ModelSlices {
    api_limits: ApiLimits
  }
}

type LimitsSlice = SliceDefinition<'api_limits', ReturnType<typeof storedLimits>>

/** The slice `api_limits`. */
export const limitsSlice = (dialect: Dialect): LimitsSlice => ({
  schema: storedLimits(dialect),
  empty: {},
  write: (limits) => (saysNothing(limits) ? undefined : limits),
  resolve: (limits) => limits,
})

/** `set_api_limits` and `remove_api_limits`. */
export const limitOperations = (dialect: Dialect) => [
  operation({
    type: 'set_api_limits',
    about: { summary: 'Sets the limits on requests of roles.' },
    args: storedLimits(dialect),
    handle({ metadata }, limits) {
      metadata.api_limits = limits
    },
  }),
  operation({
    type: 'remove_api_limits',
    about: { summary: 'Removes the limits that the metadata sets.' },
    args: NoArguments,
    handle({ metadata }) {
      metadata.api_limits = {}
    },
  }),
]
