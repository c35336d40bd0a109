// Who sends a data operation, and what they may do, and what they are refused.

import type { RoleAccess, SelectAccess, TableAccess } from '../../sdk/access.ts'
import {
  badRequest,
  type Dialect,
  didYouMean,
  isAdmin,
  nameKey,
  nameText,
  type QualifiedName,
  type Session,
  TrellisError,
  within,
} from '../../sdk/index.ts'
import type { ColumnModel, Model, RelationshipModel, TableModel } from '../../sdk/metadata.ts'
import { always, type Condition } from '../../sdk/sql.ts'
import { type ExpressionContext, kindText, requireColumn, resolveExpression } from '../permissions/index.ts'

/** A table that the caller may read. */
export type ReadableTable = TableAccess & { readonly select: SelectAccess }

/** What a role does to a table, as permissions are called. */
export type Action = Exclude<keyof TableAccess, 'table'>

const denied = (message: string) => badRequest('permission-denied', message)

export interface CallerInput {
  readonly session: Session
  readonly model: Model
  readonly dialect: Dialect
  /** What the session's role may do in the model. */
  readonly access: RoleAccess
}

/** The sender of a request before a model. */
export class Caller {
  /** What expressions of the request are resolved with. */
  readonly expressions: ExpressionContext
  readonly #session: Session
  readonly #access: RoleAccess

  constructor({ session, model, dialect, access }: CallerInput) {
    this.#session = session
    this.#access = access
    this.expressions = {
      dialect,
      table: (name) => model.tables.get(nameKey(name)),
      depend: () => {},
      reader: {
        checkColumn: (table, column) => this.#checkReadable(this.#readable(table), column),
        columns: (table) => this.#access.get(table.name)?.select?.columns ?? [],
        reach: ({ name }, relationship) => this.#reach(name, relationship),
      },
    }
  }

  /** The access to a table; refuses one that is not tracked. */
  table(name: QualifiedName): TableAccess {
    const access = this.#access.get(name)
    if (!access) throw badRequest('not-exists', `table "${nameText(name)}" does not exist`)
    return access
  }

  /** What the caller may do with a table; throws when that is nothing, with `because` behind the message. */
  permission<A extends Action>(access: TableAccess, action: A, because = ''): NonNullable<TableAccess[A]> {
    const permission = access[action]
    if (permission) return permission
    throw this.#notAllowed(access, action, because)
  }

  /** The table, if the caller may read it. */
  readable(access: TableAccess, because?: string): ReadableTable {
    return { ...access, select: this.permission(access, 'select', because) }
  }

  /** The table, if the caller may read it by itself, and not through relationships alone. */
  readableByItself(access: TableAccess, because = ''): ReadableTable {
    const readable = this.readable(access, because)
    const isShown = readable.select.rootFields?.query?.has('select') ?? true
    if (isShown) return readable
    throw this.#notAllowed(access, 'select', because)
  }

  #notAllowed({ table }: TableAccess, action: Action, because: string): TrellisError {
    const { role } = this.#session
    return denied(`${action} on "${nameText(table.name)}" for role "${role}" is not allowed. ${because}`)
  }

  /** A column that the caller may read; `hint` says what to do with a relationship instead. */
  readableColumn(access: ReadableTable, name: string, hint: string): ColumnModel {
    const { table } = access
    if (this.#mayName(table, name)) requireColumn(table, name, { missing: '', hint, visible: [] })
    this.#checkReadable(access, name)
    return table.columns.get(name)!
  }

  /** The table that a relationship leads to; refuses one that the caller may not read. */
  related({ name, target }: RelationshipModel): ReadableTable {
    const access = this.#access.get(target)
    if (access?.select) return { ...access, select: access.select }
    throw this.#unreadable(target, name)
  }

  /** Whether the caller may read what a relationship leads to. */
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

  get role(): string {
    return this.#session.role
  }

  #readable(table: TableModel): ReadableTable {
    return this.readable(this.table(table.name))
  }

  #checkReadable({ select }: ReadableTable, column: string): void {
    this.requireColumnOf(select.columns, 'select', column)
  }

  /** Whether a name is one of something else than a column, which the caller may know of. */
  #mayName(table: TableModel, name: string): boolean {
    const field = table.columns.has(name) ? undefined : table.fields.get(name)
    if (!field || field.kind === 'column') return false
    return field.kind === 'relationship' ? this.mayFollow(field) : isAdmin(this.#session)
  }

  #reach(name: QualifiedName, relationship: string | null): SelectAccess {
    if (relationship === null) return this.readableByItself(this.table(name)).select
    const select = this.#access.get(name)?.select
    if (select) return select
    throw this.#unreadable(name, relationship)
  }

  #unreadable(target: QualifiedName, relationship: string): TrellisError {
    const what = `role "${this.#session.role}" does not have permission to read relationship "${relationship}"`
    return denied(`${what}; no permission on table "${nameText(target)}"`)
  }
}

/** The relationship of that name; refuses anything else. */
export function requireRelationship({ table }: TableAccess, name: string): RelationshipModel {
  return within('name', () => {
    const field = table.columns.get(name) ?? table.fields.get(name)
    if (!field || (field.kind === 'column' && field.name !== name)) {
      throw badRequest('not-exists', `relationship "${name}" does not exist`)
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
