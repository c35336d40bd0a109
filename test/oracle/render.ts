// Requests as GraphQL text and variables.

import { rootName } from './answer.ts'
import type { Entry, Expression, Leaf, Operand } from './expressions.ts'
import { type Input, Inputs, leafInput, nullInput, type ObjectInput, objectInput } from './inputs.ts'
import { type Json, Num } from './json.ts'
import type {
  AggregateItem,
  Arguments,
  Call,
  Directives,
  Item,
  OrderEntry,
  Request,
  Root,
  Run,
  Wrapped,
} from './request.ts'
import { columnOf, displayName, fieldName, relationshipOf, tableOf, type World } from './world.ts'

export interface Rendered {
  readonly query: string
  readonly variables: { readonly [name: string]: Json }
}

/** The text and variables of a request's run; the text of both runs is the same. */
export function render({ root, roots }: Request, world: World, run: Run): Rendered {
  const inputs = new Inputs(run)
  const writer = new SelectionWriter(world, inputs)
  const set = writer.set(roots, (each) => writer.root(each), `${root}_root`)
  const { declarations, variables } = inputs
  const head = declarations === '' && root === 'query' ? '' : `${root} Ask${declarations} `
  return { query: `${head}${set}${writer.fragments}`, variables }
}

/** Writes selections, and the arguments of all fields that select rows. */
export class SelectionWriter {
  readonly #world: World
  readonly #inputs: Inputs
  readonly #fragments = new Map<string, string>()

  constructor(world: World, inputs: Inputs) {
    this.#world = world
    this.#inputs = inputs
  }

  /** The fragments that were spread. */
  get fragments(): string {
    return [...this.#fragments].map(([body, name]) => `\nfragment ${name} on ${body}`).join('')
  }

  /** A selection set; `type` is that of fragments in it. */
  set<T extends Wrapped & { readonly alias: string | null; readonly directives: Directives }>(
    items: readonly T[],
    print: (item: T) => string,
    type?: string,
  ): string {
    const texts = items.map((item) => {
      const text = `${item.alias === null ? '' : `${item.alias}: `}${print(item)}`
      return item.wrapped ? `... on ${type} { ${text} }` : text
    })
    return `{ ${texts.join(' ')} }`
  }

  /** A root field of a query. */
  root(root: Root): string {
    const name = rootName(root, this.#world)
    const directives = this.directives(root.directives)
    switch (root.kind) {
      case 'typename':
        return `${name}${directives}`
      case 'select':
        return `${name}${this.#arguments(root.table, root.args)}${directives} ${this.items(root.table, root.items)}`
      case 'aggregate':
        return `${name}${this.#arguments(root.table, root.args)}${directives} ${this.#aggregateItems(root.table, root.items)}`
      case 'one':
        return `${name}${directives} ${this.items(root.table, root.items)}`
      case 'entities': {
        const items = root.representations.map(({ table, key }) =>
          objectInput([
            ['__typename', leafInput({ type: 'String', input: displayName(tableOf(this.#world, table)), datum: '' })],
            ...key.map(({ column, leaf }) => [this.field(column), leafInput(leaf, true)] as const),
          ]),
        )
        const list = { kind: 'list', items, type: '[_Any!]!', lift: root.lift ? root : null } as const
        const set = this.set(root.items, (item) => this.#item('', item))
        return `${name}(representations: ${this.#inputs.print(list)})${directives} ${set}`
      }
      case 'byKey': {
        const key = root.key.map(
          ({ column, leaf }) => `${this.field(column)}: ${this.#inputs.print(leafInput(leaf, true))}`,
        )
        return `${name}(${key.join(', ')})${directives} ${this.items(root.table, root.items)}`
      }
    }
  }

  /** The selection set of a row. */
  items(table: string, items: readonly Item[]): string {
    return this.set(items, (item) => this.#item(table, item))
  }

  #item(table: string, item: Item): string {
    const directives = this.directives(item.directives)
    switch (item.kind) {
      case 'typename':
        return `__typename${directives}`
      case 'column':
        return `${this.field(item.column)}${item.path ? `(path: ${this.#inputs.print(leafInput(item.path))})` : ''}${directives}`
      case 'fragment':
        return this.#fragment(table, item, directives)
      default: {
        const { name, target } = relationshipOf(this.#world, item.relationship)
        if (item.kind === 'object') return `${name}${directives} ${this.items(target, item.items)}`
        const args = `${this.#arguments(target, item.args)}${directives}`
        if (item.kind === 'array') return `${name}${args} ${this.items(target, item.items)}`
        return `${name}_aggregate${args} ${this.#aggregateItems(target, item.items)}`
      }
    }
  }

  #fragment(table: string, item: Extract<Item, { kind: 'fragment' }>, directives: string): string {
    const on = item.on === null ? null : displayName(tableOf(this.#world, item.on))
    const set = this.items(item.on ?? table, item.items)
    if (!item.named) return `...${on === null ? '' : ` on ${on}`}${directives} ${set}`
    const body = `${on ?? displayName(tableOf(this.#world, table))} ${set}`
    const name = this.#fragments.get(body) ?? `Part${this.#fragments.size}`
    this.#fragments.set(body, name)
    return `...${name}${directives}`
  }

  #aggregateItems(table: string, items: readonly AggregateItem[]): string {
    return this.set(items, (item) => {
      const directives = this.directives(item.directives)
      if (item.kind === 'typename') return `__typename${directives}`
      if (item.kind === 'nodes') return `nodes${directives} ${this.items(table, item.items)}`
      return `aggregate${directives} ${this.set(item.calls, (call) => this.#call(table, call))}`
    })
  }

  #call(table: string, call: Call): string {
    const directives = this.directives(call.directives)
    if (call.kind === 'typename') return `__typename${directives}`
    if (call.kind === 'count') {
      const type = `[${displayName(tableOf(this.#world, table))}_select_column!]`
      const args: string[] = []
      if (call.columns) args.push(`columns: ${this.#inputs.print(this.#columnList(call.columns, type))}`)
      if (call.distinct) args.push(`distinct: ${this.#inputs.print(leafInput(call.distinct))}`)
      return `count${args.length > 0 ? `(${args.join(', ')})` : ''}${directives}`
    }
    const columns = call.columns.map(({ column, alias }) => {
      const field = column === null ? '__typename' : this.field(column)
      return alias === null ? field : `${alias}: ${field}`
    })
    return `${call.operator}${directives} { ${columns.join(' ')} }`
  }

  /** Leaves of columns carry ids, but the document needs names. */
  #columnList(leaves: readonly Leaf<string>[], type: string): Input {
    return { kind: 'list', items: leaves.map((leaf) => leafInput(leaf, true)), type, lift: null }
  }

  /** The directives of a field. */
  directives({ include, skip }: Directives): string {
    const text = (name: string, leaf?: Leaf<boolean>) =>
      leaf ? ` @${name}(if: ${this.#inputs.print(leafInput(leaf, true))})` : ''
    return text('include', include) + text('skip', skip)
  }

  #arguments(table: string, args: Arguments): string {
    const name = displayName(tableOf(this.#world, table))
    const printed: string[] = []
    if (args.distinctOn) {
      printed.push(`distinct_on: ${this.#inputs.print(this.#columnList(args.distinctOn, `[${name}_select_column!]`))}`)
    }
    if (args.limit) printed.push(`limit: ${this.#inputs.print(leafInput(args.limit))}`)
    if (args.offset) printed.push(`offset: ${this.#inputs.print(leafInput(args.offset))}`)
    if (args.orderBy) {
      const items = args.orderBy.objects.map((entries) => this.#order(entries, `${name}_order_by`))
      const list: Input = {
        kind: 'list',
        items,
        type: `[${name}_order_by!]`,
        lift: args.orderBy.lift ? args.orderBy : null,
      }
      printed.push(`order_by: ${this.#inputs.print(list)}`)
    }
    if (args.where) {
      const lift = args.where.lift ? args.where : null
      const where = { ...this.expression(args.where.expression, `${name}_bool_exp`), lift }
      printed.push(`where: ${this.#inputs.print(where)}`)
    }
    return printed.length === 0 ? '' : `(${printed.join(', ')})`
  }

  #order(entries: readonly OrderEntry[], type: string): Input {
    const members = entries.map((entry): [string, Input] => {
      if (entry.kind === 'column') return [this.field(entry.column), leafInput(entry.direction)]
      const { name, target } = relationshipOf(this.#world, entry.relationship)
      const targetName = displayName(tableOf(this.#world, target))
      if (entry.kind === 'related') return [name, this.#order(entry.of, `${targetName}_order_by`)]
      const direction = leafInput(entry.direction)
      const ofColumn = (column: string): Input => objectInput([[this.field(column), direction]])
      const aggregate = entry.column === null ? direction : ofColumn(entry.column)
      return [`${name}_aggregate`, objectInput([[entry.operator, aggregate]])]
    })
    return objectInput(members, type)
  }

  /** A boolean expression of a type. */
  expression(expression: Expression, type: string): ObjectInput {
    return objectInput(
      expression.map((entry) => this.#entry(entry, type)),
      type,
    )
  }

  #entry(entry: Entry, type: string): [string, Input] {
    switch (entry.kind) {
      case 'and':
      case 'or': {
        const items = entry.of.map((part) => this.expression(part, type))
        const [only] = items
        const isBare = entry.bare && items.length === 1
        return [`_${entry.kind}`, isBare ? only! : { kind: 'list', items, type: `[${type}!]`, lift: null }]
      }
      case 'not':
        return ['_not', this.expression(entry.of, type)]
      case 'related': {
        const { name, target } = relationshipOf(this.#world, entry.relationship)
        return [name, this.expression(entry.where, `${displayName(tableOf(this.#world, target))}_bool_exp`)]
      }
      case 'counted': {
        const { name, target } = relationshipOf(this.#world, entry.relationship)
        const of = displayName(tableOf(this.#world, target))
        const count: Input = leafInput({ type: 'Int', input: new Num(String(entry.count)), datum: entry.count })
        const filter = entry.filter && this.expression(entry.filter, `${of}_bool_exp`)
        const members = [
          ...(filter ? [['filter', filter] as const] : []),
          ['predicate', objectInput([[entry.operator, count]])] as const,
        ]
        return [`${name}_aggregate`, objectInput([['count', objectInput(members)]])]
      }
      case 'column': {
        const comparisons = entry.comparisons.map(({ operator, operand }) => [operator, operandInput(operand)] as const)
        return [this.field(entry.column), objectInput(comparisons)]
      }
      case 'exists':
        throw new Error('requests have no _exists')
    }
  }

  /** The name of a column. */
  field(column: string): string {
    return fieldName(columnOf(this.#world, column))!
  }
}

function operandInput(operand: Operand): Input {
  if (operand.kind === 'value') return leafInput(operand.leaf)
  if (operand.kind === 'null') return nullInput
  if (operand.kind !== 'list') throw new Error('requests have values only')
  const { leaves, lift } = operand
  return {
    kind: 'list',
    items: leaves.map((leaf) => leafInput(leaf, true)),
    type: `[${leaves[0]?.type}!]`,
    lift: lift ? operand : null,
  }
}
