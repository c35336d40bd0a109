// Literals of a document as JSON values, and the names of value kinds in messages.

import { Kind, type ObjectValueNode, type ValueNode } from 'graphql'
import type { InputSource } from '../../database/sql/param.ts'
import { validationFailed } from '../../errors/errors.ts'

/** `an integer`, `a list`: the kind of a literal in messages. */
export function literalKind(node: ValueNode): string {
  switch (node.kind) {
    case Kind.INT:
      return 'an integer'
    case Kind.FLOAT:
      return 'a float'
    case Kind.STRING:
      return 'a string'
    case Kind.BOOLEAN:
      return 'a boolean'
    case Kind.NULL:
      return 'null'
    case Kind.ENUM:
      return 'an enum value'
    case Kind.LIST:
      return 'a list'
    case Kind.OBJECT:
      return 'an object'
    case Kind.VARIABLE:
      return 'a variable'
  }
}

/** A number with all its digits: a double if that prints the same, otherwise raw JSON. */
function exactNumber(source: string): unknown {
  const number = Number(source)
  return String(number) === source ? number : JSON.rawJSON(source)
}

/**
 * A literal as JSON: enum tokens become strings, and numbers keep their digits; `variable` returns the values of
 * variables.
 */
export function literalJson(node: ValueNode, variable: (name: string) => unknown = () => null): unknown {
  switch (node.kind) {
    case Kind.INT:
    case Kind.FLOAT:
      return exactNumber(node.value)
    case Kind.STRING:
    case Kind.ENUM:
    case Kind.BOOLEAN:
      return node.value
    case Kind.NULL:
      return null
    case Kind.VARIABLE:
      return variable(node.name.value)
    case Kind.LIST:
      return node.values.map((value) => literalJson(value, variable))
    case Kind.OBJECT: {
      // Object.fromEntries defines own properties, so a member named `__proto__` is an ordinary one.
      return Object.fromEntries(membersOf(node).map(([name, value]) => [name, literalJson(value, variable)]))
    }
  }
}

/** The members of an object literal; refuses a repeated name. */
export function membersOf({ fields }: ObjectValueNode): (readonly [string, ValueNode])[] {
  const names = new Set<string>()
  return fields.map(({ name: { value: name }, value }) => {
    if (names.has(name)) throw validationFailed(`There can be only one input field named "${name}".`)
    names.add(name)
    return [name, value] as const
  })
}

/** A literal as an input source: constant unless it holds variables. */
export function nodeInput(node: ValueNode, use: (name: string) => unknown): InputSource {
  if (node.kind === Kind.VARIABLE) {
    use(node.name.value)
    return { kind: 'variable', name: node.name.value, path: [] }
  }
  if (node.kind === Kind.LIST) {
    const items = node.values.map((value) => nodeInput(value, use))
    if (items.some(({ kind }) => kind !== 'constant')) return { kind: 'list', items }
  }
  if (node.kind === Kind.OBJECT) {
    const entries = membersOf(node).map(([name, value]) => [name, nodeInput(value, use)] as const)
    if (entries.some(([, { kind }]) => kind !== 'constant')) return { kind: 'object', entries }
  }
  return { kind: 'constant', value: literalJson(node, () => null) }
}
