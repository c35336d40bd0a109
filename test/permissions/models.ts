// Handmade models, for tests without a database.

import type { CatalogColumn, PgType } from '../../core/catalog/types.ts'
import type { ColumnModel, FieldModel, RelationshipModel, TableModel } from '../../core/metadata/document/model.ts'
import { objectText } from '../../core/metadata/document/objects.ts'
import { dialects } from '../../core/names/dialect.ts'
import { nameKey, type QualifiedName } from '../../core/names/names.ts'
import type { ExpressionContext } from '../../plugins/permissions/index.ts'

const sqlNames: Readonly<Record<string, string>> = { int4: 'integer', varchar: 'character varying', bool: 'boolean' }

export function pgType(name: string): PgType {
  const element = name.startsWith('_') ? name.slice(1) : name
  const sql = sqlNames[element] ?? element
  return { schema: 'pg_catalog', name, sql: name === element ? sql : `${sql}[]`, kind: 'b', isArray: name !== element }
}

export const publicName = (name: string): QualifiedName => ({ schema: 'public', name })

/** A table in schema public; columns are given by the names of their types. */
export function tableModel(
  name: string,
  columns: Readonly<Record<string, string>>,
  more: {
    readonly fields?: readonly FieldModel[]
    readonly enums?: Readonly<Record<string, string>>
  } & Pick<Partial<TableModel>, 'isEnum' | 'enumValues'> = {},
): TableModel {
  const { fields = [], enums = {}, ...rest } = more
  const models = Object.entries(columns).map(
    ([column, type]): ColumnModel => ({
      kind: 'column',
      name: column,
      field: column,
      type: pgType(type),
      nullable: true,
      comment: null,
      column: {} as CatalogColumn,
      enumTable: enums[column] ? publicName(enums[column]) : null,
    }),
  )
  return {
    name: publicName(name),
    graphqlName: name,
    isCamel: false,
    catalog: {} as TableModel['catalog'],
    configuration: { custom_root_fields: {}, custom_column_names: {} },
    isEnum: false,
    enumValues: null,
    columns: new Map(models.map((column) => [column.name, column])),
    primaryKey: null,
    fields: new Map([...models, ...fields].map((field) => [field.name, field])),
    permissions: new Map(),
    extensions: new Map(),
    ...rest,
  }
}

export const relationship = (
  name: string,
  target: string,
  mapping: RelationshipModel['mapping'],
  type: RelationshipModel['type'] = 'object',
): RelationshipModel => ({
  kind: 'relationship',
  name,
  type,
  target: publicName(target),
  mapping,
  required: false,
  unique: type === 'object',
  insertedAfter: type === 'array',
  comment: null,
})

/** A context over these tables; dependencies are recorded as `column t.c on_type`. */
export function expressionContext(...tables: readonly TableModel[]): ExpressionContext & { readonly noted: string[] } {
  const byName = new Map(tables.map((table) => [nameKey(table.name), table]))
  const noted: string[] = []
  return {
    noted,
    dialect: dialects.trellis,
    table: (name) => byName.get(nameKey(name)),
    depend: (on, reason) => noted.push(`${objectText(on)} ${reason}`),
  }
}
