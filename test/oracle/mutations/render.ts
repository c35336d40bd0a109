// Mutations as GraphQL text and variables.

import { type Input, Inputs, leafInput, nullInput, type ObjectInput, objectInput } from '../inputs.ts'
import { type Rendered, SelectionWriter } from '../render.ts'
import type { Run } from '../request.ts'
import { columnOf, displayName, fieldName, relationshipOf, tableOf, type World } from '../world.ts'
import type {
  Change,
  Conflict,
  InsertRow,
  Mutation,
  MutationRoot,
  NestedRows,
  ResponseItem,
  Where,
} from './mutation.ts'
import { rootName } from './root-names.ts'

/** The text and variables of a mutation's run; the text of both runs is the same. */
export function renderMutation({ roots }: Mutation, world: World, run: Run): Rendered {
  const inputs = new Inputs(run)
  const writer = new MutationWriter(world, run, inputs)
  const text = writer.roots(roots)
  return { query: `mutation Change${inputs.declarations} ${text}`, variables: inputs.variables }
}

class MutationWriter {
  readonly #world: World
  readonly #run: Run
  readonly #inputs: Inputs
  readonly #selections: SelectionWriter

  constructor(world: World, run: Run, inputs: Inputs) {
    this.#world = world
    this.#run = run
    this.#inputs = inputs
    this.#selections = new SelectionWriter(world, inputs)
  }

  roots(roots: readonly MutationRoot[]): string {
    const set = this.#selections.set(roots, (root) => this.#root(root), 'mutation_root')
    return `${set}${this.#selections.fragments}`
  }

  #root(root: MutationRoot): string {
    const name = rootName(root, this.#world)
    const directives = this.#selections.directives(root.directives)
    if (root.kind === 'typename') return `${name}${directives}`
    const args = this.#arguments(root).map(([key, input]) => `${key}: ${this.#inputs.print(input)}`)
    const set =
      'response' in root ? this.#response(root.table, root.response) : this.#selections.items(root.table, root.items)
    return `${name}(${args.join(', ')})${directives} ${set}`
  }

  #response(table: string, items: readonly ResponseItem[]): string {
    const print = (item: ResponseItem) => {
      const directives = this.#selections.directives(item.directives)
      if (item.kind === 'typename') return `__typename${directives}`
      if (item.kind === 'affected') return `affected_rows${directives}`
      return `returning${directives} ${this.#selections.items(table, item.items)}`
    }
    return this.#selections.set(items, print, `${this.#typeName(table)}_mutation_response`)
  }

  #arguments(root: Exclude<MutationRoot, { kind: 'typename' }>): readonly (readonly [string, Input])[] {
    const type = this.#typeName(root.table)
    switch (root.kind) {
      case 'insert': {
        const rows = root.lift && this.#run === 1 ? root.lift.second : root.rows
        const items = rows.map((row) => this.#row(row, type))
        const list: Input = { kind: 'list', items, type: `[${type}_insert_input!]!`, lift: root.lift }
        const objects = root.bare && items.length === 1 && !root.lift ? inPlaceOfList(items[0]!) : list
        return [['objects', objects], ...this.#conflict(root.conflict, type)]
      }
      case 'insertOne':
        return [['object', this.#row(root.row, type)], ...this.#conflict(root.conflict, type)]
      case 'update':
        return [['where', this.#where(root.where, `${type}_bool_exp!`)], ...this.#changes(root.changes, type)]
      case 'updateMany': {
        const items = root.updates.map((update) => {
          const where = ['where', this.#where(update.where, `${type}_bool_exp!`)] as const
          const entries = [where, ...this.#changes(update.changes, type)]
          return objectInput(entries, `${type}_updates!`, update.lift ? update : null)
        })
        return [['updates', { kind: 'list', items, type: `[${type}_updates!]!`, lift: null }]]
      }
      case 'updateByKey': {
        const key = objectInput(this.#key(root.key), `${type}_pk_columns_input!`)
        return [['pk_columns', key], ...this.#changes(root.changes, type)]
      }
      case 'delete':
        return [['where', this.#where(root.where, `${type}_bool_exp!`)]]
      case 'deleteByKey':
        return this.#key(root.key)
    }
  }

  #typeName(table: string): string {
    return displayName(tableOf(this.#world, table))
  }

  #key(key: Extract<MutationRoot, { kind: 'deleteByKey' }>['key']): [string, Input][] {
    return key.map(({ column, leaf }) => [this.#selections.field(column), leafInput(leaf, true)])
  }

  #where(where: Where, type: string): ObjectInput {
    // Nested types have no exclamation mark.
    const expression = this.#selections.expression(where.expression, type.replace('!', ''))
    return { ...expression, type, lift: where.lift ? where : null }
  }

  #changes(changes: readonly Change[], type: string): [string, Input][] {
    return changes.map((change) => {
      const entries = change.values.map(
        ({ column, leaf }) => [this.#selections.field(column), leafInput(leaf)] as const,
      )
      return [change.operator, objectInput(entries, `${type}${change.operator}_input`, change.lift ? change : null)]
    })
  }

  /** A `T_insert_input`. */
  #row(row: InsertRow, type: string): ObjectInput {
    const values = row.values.map(({ column, leaf }) => {
      return [fieldName(columnOf(this.#world, column))!, leafInput(leaf)] as const
    })
    const nested = row.nested.map((related) => this.#nested(related))
    return objectInput([...values, ...nested], `${type}_insert_input!`, row.lift ? row : null)
  }

  #nested({ relationship, rows, bare, conflict }: NestedRows): readonly [string, Input] {
    const { name, type, target } = relationshipOf(this.#world, relationship)
    if (rows === null) return [name, nullInput]
    const targetType = this.#typeName(target)
    const items = rows.map((row) => this.#row(row, targetType))
    const isBare = bare && items.length === 1
    const list: Input = { kind: 'list', items, type: `[${targetType}_insert_input!]!`, lift: null }
    const data = type === 'object' ? items[0]! : isBare ? inPlaceOfList(items[0]!) : list
    return [name, objectInput([['data', data], ...this.#conflict(conflict, targetType)])]
  }

  #conflict(conflict: Conflict | null, type: string): [string, Input][] {
    if (!conflict) return []
    const { constraint, columns, where, lift } = conflict
    const entries: [string, Input][] = [['constraint', leafInput(constraint, true)]]
    if (columns) {
      const items = columns.map((leaf) => leafInput(leaf, true))
      entries.push(['update_columns', { kind: 'list', items, type: `[${type}_update_column!]!`, lift: null }])
    }
    if (where) entries.push(['where', this.#where(where, `${type}_bool_exp`)])
    return [['on_conflict', objectInput(entries, `${type}_on_conflict`, lift ? conflict : null)]]
  }
}

/** A variable instead of a list would have to be a list. */
const inPlaceOfList = (item: ObjectInput): ObjectInput => ({ ...item, lift: null })
