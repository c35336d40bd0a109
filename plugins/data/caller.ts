// The sender of a data operation, with the permissions and refusals of the role.

import {
  type CostLimit,
  isComparable,
  RequestCost,
  type RoleAccess,
  type SelectAccess,
  type TableAccess,
  type TransformedColumn,
} from '../../sdk/access.ts'
import {
  badRequest,
  type Dialect,
  didYouMean,
  isAdmin,
  nameText,
  type QualifiedName,
  type Session,
  TrellisError,
  within,
} from '../../sdk/index.ts'
import {
  type ColumnModel,
  type FieldModel,
  memberValue,
  type RelationshipModel,
  type TableModel,
} from '../../sdk/metadata.ts'
import { always, type Condition, type Output } from '../../sdk/sql.ts'
import {
  type ExpressionContext,
  kindText,
  requireColumn,
  resolveExpression,
  validationOf,
} from '../permissions/index.ts'

/** A table that the caller may read. */
export type ReadableTable = TableAccess & { readonly select: SelectAccess }

/** An action of a role on a table, by the name of its permission. */
export type Action = Exclude<keyof TableAccess, 'table'>

const actions: readonly Action[] = ['select', 'insert', 'update', 'delete']

const denied = (message: string) => badRequest('permission-denied', message)

/** The action that a request wants to do on a table. */
interface Purpose {
  readonly action: Action
  /** The end of a refusal's message. */
  readonly because?: string
  /** The path of the error that administrators get if there is no such table. */
  readonly at?: readonly string[]
}

/** Columns that a permission lets be written. */
interface WrittenColumns {
  readonly action: 'insert' | 'update'
  readonly columns: ReadonlySet<string>
  readonly hint: string
}

/** The columns of outputs that hold stored values, which the answer must not show. */
export type TransformedReads = Map<Output, TransformedColumn>

export interface CallerInput {
  readonly session: Session
  readonly dialect: Dialect
  /** The permissions of the session's role in the model. */
  readonly access: RoleAccess
  readonly settings: CostLimit['settings']
  /** The name of the source in errors. */
  readonly source: string
}

/** The sender of a request before a model. */
export class Caller {
  /** The context in which expressions of the request are resolved. */
  readonly expressions: ExpressionContext
  /** The cost of the request for the database. */
  readonly cost: RequestCost
  /** The outputs whose values JavaScript makes of stored ones. */
  readonly reads: TransformedReads = new Map()
  readonly #session: Session
  readonly #access: RoleAccess
  readonly #source: string

  constructor({ session, dialect, access, settings, source }: CallerInput) {
    this.cost = new RequestCost({ settings, dialect })
    this.#session = session
    this.#access = access
    this.#source = source
    this.expressions = {
      dialect,
      table: (name) => this.#seen(name),
      depend: () => {},
      reader: {
        cost: this.cost,
        checkColumn: (table, column) => this.#checkCompared(table, column),
        checkUnknown: (table, name) => this.refuseUnknown(name, this.#columns(table)),
        checkMember: (table, name) => this.#requireMember(table, name),
        columns: (table) => this.#columns(table),
        reach: ({ name }, relationship) => this.#reach(name, relationship),
      },
    }
  }

  /**
   * The access to a tracked table for these actions. Other roles than the administrator get the same refusal for an unknown table
   * as for a table without any right.
   */
  table(name: QualifiedName, { action, because = '', at = [] }: Purpose): TableAccess {
    const access = this.#access.get(name)
    if (access && (isAdmin(this.#session) || actions.some((each) => access[each]))) return access
    if (!isAdmin(this.#session)) throw this.#notAllowed(name, action, because)
    const message = `table "${nameText(name)}" does not exist`
    const inInterface2 = { message: `${message} in source: ${this.#source}` }
    throw badRequest('not-exists', message, { path: at, inInterface2 })
  }

  /** The caller's permission for an action on a table; throws without one, with `because` after the message. */
  permission<A extends Action>(access: TableAccess, action: A, because = ''): NonNullable<TableAccess[A]> {
    const permission = access[action]
    if (permission && 'definition' in permission && validationOf(permission.definition)) {
      const what = `${action} on "${nameText(access.table.name)}"`
      throw badRequest('not-supported', `${what} has "validate_input", so that only GraphQL can change it`)
    }
    if (permission) return permission
    throw this.#notAllowed(access.table.name, action, because)
  }

  /** The table, if the caller may read it. */
  readable(access: TableAccess, because?: string): ReadableTable {
    const select = this.permission(access, 'select', because)
    return { ...access, table: this.#visible(access.table, select), select }
  }

  /** The table, if the caller may read it by itself, and not through relationships alone. */
  readableByItself(access: TableAccess, because = ''): ReadableTable {
    const readable = this.readable(access, because)
    const isShown = readable.select.rootFields?.query?.has('select') ?? true
    if (isShown) return readable
    throw this.#notAllowed(access.table.name, 'select', because)
  }

  #notAllowed(table: QualifiedName, action: Action, because: string): TrellisError {
    const { role } = this.#session
    return denied(`${action} on "${nameText(table)}" for role "${role}" is not allowed. ${because}`)
  }

  /** A column that the caller may read; `hint` gives advice if the name is a relationship. */
  readableColumn(access: ReadableTable, name: string, hint: string): ColumnModel {
    const { table, select } = access
    const field = table.columns.has(name) ? undefined : table.fields.get(name)
    if (field && field.kind !== 'column') requireColumn(table, name, { missing: '', hint, visible: [] })
    if (!select.transformed.has(name)) this.requireColumnOf(select.columns, 'select', name)
    return table.columns.get(name)!
  }

  /** Refuses a transformed column where its stored values would count. */
  refuseTransformed({ transformed }: SelectAccess, name: string): void {
    const seen = transformed.get(name)
    if (!seen) return
    const reason = seen.transform ? `is transformed by "${seen.transform.name}"` : 'is null in some rows'
    throw badRequest('not-supported', `the column "${name}" ${reason} and can only be selected`)
  }

  /** The table that a relationship leads to; refuses one that the caller may not read. */
  related({ name, target }: RelationshipModel): ReadableTable {
    const access = this.#access.get(target)
    if (access?.select) return this.readable(access)
    throw noRelationship(name)
  }

  /** Whether the caller may read the target of a relationship. */
  mayFollow({ target }: RelationshipModel): boolean {
    return this.#access.get(target)?.select != null
  }

  /** The condition that an expression puts on the rows of a table. */
  condition(expression: unknown, { table }: TableAccess): Condition {
    return expression === undefined ? always : parsing(() => resolveExpression(expression, table, this.expressions))
  }

  /** Refuses a column that is not among those of a permission. */
  requireColumnOf(columns: ReadonlySet<string>, action: Action, name: string): void {
    if (columns.has(name)) return
    const { role } = this.#session
    const message = isAdmin(this.#session)
      ? `no such column exists : "${name}"`
      : `role "${role}" does not have permission to ${action} column "${name}"`
    throw badRequest('permission-denied', message, { help: didYouMean(name, () => columns) })
  }

  /** A column to be written; `columns` are those of the permission, `hint` gives advice if the name is a relationship. */
  writtenColumn(table: TableModel, name: string, { action, columns, hint }: WrittenColumns): ColumnModel {
    const seen = this.#access.get(table.name)?.select
    const visible = isAdmin(this.#session) ? table : seen && this.#visible(table, seen)
    const field = table.columns.has(name) ? undefined : visible?.fields.get(name)
    const isOther = field !== undefined && field.kind !== 'column'
    // For updates, administrators get the error of `requireColumnOf` too.
    if (!isOther && action === 'update') this.requireColumnOf(columns, action, name)
    if (!isOther) this.refuseUnknown(name, columns, action)
    return requireColumn(table, name, { missing: `column "${name}" does not exist`, hint, visible: columns })
  }

  /** Refuses a computed field that the role may not read, as a column. */
  #requireMember(table: TableModel, name: string): void {
    const select = this.#access.get(table.name)?.select
    const field = table.fields.get(name)
    if (!select || !field || !this.#mayKnow(field, select)) this.refuseUnknown(name, this.#columns(table))
  }

  #mayKnow(field: FieldModel, select: SelectAccess): boolean {
    if (field.kind === 'relationship') return this.mayFollow(field) && select.followed(field) !== null
    const { name } = field
    if (field.kind === 'column') return isReadable(name, select)
    const member = memberValue(field)
    if (member?.kind === 'scalar') return select.computedFields.has(name)
    return member !== null && select.reaches(member.table) && this.#access.get(member.table)?.select != null
  }

  get role(): string {
    return this.#session.role
  }

  #columns({ name }: TableModel): ReadonlySet<string> {
    return this.#access.get(name)?.select?.columns ?? new Set()
  }

  #checkCompared(table: TableModel, name: string): void {
    const select = this.#access.get(table.name)?.select
    const seen = select?.transformed.get(name)
    if (!select || !seen) this.requireColumnOf(this.#columns(table), 'select', name)
    else if (!isComparable(seen)) this.refuseTransformed(select, name)
  }

  /**
   * Refuses a name that is not among the columns of a permission, whether the column exists or not. Administrators get a
   * more detailed error elsewhere.
   */
  refuseUnknown(name: string, columns: ReadonlySet<string>, action: Action = 'select'): void {
    if (!isAdmin(this.#session)) this.requireColumnOf(columns, action, name)
  }

  /** The table as the caller may know it: with the columns and relationships that they may read. */
  #visible(table: TableModel, select: SelectAccess): TableModel {
    if (isAdmin(this.#session)) return table
    const fields = [...table.fields].filter(([, field]) => this.#mayKnow(field, select))
    const asFollowed = (field: FieldModel) => (field.kind === 'relationship' ? select.followed(field)! : field)
    return {
      ...table,
      columns: new Map([...table.columns].filter(([name]) => isReadable(name, select))),
      fields: new Map(fields.map(([name, field]) => [name, asFollowed(field)])),
    }
  }

  /** A table that an expression names. */
  #seen(name: QualifiedName): TableModel | undefined {
    const access = this.#access.get(name)
    if (access?.select) return this.#visible(access.table, access.select)
    if (isAdmin(this.#session)) return undefined
    throw this.#notAllowed(name, 'select', '')
  }

  #reach(name: QualifiedName, relationship: string | null): SelectAccess {
    const access = this.table(name, { action: 'select' })
    return relationship === null ? this.readableByItself(access).select : this.permission(access, 'select')
  }
}

/** Whether a column is shown to the caller, as it is or in another form. */
export const isReadable = (name: string, { columns, transformed }: SelectAccess): boolean =>
  columns.has(name) || transformed.has(name)

const noRelationship = (name: string) => badRequest('not-exists', `relationship "${name}" does not exist`)

/** The relationship of that name; refuses anything else. */
export function requireRelationship({ table }: TableAccess, name: string): RelationshipModel {
  return within('name', () => {
    const field = table.columns.get(name) ?? table.fields.get(name)
    if (!field || (field.kind === 'column' && field.name !== name)) {
      throw noRelationship(name)
    }
    if (field.kind === 'relationship') return field
    const what = field.kind === 'column' ? 'postgres column' : kindText(field)
    const message = `expecting a relationship; but, "${name}" is a ${what}; only relationships can be expanded`
    throw badRequest('unexpected-payload', message)
  })
}

/** Runs work on values of a request: those of a wrong type do not parse, as the API puts it. */
export function parsing<T>(work: () => T): T {
  try {
    return work()
  } catch (error) {
    if (!(error instanceof TrellisError) || error.code !== 'validation-failed') throw error
    throw badRequest('parse-failed', error.message, { path: error.path })
  }
}
