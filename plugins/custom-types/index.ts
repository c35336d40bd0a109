// GraphQL types that users declare for the arguments and results of actions.

import { definePlugin, serviceKey } from '../../sdk/index.ts'
import { operation } from '../../sdk/metadata.ts'
import { customTypesRef, customTypesSlice } from './metadata.ts'
import { type ObjectRelationships, RelationshipKinds } from './relationship-kinds.ts'
import { setCustomTypesArgs } from './schema.ts'

export { tableFields } from './graphql.ts'
export { dependOnType, typeOfText } from './metadata.ts'
export {
  baseOf,
  type CustomTypesModel,
  type ModelField,
  type NamedType,
  nameOfType,
  type ObjectMember,
  type ObjectModel,
  type RelationshipOfObject,
  type ResolvedType,
} from './model.ts'
export type { ObjectRelationshipKind, ObjectRelationships } from './relationship-kinds.ts'
export type { OtherRelationship } from './schema.ts'
export { baseName } from './type-text.ts'
export { isInput } from './validate.ts'

/** The service to which other plugins add kinds of object relationships. */
export const objectRelationships = serviceKey<ObjectRelationships>('object-relationships')

/** Replaces the custom types. */
const setCustomTypes = (kinds: RelationshipKinds) =>
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

export default definePlugin({
  name: 'custom-types',
  dependencies: ['metadata', 'tables'],
  register({ metadata, operations, provide }) {
    const kinds = new RelationshipKinds()
    metadata.slice('custom_types', customTypesSlice(kinds))
    operations.add(setCustomTypes(kinds))
    provide(objectRelationships, kinds)
  },
})
