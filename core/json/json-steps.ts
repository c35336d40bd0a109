// Parses long JSON in steps. The bytes are cut between members. Each part is parsed on its own, within the lists and
// objects that are open at its start. A body of many megabytes therefore delays other requests only by the time for one
// part.

import { randomUUID } from 'node:crypto'
import { type NumberMode, parseScanned } from './json.ts'
import { JsonCutter } from './json-cutter.ts'
import { standardPart } from './tuning.ts'

/** The limits for a JSON text. */
export interface JsonLimits {
  /** The depth of nested lists and objects. */
  readonly depth: number
  /** The number of object members, list elements, lists and objects. */
  readonly values: number
  /** The number of members of one object. Adding a member to a large object is slow. */
  readonly members: number
}

/** The error for a text that exceeds a limit. */
export class JsonLimitError extends Error {
  readonly limit: keyof JsonLimits

  constructor(limit: keyof JsonLimits) {
    super(`too many ${limit}`)
    this.limit = limit
  }
}

/**
 * Parses UTF-8 like `parseJson`, in steps. Throws a `SyntaxError` if it is not JSON, and a {@link JsonLimitError} if it
 * exceeds a limit.
 */
export function* parseSteps(
  bytes: Buffer,
  mode: NumberMode,
  limits: JsonLimits,
  partSize = standardPart,
): Generator<void, unknown> {
  const cutter = new JsonCutter(bytes, partSize)
  const assembly = new Assembly()
  for (let start = 0; ; start = cutter.end + 1) {
    const around = cutter.brackets
    const isLast = cutter.next()
    if (cutter.depth > limits.depth) throw new JsonLimitError('depth')
    if (cutter.values > limits.values) throw new JsonLimitError('values')
    if (cutter.members > limits.members) throw new JsonLimitError('members')
    const text = bytes.toString('utf8', start, cutter.end)
    if (!cutter.isWhole || (start > 0 && closesAtOnce.test(text))) throw notJson()
    assembly.add(parsePart(`${opened(around)}${text}${closed(cutter.brackets)}`, cutter, mode), cutter)
    if (isLast) return assembly.value
    yield
  }
}

const notJson = () => new SyntaxError('the body is not valid JSON')

/** A closing bracket, which cannot follow a comma. */
const closesAtOnce = /^\s*[\]}]/

function parsePart(text: string, cutter: JsonCutter, mode: NumberMode): unknown {
  try {
    return parseScanned(text, cutter, mode)
  } catch {
    // The positions in its message are relative to the part.
    throw notJson()
  }
}

type Container = unknown[] | Record<string, unknown>

/** The name of a member that an earlier part began. It is random, so no member of a client has it. */
const begun = randomUUID()

/** The opening brackets before a part. */
function opened(brackets: string): string {
  const outer = Array.from(brackets.slice(0, -1), (bracket) => (bracket === '{' ? `{"${begun}":` : '['))
  return `${outer.join('')}${brackets.slice(-1)}`
}

const closed = (brackets: string): string =>
  Array.from(brackets, (bracket) => (bracket === '{' ? '}' : ']'))
    .reverse()
    .join('')

/** Assembles the value from its parts. */
class Assembly {
  value: unknown
  /** The containers that are open at the end of the last part, from the outside in. */
  #open: Container[] = []

  /** Adds a part. */
  add(part: unknown, { lowest, brackets, keyAt }: Pick<JsonCutter, 'lowest' | 'brackets' | 'keyAt'>): void {
    if (this.#open.length === 0) this.value = part
    else this.#join(part as Container)
    const open = this.#open.slice(0, lowest)
    for (let level = open.length; level < brackets.length; level++) {
      const outer = open.at(-1)
      const inner = outer === undefined ? this.value : lastOf(outer, () => keyAt(level))
      open.push(inner as Container)
    }
    this.#open = open
  }

  #join(part: Container): void {
    let from = part
    for (const [level, target] of this.#open.entries()) {
      const inner = level < this.#open.length - 1 ? takeBegun(from) : null
      addMembers(target, from)
      if (inner) from = inner
    }
  }
}

const lastOf = (container: Container, key: () => string): unknown =>
  Array.isArray(container) ? container.at(-1) : container[key()]

/** Removes the member that an earlier part began from its container in the next part. */
function takeBegun(container: Container): Container {
  if (Array.isArray(container)) return container.shift() as Container
  const inner = container[begun] as Container
  delete container[begun]
  return inner
}

function addMembers(target: Container, from: Container): void {
  if (Array.isArray(from)) for (const item of from) (target as unknown[]).push(item)
  else for (const key of Object.keys(from)) setMember(target as Record<string, unknown>, key, from[key])
}

/** Sets a member as JSON.parse does: `__proto__` is an ordinary key. */
function setMember(target: Record<string, unknown>, key: string, value: unknown): void {
  if (key !== '__proto__') target[key] = value
  else Object.defineProperty(target, key, { value, writable: true, enumerable: true, configurable: true })
}
