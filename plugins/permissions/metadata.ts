// The facets `insert_permissions`, `select_permissions`, `update_permissions` and `delete_permissions` of a table.

import {
  badRequest,
  type Dialect,
  didYouMean,
  nameText,
  type QualifiedName,
  sessionVariableName,
  TrellisError,
} from '../../sdk/index.ts'
import {
  type DeletePermission,
  type Facet,
  type InsertPermission,
  laterRootFieldKeys,
  type ObjectRef,
  type PresetValue,
  type RowCondition,
  rootFieldKeys,
  rowCondition,
  type SelectPermission,
  type TableEntry,
  type TableModel,
  type TablePermissions,
  type UpdatePermission,
} from '../../sdk/metadata.ts'
import { configuredHeaders, configuredUrl, type Environment } from '../../sdk/services.ts'
import { resolveExpression } from './boolean-expression.ts'
import { kindText, requireColumn, resolveColumns } from './columns.ts'
import { columnCodec } from './comparisons.ts'
import type { ExpressionContext } from './expression-context.ts'
import { renameInPermission } from './rename.ts'
import { type PermissionEntry, type PermissionKind, type Permissions, permissionEntrySchema } from './schema.ts'
import { validationOf } from './validation/schema.ts'

/** The reference to a permission in dependencies and inconsistencies. */
export const permissionRef = (table: QualifiedName, role: string, kind: PermissionKind): ObjectRef => ({
  kind: 'permission',
  table,
  name: role,
  detail: kind,
})

type FacetKey<K extends PermissionKind> = `${K}_permissions` & keyof TableEntry

type Resolve<K extends PermissionKind> = (
  permission: Permissions[K],
  table: TableModel,
  context: ExpressionContext,
  role: string,
) => NonNullable<TablePermissions[K]>

function permissionFacet<K extends PermissionKind>(
  kind: K,
  dialect: Dialect,
  resolve: Resolve<K>,
): Facet<PermissionEntry<K>, NonNullable<TablePermissions[K]>> & { readonly key: FacetKey<K> } {
  return {
    key: `${kind}_permissions` as FacetKey<K>,
    stage: 'rules',
    schema: permissionEntrySchema(kind, dialect),
    duplicates: { kind: `${kind} permissions`, name: ({ role }) => role },
    identify: ({ role }) => role,
    describe: (table, { role, permission, comment = null }) => ({
      ref: permissionRef(table, role, kind),
      type: `${kind}_permission`,
      definition: { table, role, permission: complete(kind, permission), comment },
    }),
    resolve: ({ role, permission }, table, context) =>
      explained(table.name, role, () => {
        if (role === 'admin') throw badRequest('constraint-violation', 'cannot define permission for admin role')
        context.depend({ kind: 'table', table: table.name }, 'table')
        checkValidation(permission, (name) => context.environment(name))
        return resolve(permission, table, context, role)
      }),
    attach(table, role, resolved) {
      table.permissions.set(role, { ...table.permissions.get(role), [kind]: resolved })
    },
    rename: (entry, rename, { table, lookup }) => ({
      ...entry,
      permission: renameInPermission(entry.permission, table, rename, lookup),
    }),
  }
}

/** A select permission with the defaults of members that the document leaves out. */
const complete = (kind: PermissionKind, permission: object): object =>
  kind === 'select' ? { computed_fields: [], allow_aggregations: false, ...permission } : permission

/** Adds the permission to the message of an error. */
function explained<T>(table: QualifiedName, role: string, resolve: () => T): T {
  try {
    return resolve()
  } catch (error) {
    if (!(error instanceof TrellisError)) throw error
    const { code, message, help } = error
    throw badRequest(code, `in table "${nameText(table)}": in permission for role "${role}": ${message}`, { help })
  }
}

/** Records that a permission depends on columns, but not on their types. */
function dependOnColumns(columns: Iterable<string>, table: QualifiedName, context: ExpressionContext): void {
  for (const name of columns) context.depend({ kind: 'column', table, name }, 'untyped')
}

/** The columns that a role may set. */
function withoutPresets(columns: ReadonlySet<string>, presets: ReadonlyMap<string, unknown>): ReadonlySet<string> {
  return presets.size === 0 ? columns : new Set([...columns].filter((name) => !presets.has(name)))
}

/** The row condition of a permission's expression. */
const resolveRows = (expression: unknown, table: TableModel, context: ExpressionContext): RowCondition =>
  rowCondition(resolveExpression(expression, table, context))

function resolveInsert(
  permission: Permissions['insert'],
  table: TableModel,
  context: ExpressionContext,
): InsertPermission {
  const columns = resolveColumns(permission.columns ?? '*', table, '')
  dependOnColumns(columns, table.name, context)
  const presets = resolvePresets(permission.set ?? {}, table, context)
  return {
    definition: permission,
    columns: withoutPresets(columns, presets),
    check: resolveRows(permission.check, table, context),
    presets,
    backendOnly: permission.backend_only ?? false,
  }
}

function resolveSelect(
  permission: Permissions['select'],
  table: TableModel,
  context: ExpressionContext,
  role: string,
): SelectPermission {
  const { limit = null } = permission
  const columns = resolveColumns(permission.columns, table, 'permissions for relationships are automatically inferred')
  dependOnColumns(columns, table.name, context)
  const computedFields = resolveComputedFields(permission.computed_fields ?? [], table, context)
  if (limit !== null && limit < 0) throw badRequest('not-supported', 'unexpected negative value')
  refuseUnreachable(permission, { table, columns, role })
  return {
    columns,
    computedFields,
    filter: resolveRows(permission.filter, table, context),
    limit,
    allowAggregations: permission.allow_aggregations ?? false,
    ...rootFieldsOf(permission),
  }
}

/** Refuses root fields that the role can never see. */
function refuseUnreachable(
  permission: Permissions['select'],
  {
    table,
    columns,
    role,
  }: { readonly table: TableModel; readonly columns: ReadonlySet<string>; readonly role: string },
): void {
  const {
    query_root_fields: query,
    subscription_root_fields: subscription,
    allow_aggregations: aggregates,
  } = permission
  const named = new Set<string>([...(query ?? []), ...(subscription ?? [])])
  const key = table.primaryKey?.columns
  const where = 'in the query_root_fields or subscription_root_fields'
  if (named.has('select_by_pk') && !key?.every((column) => columns.has(column))) {
    const why = `because the role "${role}" does not have access to the primary key of the table "${nameText(table.name)}"`
    throw badRequest('validation-failed', `The "select_by_pk" field cannot be included ${where} ${why}`)
  }
  if (named.has('select_aggregate') && !aggregates) {
    const when = 'when "allow_aggregations" is set to true'
    throw badRequest('validation-failed', `The "select_aggregate" root field can only be enabled ${where} ${when}`)
  }
}

/** The visible root fields, if the permission restricts them. */
function rootFieldsOf(permission: Permissions['select']): Pick<SelectPermission, 'rootFields'> {
  const { query_root_fields: query, subscription_root_fields: subscription } = permission
  if (!query && !subscription) return {}
  const of = <Key extends string>(keys: readonly Key[], fields: readonly string[]) =>
    new Set(keys.filter((key) => fields.includes(key)))
  return {
    rootFields: {
      ...(query && { query: of(rootFieldKeys, query) }),
      ...(subscription && { subscription: of([...rootFieldKeys, ...laterRootFieldKeys], subscription) }),
    },
  }
}

function resolveComputedFields(
  names: readonly string[],
  table: TableModel,
  context: ExpressionContext,
): ReadonlySet<string> {
  for (const name of names) {
    const field = table.columns.get(name) ?? table.fields.get(name)
    if (!field) {
      const help = didYouMean(name, () => computedFieldNames(table))
      throw badRequest('not-exists', `computed field "${name}" does not exist`, { help })
    }
    const returned = returnedTable(field)
    if (returned === undefined) {
      throw badRequest('unexpected-payload', `expecting a computed field; but, "${name}" is a ${kindText(field)}; `)
    }
    if (returned !== null) throw autoDerived(name, returned)
    context.depend({ kind: 'computed field', table: table.name, name }, 'untyped')
  }
  return new Set(names)
}

const computedFieldNames = ({ fields }: TableModel): string[] =>
  [...fields].filter(([, field]) => returnedTable(field) !== undefined).map(([name]) => name)

/** The table whose rows a computed field returns; null: no table, undefined: not a computed field. */
function returnedTable(field: { readonly kind: string }): QualifiedName | null | undefined {
  // The kind belongs to a plugin that may be absent.
  if (field.kind !== 'computed_field') return undefined
  const { returns }: Returning = { returns: { kind: '' }, ...field }
  return returns.table ?? null
}

interface Returning {
  readonly returns: { readonly kind: string; readonly table?: QualifiedName }
}

function autoDerived(name: string, returned: QualifiedName) {
  const what = `select permissions on computed field "${name}"`
  const from = `the permissions on its returning table "${nameText(returned)}"`
  return badRequest('invalid-params', `${what} are auto-derived from ${from} and cannot be specified manually`)
}

function resolveUpdate(
  permission: Permissions['update'],
  table: TableModel,
  context: ExpressionContext,
): UpdatePermission {
  const columns = resolveColumns(permission.columns, table, "relationships can't be used in update")
  dependOnColumns(columns, table.name, context)
  const presets = resolvePresets(permission.set ?? {}, table, context)
  return {
    definition: permission,
    columns: withoutPresets(columns, presets),
    filter: resolveRows(permission.filter, table, context),
    check: permission.check ? resolveRows(permission.check, table, context) : null,
    presets,
    backendOnly: permission.backend_only ?? false,
  }
}

const resolveDelete = (
  permission: Permissions['delete'],
  table: TableModel,
  context: ExpressionContext,
): DeletePermission => ({
  definition: permission,
  filter: resolveRows(permission.filter, table, context),
  backendOnly: permission.backend_only ?? false,
})

/** Refuses a `validate_input` whose URL or headers need a variable that is not set. */
function checkValidation(permission: object, environment: Environment): void {
  const validation = validationOf(permission)
  if (!validation) return
  const { url, headers = [] } = validation.definition
  configuredUrl(url, environment)
  configuredHeaders(headers, environment)
}

/** The facets of permissions. */
export const permissionFacets = (dialect: Dialect) => ({
  insert: permissionFacet('insert', dialect, resolveInsert),
  select: permissionFacet('select', dialect, resolveSelect),
  update: permissionFacet('update', dialect, resolveUpdate),
  delete: permissionFacet('delete', dialect, resolveDelete),
})

/** The values that a permission sets, by column; throws if a column or literal is wrong. */
function resolvePresets(
  presets: Readonly<Record<string, unknown>>,
  table: TableModel,
  context: ExpressionContext,
): ReadonlyMap<string, PresetValue> {
  const resolved = new Map<string, PresetValue>()
  for (const [name, value] of Object.entries(presets)) resolved.set(name, resolvePreset(name, value, table, context))
  return resolved
}

function resolvePreset(name: string, value: unknown, table: TableModel, context: ExpressionContext): PresetValue {
  const hint = `column "${name}" not found in table "${nameText(table.name)}"`
  const column = requireColumn(table, name, { missing: `column "${name}" does not exist`, hint })
  const variable = typeof value === 'string' ? sessionVariableName(context.dialect, value) : null
  const reason = variable === null ? 'on_type' : 'session_variable'
  context.depend({ kind: 'column', table: table.name, name }, reason)
  if (variable !== null) return { kind: 'session', variable }
  return { kind: 'literal', text: value === null ? null : columnCodec(column, column.type, context).encode(value) }
}
