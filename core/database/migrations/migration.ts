// Migrations of the schema `trellis`, and their owners: core, and plugins with tables of their own.

/** A step that brings an owner's tables in the schema `trellis` up to date. A released migration is never edited. */
export interface Migration {
  /** Unique for its owner; migrations run in the order in which they are listed. */
  readonly name: string
  /** One statement or several; all pending migrations run in one transaction. */
  readonly sql: string
}

/** A plugin with migrations. */
export interface MigrationOwner {
  readonly name: string
  readonly migrations: readonly Migration[]
  /** The owner as messages name it. */
  readonly label: string
  /** The error that ends the start when one of its migrations fails; `what` names the migration. */
  failure(error: unknown, what: string): Error
  /** The error that ends the start when the list itself is wrong. */
  refusal(reason: string): Error
}
