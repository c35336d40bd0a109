// The shape of relationships that lead to rows of a table: `{"to_source": …}`.

import { parseFailed, type QualifiedName, sameName, Type } from '../../sdk/index.ts'
import {
  ColumnName,
  DocumentTableName,
  type MetadataDocument,
  own,
  type Rename,
  requireSource,
  SourceName,
  TableName,
} from '../../sdk/metadata.ts'
import { isJsonObject } from '../../sdk/services.ts'

/** A relationship to rows of a table; `field_mapping` maps fields of a type, or columns of a table, to columns. */
export interface ToTable {
  relationship_type: 'object' | 'array'
  /** As given; exports have the name of the one source. */
  source?: string
  table: QualifiedName
  field_mapping: Record<string, string>
}

/** The definition of a relationship to rows of a table. */
export interface ToTableDefinition {
  to_source: ToTable
}

function notEmpty(mapping: Readonly<Record<string, string>>) {
  if (Object.keys(mapping).length === 0) throw parseFailed('expecting at least one field in the mapping')
  return mapping
}

const closed = { additionalProperties: false }

/** A definition, in a document or in arguments. */
export function toTableSchema(isDocument: boolean) {
  const toTable = Type.Object(
    {
      relationship_type: Type.Union([Type.Literal('object'), Type.Literal('array')]),
      source: SourceName,
      table: isDocument ? DocumentTableName : TableName,
      field_mapping: Type.Record(Type.String(), ColumnName, {
        ...{ minProperties: 1, convert: notEmpty },
        examples: [{ author_id: 'id' }],
      }),
    },
    closed,
  )
  return Type.Object({ to_source: toTable }, closed)
}

/** Whether a definition leads to rows of a table. */
export const leadsToTable = (definition: unknown): definition is ToTableDefinition =>
  isJsonObject(definition) && own(definition, 'to_source') !== undefined

/** The definition in arguments without the name of the source, which may get another one; another source is refused. */
export function inOneSource(metadata: MetadataDocument, { to_source }: ToTableDefinition): ToTableDefinition {
  const { source, ...toTable } = to_source
  requireSource(metadata, source, ['definition', 'to_source', 'source'])
  return { to_source: toTable }
}

/** A definition in the form of documents; only those of format 3 name the source. */
export function writtenToTable(
  { to_source: { relationship_type, source, table, field_mapping } }: ToTableDefinition,
  form: { readonly formatVersion: number; readonly source: string },
): ToTableDefinition {
  const named = form.formatVersion === 3 ? (source ?? form.source) : source
  return { to_source: { relationship_type, ...(named !== undefined && { source: named }), table, field_mapping } }
}

/** A definition with the new name of its table or of a column of it. */
export function renamedToTable(definition: ToTableDefinition, rename: Rename): ToTableDefinition {
  const { table, field_mapping: mapping } = definition.to_source
  if (rename.kind === 'table') {
    return sameName(table, rename.from) ? { to_source: { ...definition.to_source, table: rename.to } } : definition
  }
  if (rename.kind !== 'column' || !sameName(table, rename.table)) return definition
  const field_mapping = Object.fromEntries(
    Object.entries(mapping).map(([field, column]) => [field, column === rename.from ? rename.to : column]),
  )
  return { to_source: { ...definition.to_source, field_mapping } }
}
