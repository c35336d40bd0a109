// The paths of endpoints: their segments, the endpoints that match a request, and those that can match the same one.

import type { RestEndpoint } from './schema.ts'

/** A segment of a template: a literal, or the name of a variable. */
export interface Segment {
  readonly text: string
  readonly isVariable: boolean
}

/** The segments of an endpoint's URL. */
export const segmentsOf = (url: string): Segment[] =>
  url
    .split('/')
    .map((text) => (text.startsWith(':') ? { text: text.slice(1), isVariable: true } : { text, isVariable: false }))

/** The reason why a URL cannot be served; null if it can. */
export function urlProblem(url: string): string | null {
  const segments = segmentsOf(url)
  if (segments.some(({ text }) => text === '')) return `Empty segments or unnamed variables are not allowed: ${url}`
  const names = segments.filter(({ isVariable }) => isVariable).map(({ text }) => text)
  return new Set(names).size === names.length ? null : `Duplicate variables found in endpoint path: ${url}`
}

/** The values of the segments that are variables, by name. */
export type PathVariables = ReadonlyMap<string, string>

interface Node<T> {
  readonly literals: Map<string, Node<T>>
  variable: Node<T> | null
  readonly found: T[]
}

const newNode = <T>(): Node<T> => ({ literals: new Map(), variable: null, found: [] })

/** Templates with values, found by the segments of a request's path. */
export class Templates<T> {
  readonly #root = newNode<T>()

  add(segments: readonly Segment[], value: T): void {
    let node = this.#root
    for (const { text, isVariable } of segments) {
      if (isVariable) {
        node.variable ??= newNode()
        node = node.variable
      } else {
        const next = node.literals.get(text) ?? newNode<T>()
        node.literals.set(text, next)
        node = next
      }
    }
    node.found.push(value)
  }

  /** The values of all templates that match. */
  matching(path: readonly string[]): readonly T[] {
    let nodes: Node<T>[] = [this.#root]
    for (const text of path) {
      const next: Node<T>[] = []
      for (const { literals, variable } of nodes) {
        const literal = literals.get(text)
        if (literal) next.push(literal)
        // A variable is never empty.
        if (variable && text !== '') next.push(variable)
      }
      if (next.length === 0) return []
      nodes = next
    }
    return nodes.length === 1 ? nodes[0]!.found : nodes.flatMap(({ found }) => found)
  }
}

/** The values of a template's variables in a path that it matches. */
export function pathVariables(segments: readonly Segment[], path: readonly string[]): PathVariables {
  const values = new Map<string, string>()
  for (const [i, { text, isVariable }] of segments.entries()) if (isVariable) values.set(text, path[i]!)
  return values
}

interface Place {
  readonly endpoint: RestEndpoint
  readonly segments: readonly Segment[]
}

/** Whether a request can match both, with one of the methods of each. */
const overlap = (one: Place, other: Place): boolean =>
  one.endpoint.methods.some((method) => other.endpoint.methods.includes(method)) &&
  one.segments.every(({ text, isVariable }, i) => {
    const opposite = other.segments[i]!
    return isVariable || opposite.isVariable || text === opposite.text
  })

/** Groups of endpoints that can match the same request; endpoints alone are in no group. */
export function ambiguousEndpoints(endpoints: readonly RestEndpoint[]): RestEndpoint[][] {
  const byLength = new Map<number, Place[]>()
  for (const endpoint of endpoints) {
    const segments = segmentsOf(endpoint.url)
    const places = byLength.get(segments.length) ?? []
    places.push({ endpoint, segments })
    byLength.set(segments.length, places)
  }
  return [...byLength.values()].flatMap((places) => overlappingGroups(places))
}

function overlappingGroups(places: readonly Place[]): RestEndpoint[][] {
  const groups: Place[][] = []
  for (const place of places) {
    const touched = groups.filter((group) => group.some((each) => overlap(each, place)))
    const joined = [...touched.flat(), place]
    for (const group of touched) groups.splice(groups.indexOf(group), 1)
    groups.push(joined)
  }
  return groups.filter((group) => group.length > 1).map((group) => group.map(({ endpoint }) => endpoint))
}
