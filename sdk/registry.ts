// The types that plugins extend by name: `declare module 'trellis/registry' { interface ModelSlices { … } }`. They
// are empty here, so that core knows no plugin. The core types named below include the additions.

/** Top-level keys of the metadata document that plugins own as slices, with the stored type: `MetadataDocument`. */
export interface DocumentSlices {}

/** Keys of a table's entry that plugins own as facets. Each is an optional array of objects, or one object: `TableEntry`. */
export interface TableFacets {}

/** The resolved values of slices, by the slice's key: `Model.slices`. */
export interface ModelSlices {}

/** Kinds of row members other than columns and relationships. The kind is the key: `FieldModel`. */
export interface FieldKinds {}

/** The names of plugins that `dependencies` suggests, as keys. */
export interface PluginNames {}

/** Log types with their details: `LogDetails`. */
export interface LogKinds {}
