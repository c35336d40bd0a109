// Types of GraphQL that users declare, for the arguments and results of actions.

import { definePlugin } from '../../sdk/index.ts'
import { customTypesSlice } from './metadata.ts'
import { setCustomTypes } from './operations.ts'

export { typeOfText } from './metadata.ts'
export {
  baseOf,
  type CustomTypesModel,
  type ModelField,
  type NamedType,
  type ObjectModel,
  type ResolvedType,
} from './model.ts'
export { baseName } from './type-text.ts'
export { isInput } from './validate.ts'

export default definePlugin({
  name: 'custom-types',
  dependencies: ['metadata', 'tables'],
  register({ metadata, operations }) {
    metadata.slice('custom_types', customTypesSlice)
    operations.add(setCustomTypes)
  },
})
