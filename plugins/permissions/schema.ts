// Permissions on the wire, in arguments and in the document.

import { type Dialect, type Static, type TProperties, type TSchema, Type } from '../../sdk/index.ts'
import { ColumnName, ObjectName, TableName, VerbatimObject } from '../../sdk/metadata.ts'
import { type BooleanExpression, canonicalExpression } from './expression-syntax.ts'
import { type ValidateInput, validateInputSchema } from './validation/schema.ts'

export type { BooleanExpression }

export const permissionKinds = ['insert', 'select', 'update', 'delete'] as const

/** The kind of change or read that a permission is for. */
export type PermissionKind = (typeof permissionKinds)[number]

const connectives = (mark: '_' | '$', expression: TSchema) => ({
  [`${mark}and`]: Type.Optional(Type.Array(expression)),
  [`${mark}or`]: Type.Optional(Type.Array(expression)),
  [`${mark}not`]: Type.Optional(expression),
  [`${mark}exists`]: Type.Optional(
    Type.Union([
      Type.Object({ _table: TableName, _where: expression }),
      Type.Object({ $table: TableName, $where: expression }),
    ]),
  ),
})

/** A boolean expression in descriptions; all other keys are columns and relationships. */
const ExpressionShape = Type.Recursive(
  (This) => Type.Object({ ...connectives('_', This), ...connectives('$', This) }, { additionalProperties: true }),
  { $id: 'BooleanExpression' },
)

/** A boolean expression; connectives get their canonical spelling. */
export const Expression = Type.Unsafe<BooleanExpression>(
  Type.Record(Type.String(), Type.Unknown(), {
    message: 'expecting an Object for boolean exp',
    convert: canonicalExpression,
    shown: ExpressionShape,
  }),
)

const Columns = Type.Union([Type.Literal('*'), Type.Array(ColumnName)])

const backendOnly = Type.Optional(Type.Boolean())

/** Root fields of a table that a role sees; `select_stream` is accepted even without a plugin for it. */
const rootFields = (...keys: readonly string[]) =>
  Type.Optional(Type.Array(Type.Unsafe<VisibleRootField>(Type.Union(keys.map((key) => Type.Literal(key))))))

type VisibleRootField = 'select' | 'select_by_pk' | 'select_aggregate' | 'select_stream'

/** The members of each kind's `permission`, in the order of the document. */
const members = {
  insert: {
    check: Expression,
    set: Type.Optional(VerbatimObject),
    columns: Type.Optional(Columns),
    backend_only: backendOnly,
  },
  select: {
    columns: Columns,
    computed_fields: Type.Optional(Type.Array(ObjectName)),
    filter: Expression,
    limit: Type.Optional(Type.Integer()),
    allow_aggregations: Type.Optional(Type.Boolean()),
    query_root_fields: rootFields('select', 'select_by_pk', 'select_aggregate'),
    subscription_root_fields: rootFields('select', 'select_by_pk', 'select_aggregate', 'select_stream'),
  },
  update: {
    columns: Columns,
    filter: Expression,
    check: Type.Optional(Type.Union([Type.Null(), Expression])),
    set: Type.Optional(VerbatimObject),
    backend_only: backendOnly,
  },
  delete: {
    filter: Expression,
    backend_only: backendOnly,
  },
} as const satisfies Record<PermissionKind, TProperties>

/** The members of permissions, by kind. */
export type Members = typeof members

/** The `permission` of each kind, as it is stored. */
export type Permissions = {
  [K in PermissionKind]: Static<ReturnType<typeof Type.Object<Members[K]>>> &
    (K extends 'select' ? object : { validate_input?: ValidateInput })
}

/** One permission in a table's entry. */
export interface PermissionEntry<K extends PermissionKind = PermissionKind> {
  role: string
  permission: Permissions[K]
  comment?: string
}

declare module '../../sdk/registry.ts' {
  interface TableFacets {
    insert_permissions?: PermissionEntry<'insert'>[]
    select_permissions?: PermissionEntry<'select'>[]
    update_permissions?: PermissionEntry<'update'>[]
    delete_permissions?: PermissionEntry<'delete'>[]
  }
}

/** Leaves out empty and default members, as the document does. */
const canonical: { [K in PermissionKind]: (permission: Permissions[K]) => Permissions[K] } = {
  insert: (permission) => withoutDefaults(permission),
  select: (permission) => withoutDefaults(permission),
  update: ({ check = null, ...permission }) => {
    const { columns, filter, ...rest } = permission
    return withoutDefaults({ columns, filter, check, ...rest })
  },
  delete: (permission) => permission,
}

function withoutDefaults<P extends object>(permission: P): P {
  const kept = Object.entries(permission).filter(([key, value]) => {
    if (value === undefined) return false
    if (key === 'set') return Object.keys(value).length > 0
    if (key === 'computed_fields') return value.length > 0
    return key !== 'allow_aggregations' || value
  })
  return Object.fromEntries(kept) as P
}

/** Keys without effect: earlier engines used them for upserts, and consoles stored them for their forms. */
const formerKeys: { readonly [K in PermissionKind]?: readonly string[] } = {
  insert: ['allow_upsert', 'localPresets', 'computed_fields'],
  update: ['localPresets', 'computed_fields'],
}

type Prefixed = Pick<Dialect, 'environmentPrefix'>

/** The schema of a kind's `permission`; a document may hold no other keys in either dialect. */
const permissionSchema = <K extends PermissionKind>(kind: K, document: boolean, dialect: Prefixed) => {
  const options = { missingKey: kind === 'select' ? 'A' : 'B', convert: canonical[kind] } as const
  const keys = { formerKeys: formerKeys[kind] ?? [] }
  const validated = kind !== 'select' && { validate_input: Type.Optional(validateInputSchema(dialect, document)) }
  const closed = document ? { additionalProperties: false } : {}
  return Type.Unsafe<Permissions[K]>(
    Type.Object<TProperties>({ ...members[kind], ...validated }, { ...options, ...keys, ...closed }),
  )
}

/** The arguments of `create_<kind>_permission`. */
export const createPermissionArgs = <K extends PermissionKind>(kind: K, dialect: Prefixed) =>
  Type.Object({
    table: TableName,
    role: ObjectName,
    permission: permissionSchema(kind, false, dialect),
    comment: Type.Optional(Type.String()),
  })

/** The schema of an entry of `<kind>_permissions`. */
export const permissionEntrySchema = <K extends PermissionKind>(kind: K, dialect: Prefixed) =>
  Type.Object(
    { role: ObjectName, permission: permissionSchema(kind, true, dialect), comment: Type.Optional(Type.String()) },
    { additionalProperties: false },
  )

/** The arguments of `drop_<kind>_permission`. */
export const DropPermissionArgs = Type.Object({ table: TableName, role: ObjectName })

export const SetPermissionCommentArgs = Type.Object({
  table: TableName,
  role: ObjectName,
  permission: Type.Unsafe<PermissionKind>(
    Type.Union(
      permissionKinds.map((kind) => Type.Literal(kind)),
      { message: "perm_type should be one of 'insert', 'select', 'update', 'delete'" },
    ),
  ),
  comment: Type.Optional(Type.String()),
})
