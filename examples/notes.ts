// A third-party plugin: people leave notes on tables. It adds an operation, a part of the metadata, a GraphQL field that
// the database answers, one that JavaScript answers, and a route. Run it: `npm start -- --plugin ./examples/notes.ts`

import {
  badRequest,
  definePlugin,
  type FieldMap,
  fieldMap,
  graphql,
  id,
  ObjectName,
  operation,
  type RowPlanner,
  type SchemaScope,
  type SliceDefinition,
  type SqlBuilder,
  type Static,
  sql,
  type TableModel,
  TableName,
  Type,
} from 'trellis'

const Note = Type.Object({ name: ObjectName, table: TableName, text: Type.String() })
type Note = Static<typeof Note>

declare module 'trellis/registry' {
  interface DocumentSlices {
    notes: Note[]
  }
  interface ModelSlices {
    notes: readonly Note[]
  }
}

const refOf = ({ name }: Note) => ({ kind: 'note', name })

/** The part of the metadata: notes of tables that are not served are listed as inconsistent. */
const notes: SliceDefinition<'notes'> = {
  schema: Type.Array(Note),
  empty: [],
  entryKey: ({ name }) => name,
  resolve(stored, context) {
    return stored.filter((note) => {
      context.depend(refOf(note), { kind: 'table', table: note.table }, 'table')
      if (context.table(note.table)) return true
      context.report({ ref: refOf(note), type: 'note', definition: note }, 'its table is not tracked')
      return false
    })
  },
  remove(draft, object) {
    const kept = draft.notes.filter(({ name }) => object.kind !== 'note' || name !== object.name)
    const found = kept.length < draft.notes.length
    if (found) draft.notes = kept
    return found
  },
}

const addNote = operation({
  type: 'add_note',
  args: Note,
  check: 'object',
  object: refOf,
  handle({ metadata }, note) {
    const taken = metadata.notes.some(({ name }) => name === note.name)
    if (taken) throw badRequest('already-exists', `note "${note.name}" already exists`, { path: ['name'] })
    metadata.notes.push(note)
  },
})

/** `notes`: the texts about those tables that the role may read. */
function notesField(scope: SchemaScope): FieldMap {
  const readable = ({ table }: Note) => Boolean(scope.access(table)?.select)
  const texts = () => (scope.model.slices.notes ?? []).filter(readable).map(({ text }) => text)
  const type = new graphql.GraphQLList(graphql.GraphQLString)
  return fieldMap({ notes: () => ({ type, extensions: { root: { kind: 'resolved', resolve: texts } } }) })
}

/** `age` on the rows of every table with a column `created_at` that the role may read. */
function ageField(scope: SchemaScope, table: TableModel): FieldMap {
  const readable = scope.access(table.name)?.select?.columns.has('created_at') && !table.fields.has('age')
  if (!readable) return new Map()
  const build: SqlBuilder = (row) => sql`coalesce(to_json(age(${row}.${id('created_at')})::text)::text, 'null')`
  const row: RowPlanner = { kind: 'relational', plan: () => ({ kind: 'sql', build }) }
  return fieldMap({ age: () => ({ type: graphql.GraphQLString, extensions: { row } }) })
}

export default definePlugin({
  name: 'notes',
  api: 'notes',
  dependencies: ['tables', 'graphql'],
  register(engine) {
    engine.metadata.slice('notes', notes)
    engine.operations.add(addNote)
    engine.graphql.contribute({ name: 'notes', query: notesField, rowFields: ageField })
    engine.routes.add({ method: 'GET', url: '/notes', auth: 'admin', handle: () => engine.model.slices.notes ?? [] })
  },
})
