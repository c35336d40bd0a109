// Parsing long JSON in steps: its bytes are cut behind members, and each part is parsed by itself, within the lists and
// objects that are open where it begins. So a body of many megabytes delays others by the time for one part.

import { randomUUID } from 'node:crypto'
import { type NumberMode, parseScanned } from './json.ts'
import { JsonCutter } from './json-cutter.ts'

/** How much a text may hold. */
export interface JsonLimits {
  /** Levels of lists and objects. */
  readonly depth: number
  /** Members of objects, elements of lists, and these themselves. */
  readonly values: number
  /** Members of one object, which takes the longer to grow the larger it is. */
  readonly members: number
}

/** The refusal of a text that holds more than a limit. */
export class JsonLimitError extends Error {
  readonly limit: keyof JsonLimits

  constructor(limit: keyof JsonLimits) {
    super(`too many ${limit}`)
    this.limit = limit
  }
}

/** Bytes that are parsed at once, more or less. */
const standardPart = 65_536

/**
 * Parses UTF-8 as `parseJson` does, in steps. Throws a `SyntaxError` where it is no JSON, and a {@link JsonLimitError} where
 * it holds too much.
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

/** What cannot follow a comma. */
const closesAtOnce = /^\s*[\]}]/

function parsePart(text: string, cutter: JsonCutter, mode: NumberMode): unknown {
  try {
    return parseScanned(text, cutter, mode)
  } catch {
    // Its message has places of the part.
    throw notJson()
  }
}

type Container = unknown[] | Record<string, unknown>

/** Names the member that an earlier part began. Clients cannot know it, so none of theirs has this name. */
const begun = randomUUID()

/** The brackets around a part. */
function opened(brackets: string): string {
  const outer = Array.from(brackets.slice(0, -1), (bracket) => (bracket === '{' ? `{"${begun}":` : '['))
  return `${outer.join('')}${brackets.slice(-1)}`
}

const closed = (brackets: string): string =>
  Array.from(brackets, (bracket) => (bracket === '{' ? '}' : ']'))
    .reverse()
    .join('')

/** The value that the parts make. */
class Assembly {
  value: unknown
  /** The containers that are open where the last part ends, from outside to inside. */
  #open: Container[] = []

  /** Takes what a part holds. */
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

/** Takes the member that an earlier part began out of what the next part has of its container. */
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

/** As JSON.parse gives a member: `__proto__` is one like all others. */
function setMember(target: Record<string, unknown>, key: string, value: unknown): void {
  if (key !== '__proto__') target[key] = value
  else Object.defineProperty(target, key, { value, writable: true, enumerable: true, configurable: true })
}
