// The nodes of a permission's expression. Each is an expression on the rows of the permission's table by itself: a node below a
// relationship holds if a related row fulfils that node.

import { type PathKey, type QualifiedName, within } from '../../../sdk/index.ts'
import type { RelationshipModel, TableModel } from '../../../sdk/metadata.ts'
import { isJsonObject } from '../../../sdk/services.ts'
import { canonicalWord, columnOperator, columnReference, objectEntries, readExists } from '../expression-syntax.ts'

/** A column that a node compares, and the relationships that lead to it. */
export interface ComparedColumn {
  readonly way: readonly RelationshipModel[]
  readonly column: string
}

/** A node of an expression. */
export interface RuleNode {
  /** The place in the permission. */
  readonly at: readonly PathKey[]
  /** The expression that is true if the node is. */
  readonly rule: object
  /** Null: it compares no column, or none that relationships lead to. */
  readonly compared: ComparedColumn | null
  readonly operator: string | null
  readonly operand: unknown
  /** The column that is compared with, instead of a value. */
  readonly other: ComparedColumn | null
  readonly nodes: readonly RuleNode[]
}

/** The place of an expression. */
interface Place {
  readonly at: readonly PathKey[]
  readonly table: TableModel
  /** The relationships from the permission's table; null: another table was reached by its name. */
  readonly way: readonly RelationshipModel[] | null
  /** The expression on the permission's table for one on this table. */
  wrap(expression: object): object
}

type FindTable = (name: QualifiedName) => TableModel | undefined

/** The node of a whole expression, which has been resolved before. */
export function ruleTree(expression: object, table: TableModel, at: readonly PathKey[], find: FindTable): RuleNode {
  const place: Place = { at, table, way: [], wrap: (inner) => inner }
  return groupOf(expression, place, find)
}

const plain = { compared: null, operator: null, operand: undefined, other: null, nodes: [] } as const

const groupOf = (expression: unknown, place: Place, find: FindTable): RuleNode => ({
  ...plain,
  at: place.at,
  rule: place.wrap(expression as object),
  nodes: nodesOf(expression, place, find),
})

/** One node for each member of an expression. */
function nodesOf(expression: unknown, place: Place, find: FindTable): RuleNode[] {
  return objectEntries(expression, 'expecting an Object for boolean exp').map(([key, value]) =>
    within(key, () => nodeOf(key, value, { ...place, at: [...place.at, key] }, find)),
  )
}

function nodeOf(key: string, value: unknown, place: Place, find: FindTable): RuleNode {
  const { at, table, way, wrap } = place
  const node = { ...plain, at, rule: wrap({ [key]: value }) }
  switch (canonicalWord(key)) {
    case '_and':
    case '_or':
      return {
        ...node,
        nodes: (value as unknown[]).map((item, i) => itemNode(item, { ...place, at: [...at, i] }, find)),
      }
    case '_not':
      return { ...node, nodes: nodesOf(value, place, find) }
    case '_exists': {
      const { table: name, where } = readExists(value)
      const reached = find(name)
      if (!reached) return node
      const inside = (inner: object) => wrap({ _exists: { _table: name, _where: inner } })
      return {
        ...node,
        nodes: nodesOf(where, { at: [...at, '_where'], table: reached, way: null, wrap: inside }, find),
      }
    }
    default:
  }
  if (table.columns.has(key)) return columnNode(key, value, place)
  const field = table.fields.get(key)
  const target = field?.kind === 'relationship' ? find(field.target) : undefined
  if (field?.kind !== 'relationship' || !target) return node
  const inside = (inner: object) => wrap({ [key]: inner })
  return { ...node, nodes: nodesOf(value, { at, table: target, way: way && [...way, field], wrap: inside }, find) }
}

/** A member of a list: an expression of one member is that member. */
function itemNode(item: unknown, place: Place, find: FindTable): RuleNode {
  const nodes = nodesOf(item, place, find)
  return nodes.length === 1 ? nodes[0]! : { ...plain, at: place.at, rule: place.wrap(item as object), nodes }
}

function columnNode(column: string, value: unknown, { at, way, wrap }: Place): RuleNode {
  const compared = way && { way, column }
  const node = { ...plain, at, rule: wrap({ [column]: value }) }
  if (!isJsonObject(value)) return { ...node, compared, operator: '_eq', operand: value }
  const nodes = Object.entries(value).map(([operator, operand]): RuleNode => {
    const reference = columnOperator(operator) ? columnReference(operand) : null
    const otherWay = reference?.ofRoot ? [] : way
    return {
      ...node,
      at: [...at, operator],
      rule: wrap({ [column]: { [operator]: operand } }),
      ...{ compared, operator, operand },
      other: reference && otherWay ? { way: otherWay, column: reference.name } : null,
    }
  })
  return nodes.length === 1 ? nodes[0]! : { ...node, nodes }
}

/** All nodes, each before those within it. */
export const allNodes = (node: RuleNode): RuleNode[] => [node, ...node.nodes.flatMap(allNodes)]
