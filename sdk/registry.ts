// The types that plugins add to, each by its name: `declare module 'trellis/registry' { interface ModelSlices { … } }`.
// Empty here, so that core knows no plugin; the types in core that are named below take up what is added.

/** Top-level keys of the metadata document that are slices of plugins, with what is stored: `MetadataDocument`. */
export interface DocumentSlices {}

/** Keys of a table's entry that are facets of plugins, each an optional array of objects: `TableEntry`. */
export interface TableFacets {}

/** What slices resolve to, by the slice's key: `Model.slices`. */
export interface ModelSlices {}

/** Kinds of member that a table's rows can have beside columns and relationships; the kind is the key: `FieldModel`. */
export interface FieldKinds {}

/** Types of log lines, with what each holds: `LogDetails`. */
export interface LogKinds {}
