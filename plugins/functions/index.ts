// Functions of the database that return rows of a table, as root fields.

import { definePlugin } from '../../sdk/index.ts'
import { functionContribution } from './graphql.ts'
import { functionsSlice } from './metadata.ts'
import { trackFunction, trackFunctionV2, untrackFunction } from './operations.ts'

export { type FunctionCall, functionCall, requestArguments } from './call.ts'
export { findArgument, soleFunction } from './metadata.ts'

export default definePlugin({
  name: 'functions',
  dependencies: ['tables'],
  register(engine) {
    engine.metadata.slice('functions', functionsSlice)
    engine.operations.add(trackFunction, trackFunctionV2, untrackFunction)
    engine.graphql.contribute(functionContribution)
  },
})
