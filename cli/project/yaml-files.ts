// YAML files that include each other, as documents that keep their comments.

import { lstatSync, statSync } from 'node:fs'
import { dirname, join, relative, resolve, sep } from 'node:path'
import {
  type Document,
  isAlias,
  isMap,
  isScalar,
  isSeq,
  LineCounter,
  type Node,
  parseDocument,
  type Scalar,
  type YAMLMap,
} from 'yaml'
import { isJsonObject } from '../../core/json/json.ts'
import { Failure } from '../exits.ts'
import { textOfFile } from '../text-file.ts'
import { mostAliased, mostYamlLevels } from '../tuning.ts'

/** A file that was read. */
export interface YamlFile {
  /** Relative to the root, with slashes. */
  readonly name: string
  readonly text: string
  readonly document: Document
}

const included = /^!include\s+(\S.*?)\s*$/

/** The file that a node includes, as a text or as a tag; null for other nodes. */
export function includeOf(node: unknown): string | null {
  if (!isScalar(node) || typeof node.value !== 'string') return null
  if (node.tag === '!include') return node.value.trim()
  return included.exec(node.value)?.[1] ?? null
}

/** The aliases of one reading. */
interface Aliases {
  /** Their nodes: the library searches a document from its start. */
  readonly nodes: Map<unknown, Node | undefined>
  /** The values that they have repeated. */
  repeated: number
}

const newAliases = (): Aliases => ({ nodes: new Map(), repeated: 0 })

/** The state while values are read. */
interface Reading {
  readonly file: YamlFile
  /** The files that include the file, and the file. */
  readonly trail: readonly string[]
  readonly levels: number
  readonly isAliased: boolean
  readonly aliases: Aliases
}

/** The files below a folder. */
export class YamlFiles {
  readonly root: string
  readonly #files = new Map<string, YamlFile>()

  constructor(root: string) {
    this.root = root
  }

  /** Whether a file exists; a link that leads nowhere does, so that it is not passed over. */
  has(name: string): boolean {
    return this.#files.has(name) || lstatSync(join(this.root, name), { throwIfNoEntry: false }) !== undefined
  }

  /** The text of a file of any kind. */
  text(name: string): string {
    const path = join(this.root, name)
    const kind = statSync(path, { throwIfNoEntry: false })
    if (!kind) throw new Failure('failed', `${name}: the link leads to no file`)
    // Reading a pipe would wait.
    if (!kind.isFile()) throw new Failure('failed', `${name}: it is not a file`)
    return textOfFile(path, name)
  }

  /** Reads a file; refuses broken YAML with its place. */
  file(name: string, from: string | null = null): YamlFile {
    const known = this.#files.get(name)
    if (known) return known
    if (!this.has(name)) {
      throw new Failure(
        'failed',
        `${from ?? name}: ${from === null ? 'it does not exist' : `includes ${name}, which does not exist`}`,
      )
    }
    const text = this.text(name)
    const lineCounter = new LineCounter()
    const document = parseDocument(text, { lineCounter, intAsBigInt: true, prettyErrors: false })
    const [error] = document.errors
    if (error) {
      const { line, col } = lineCounter.linePos(error.pos[0])
      throw new Failure('failed', `${name}:${line}:${col}: broken YAML: ${error.message}`)
    }
    const file = { name, text, document }
    this.#files.set(name, file)
    return file
  }

  /** The name of a file that another includes; it must be below the root. */
  included(from: string, path: string): string {
    const absolute = resolve(this.root, dirname(from), path)
    const name = relative(this.root, absolute).split(sep).join('/')
    if (name.startsWith('../') || name === '..') {
      throw new Failure('failed', `${from}: includes ${path}, which is outside of the folder`)
    }
    return name
  }

  /** The value of a file, with those of the files that it includes. */
  value(name: string): unknown {
    return this.#value(name, { trail: [], levels: 0, isAliased: false, aliases: newAliases() })
  }

  /** The value of a node of a file, with those of the files that it includes. */
  plain(node: unknown, file: YamlFile): unknown {
    return this.#plain(node, { file, trail: [file.name], levels: 0, isAliased: false, aliases: newAliases() })
  }

  #value(name: string, reading: Omit<Reading, 'file'>): unknown {
    const { trail } = reading
    if (trail.includes(name)) throw new Failure('failed', `${name}: it includes itself through ${trail.at(-1)}`)
    const file = this.file(name, trail.at(-1) ?? null)
    return this.#plain(file.document.contents, { ...reading, file, trail: [...trail, name] })
  }

  /** The place of a value, such as `actions.yaml:3:5`; that of the innermost value that is there. */
  place(name: string, path: readonly (string | number)[]): string {
    const file = this.file(name)
    let node: unknown = file.document.contents
    let found = node
    for (const [at, key] of path.entries()) {
      const include = includeOf(node)
      if (include !== null) return this.place(this.included(name, include), path.slice(at))
      if (!isMap(node) && !isSeq(node)) break
      node = node.get(isSeq(node) ? Number(key) : key, true)
      if (node === undefined || node === null) break
      found = node
    }
    const include = includeOf(found)
    if (include !== null) return this.place(this.included(name, include), [])
    return placeOf(found, file)
  }

  #plain(node: unknown, reading: Reading): unknown {
    const { file, isAliased, aliases } = reading
    const levels = reading.levels + 1
    if (levels > mostYamlLevels) {
      throw refusal(node, file, `values lie more than ${mostYamlLevels} levels deep, or an alias inside of its anchor`)
    }
    if (isAliased && ++aliases.repeated > mostAliased) {
      throw refusal(node, file, `the aliases repeat more than ${mostAliased} values`)
    }
    const inner: Reading = { ...reading, levels }
    const include = includeOf(node)
    if (include !== null) return this.#value(this.included(file.name, include), inner)
    if (isAlias(node)) {
      if (!aliases.nodes.has(node)) aliases.nodes.set(node, node.resolve(file.document))
      const anchored = aliases.nodes.get(node)
      if (!anchored) throw refusal(node, file, `there is no anchor &${node.source} before the alias *${node.source}`)
      return this.#plain(anchored, { ...inner, isAliased: true })
    }
    if (isSeq(node)) return node.items.map((item) => this.#plain(item, inner))
    if (isMap(node)) return this.#members(node, inner)
    return isScalar(node) ? plainScalar(node, file) : null
  }

  #members(node: YAMLMap, reading: Reading): unknown {
    const { file } = reading
    const entries: (readonly [string, unknown])[] = []
    for (const { key, value } of node.items) {
      if (!isScalar(key)) throw refusal(key, file, 'a key must be a text')
      const name = String(key.value)
      const plain = this.#plain(value, reading)
      if (name === '<<') {
        const merged = [plain].flat()
        if (!merged.every(isJsonObject)) throw refusal(key, file, '<< takes a mapping, or a list of mappings')
        entries.unshift(...merged.reverse().flatMap((each) => Object.entries(each)))
      } else entries.push([name, plain])
    }
    return Object.fromEntries(entries)
  }
}

/** The place of a node, such as `actions.yaml:3:5`. */
function placeOf(node: unknown, { name, text }: YamlFile): string {
  const offset = (node as Node | null)?.range?.[0] ?? 0
  const before = text.slice(0, offset).split('\n')
  return `${name}:${before.length}:${before.at(-1)!.length + 1}`
}

const refusal = (node: unknown, file: YamlFile, reason: string): Failure =>
  new Failure('failed', `${placeOf(node, file)}: broken YAML: ${reason}`)

/** Numbers keep all their digits. */
function plainScalar(node: Scalar, file: YamlFile): unknown {
  const { value } = node
  if (typeof value === 'bigint') {
    return Number.isSafeInteger(Number(value)) ? Number(value) : JSON.rawJSON(String(value))
  }
  if (value instanceof Date) return value.toISOString()
  if (typeof value === 'number' && !Number.isFinite(value)) {
    throw refusal(node, file, `JSON has no number such as ${node.source}`)
  }
  if (value instanceof Uint8Array) throw refusal(node, file, 'JSON has no binary values')
  return value
}
