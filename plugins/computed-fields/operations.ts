// Adding and dropping computed fields.

import { badRequest, nameKey, nameText, type QualifiedName, within } from '../../sdk/index.ts'
import { dependenciesOn, type Model, objectKey, operation } from '../../sdk/metadata.ts'
import { releaseDependents, requireTable } from '../tables/index.ts'
import { computedFieldRef } from './metadata.ts'
import { AddComputedFieldArgs, DropComputedFieldArgs } from './schema.ts'

/** The kind of a column or other member of a table's rows, for messages; null if no member has that name. */
function kindOf(model: Model, table: QualifiedName, name: string): string | null {
  const resolved = model.tables.get(nameKey(table))
  if (resolved?.columns.has(name)) return 'column'
  const field = resolved?.fields.get(name)
  return field && field.kind !== 'column' ? field.kind.replaceAll('_', ' ') : null
}

export const addComputedField = operation({
  type: 'add_computed_field',
  about: { summary: 'Adds a field to the rows of a table: the result of a function for each row.' },
  args: AddComputedFieldArgs,
  group: 'add computed fields',
  check: 'object',
  object: ({ table, name }) => computedFieldRef(table, name),
  handle({ metadata, model, refreshCatalog }, { table, ...field }) {
    const { name } = field
    const entry = within('table', () => requireTable(metadata, table))
    const fields = entry.computed_fields ?? []
    const kind = kindOf(model, table, name)
    if (fields.some((other) => other.name === name) || (kind !== null && kind !== 'column')) {
      throw badRequest('already-exists', `field with name "${name}" already exists in table "${nameText(table)}"`)
    }
    entry.computed_fields = [...fields, field]
    refreshCatalog([field.definition.function])
  },
})

export const dropComputedField = operation({
  type: 'drop_computed_field',
  about: { summary: 'Drops a computed field.' },
  args: DropComputedFieldArgs,
  check: 'new',
  handle(context, { table, name, cascade = false }) {
    const { metadata, model, remove } = context
    const { computed_fields: fields = [] } = within('table', () => requireTable(metadata, table))
    if (!fields.some((field) => field.name === name)) throw notFound(kindOf(model, table, name), name).at('name')
    const ref = computedFieldRef(table, name)
    const key = objectKey(ref)
    const dependents = dependenciesOn(model, table).filter(({ on }) => objectKey(on) === key)
    releaseDependents(dependents, cascade, context)
    remove(ref)
  },
})

function notFound(kind: string | null, name: string) {
  if (kind === null) return badRequest('not-exists', `computed field "${name}" does not exist`)
  return badRequest('unexpected-payload', `expecting a computed field; but, "${name}" is a ${kind}; `)
}
