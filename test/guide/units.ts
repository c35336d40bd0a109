// Units of columns: a facet of tables, with a field of rows for each.

import {
  badRequest,
  ColumnName,
  definePlugin,
  type FacetDefinition,
  type FieldMap,
  fieldMap,
  findTable,
  graphql,
  operation,
  type RowPlanner,
  type SchemaScope,
  type Static,
  sameName,
  type TableModel,
  TableName,
  Type,
} from 'trellis'

const Unit = Type.Object({ column: ColumnName, unit: Type.String({ minLength: 1 }) })
type Unit = Static<typeof Unit>

declare module 'trellis/registry' {
  interface TableFacets {
    units?: Unit[]
  }
}

const units: FacetDefinition<'units', string> = {
  key: 'units',
  stage: 'fields',
  schema: Unit,
  duplicates: { kind: 'units', name: ({ column }) => column },
  identify: ({ column }) => column,
  describe: (table, entry) => ({
    ref: { kind: 'unit', table, name: entry.column },
    type: 'unit',
    definition: { table, ...entry },
  }),
  resolve({ column, unit }, table, context) {
    if (!table.columns.has(column)) throw badRequest('not-exists', `there is no column "${column}"`)
    context.depend({ kind: 'column', table: table.name, name: column }, 'column')
    return unit
  },
  rename(entry, rename, { table }) {
    const isOurs = rename.kind === 'column' && sameName(rename.table, table) && rename.from === entry.column
    return isOurs ? { ...entry, column: rename.to } : entry
  },
}

const setUnit = operation({
  type: 'set_unit',
  args: Type.Object({ table: TableName, ...Unit.properties }),
  check: 'object',
  object: ({ table, column }) => ({ kind: 'unit', table, name: column }),
  handle({ metadata }, { table, column, unit }) {
    const entry = findTable(metadata, table)
    if (!entry) throw badRequest('not-exists', `table "${table.name}" is not tracked`, { path: ['table'] })
    const others = (entry.units ?? []).filter((other) => other.column !== column)
    entry.units = [...others, { column, unit }]
  },
})

/** `depth_unit` beside `depth`, for roles that may read that. */
function unitFields(scope: SchemaScope, table: TableModel): FieldMap {
  const readable = scope.access(table.name)?.select?.columns
  const shown = [...(table.extensions.get('units') ?? [])].filter(([column]) => readable?.has(column))
  const fields = shown.map(([column, unit]) => {
    const row: RowPlanner = { kind: 'relational', plan: () => ({ kind: 'json', text: JSON.stringify(unit) }) }
    return [`${table.columns.get(column)?.field}_unit`, () => ({ type: graphql.GraphQLString, extensions: { row } })]
  })
  return fieldMap(Object.fromEntries(fields))
}

export default definePlugin({
  name: 'units',
  dependencies: ['tables', 'graphql'],
  register({ metadata, operations, graphql: schemas }) {
    metadata.facet(units)
    operations.add(setUnit)
    schemas.contribute({ name: 'units', rowFields: unitFields })
  },
})
