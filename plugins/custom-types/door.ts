// The door `trellis/custom-types` for other plugins. Importing it adds the plugin's parts to the types of documents and models.

export { type ObjectRelationshipKind, type ObjectRelationships, objectRelationships } from './index.ts'
export type { CustomTypesModel, ResolvedType } from './model.ts'
export type {
  CustomEnum,
  CustomEnumValue,
  CustomObject,
  CustomScalar,
  CustomTypes,
  InputObject,
  ObjectField,
  ObjectRelationship,
  TypedField,
} from './schema.ts'
