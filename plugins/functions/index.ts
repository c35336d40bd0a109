// Functions of the database that return rows of a table, as root fields.

import { definePlugin, option, Type } from '../../sdk/index.ts'
import { functionContribution, rowContribution } from './graphql.ts'
import { functionsSlice } from './metadata.ts'
import {
  createFunctionPermission,
  dropFunctionPermission,
  setFunctionCustomization,
  trackFunction,
  trackFunctionV2,
  untrackFunction,
} from './operations.ts'

export { type FunctionCall, fixedCall, functionCall, isRow, requestArguments } from './call.ts'
export { findArgument, soleFunction } from './metadata.ts'

export default definePlugin({
  name: 'functions',
  dependencies: ['tables'],
  options: {
    inferFunctionPermissions: option.trueOrFalse(true, {
      flag: 'infer-function-permissions',
      variable: 'INFER_FUNCTION_PERMISSIONS',
      description:
        'let roles call STABLE and IMMUTABLE functions whose rows they may select, without a permission for them',
    }),
  },
  register(engine) {
    engine.metadata.slice('functions', functionsSlice(engine.options.inferFunctionPermissions))
    engine.operations.add(trackFunction, trackFunctionV2, untrackFunction, setFunctionCustomization)
    engine.operations.add(createFunctionPermission, dropFunctionPermission)
    engine.graphql.contribute(functionContribution)
    engine.graphql.contribute(rowContribution)
    if (engine.settings.graphqlInterface !== '2') return
    const value = () => engine.options.inferFunctionPermissions
    engine.configuration.add({ key: 'is_function_permissions_inferred', place: 12, schema: Type.Boolean(), value })
  },
})
