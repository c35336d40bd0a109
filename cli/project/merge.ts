// Writes a value into a YAML document: equal parts keep their comments, order and spelling.

import { type Document, isAlias, isMap, isScalar, isSeq, type Node, type Pair, YAMLMap, YAMLSeq } from 'yaml'
import { isJsonObject, sameJson } from '../../core/json/json.ts'
import { isDefault } from './defaults.ts'
import type { Json } from './parts.ts'
import { includeOf, type YamlFile } from './yaml-files.ts'

/** The files around a document. */
export interface Surroundings {
  /** The value of a node, with included files. */
  plain(node: unknown, file: YamlFile): unknown
  /** Writes a value into the file that a node includes. */
  writeIncluded(from: YamlFile, path: string, value: unknown): void
  /** The included file is no longer needed. */
  dropIncluded(from: YamlFile, path: string): void
  /** The text of an include for a new item or member, which writes its file; null: it is written in place. */
  split(from: YamlFile, key: string | null, value: unknown): string | null
}

/** Lists of names whose order has no meaning. */
const unordered: readonly string[] = [
  'columns',
  'computed_fields',
  'roles',
  'role_set',
  'methods',
  'forward_client_headers',
]

/** The members that identify an item of a list. */
const identities = ['name', 'table', 'function', 'role', 'collection', 'remote_schema', 'relationship', 'value', 'type']

function identityOf(item: unknown): string {
  if (!isJsonObject(item)) return JSON.stringify(item) ?? ''
  const key = identities.find((each) => item[each] !== undefined && item[each] !== null)
  return key === undefined ? JSON.stringify(item) : `${key}:${canonicalName(item[key])}`
}

const canonicalName = (name: unknown): string =>
  isJsonObject(name) && typeof name['name'] === 'string'
    ? `${name['schema'] ?? 'public'}.${name['name']}`
    : JSON.stringify(name)

/** Merges values into one document. */
export class Merge {
  readonly #file: YamlFile
  readonly #around: Surroundings
  /** Whether anything was changed. */
  isChanged = false

  constructor(file: YamlFile, around: Surroundings) {
    this.#file = file
    this.#around = around
  }

  /** Writes a value as the content of the file. */
  root(value: unknown): void {
    const { document } = this.#file
    const merged = this.#node(document.contents, value, null)
    if (merged !== document.contents) document.contents = merged as Document['contents']
  }

  #create(key: string | null, value: unknown): Node {
    this.isChanged = true
    const include = this.#around.split(this.#file, key, value)
    const { document } = this.#file
    if (include !== null) {
      const scalar = document.createNode(include) as Node & { type?: string }
      scalar.type = 'QUOTE_DOUBLE'
      return scalar
    }
    if (Array.isArray(value)) {
      const list = new YAMLSeq(document.schema)
      for (const item of value) list.add(this.#create(null, item))
      return list
    }
    if (!isJsonObject(value)) return document.createNode(plainNumbers(value)) as Node
    const map = new YAMLMap(document.schema)
    for (const [name, member] of Object.entries(value)) map.add(document.createPair(name, this.#create(name, member)))
    return map
  }

  #node(node: unknown, value: unknown, key: string | null): unknown {
    const include = includeOf(node)
    if (include !== null) {
      this.#around.writeIncluded(this.#file, include, value)
      return node
    }
    if (isAlias(node) || this.#hasMerge(node)) {
      // Shared parts stay as they are while they say the same.
      return sameJson(this.#around.plain(node, this.#file), value) ? node : this.#create(key, value)
    }
    if (isMap(node) && isJsonObject(value)) return this.#map(node, value)
    if (isSeq(node) && Array.isArray(value)) return this.#list(node, value, key)
    if (isScalar(node) && sameJson(this.#around.plain(node, this.#file), value)) return node
    if (node !== null && isDefault(key, value) && isDefault(key, this.#around.plain(node, this.#file))) return node
    const created = this.#create(key, value)
    if (isScalar(node) && isScalar(created)) {
      created.comment = node.comment
      created.commentBefore = node.commentBefore
    }
    return created
  }

  #hasMerge(node: unknown): boolean {
    return isMap(node) && node.items.some(({ key }) => isScalar(key) && key.value === '<<')
  }

  #map(node: YAMLMap, value: Json): YAMLMap {
    spread(node)
    const gone: Pair[] = []
    for (const pair of node.items as Pair[]) {
      const name = String(isScalar(pair.key) ? pair.key.value : pair.key)
      if (Object.hasOwn(value, name)) {
        const merged = this.#node(pair.value, value[name], name)
        if (merged !== pair.value) pair.value = merged
      } else if (includeOf(pair.value) !== null) this.#node(pair.value, [], name)
      else if (!isDefault(name, this.#around.plain(pair.value, this.#file))) gone.push(pair)
    }
    if (gone.length > 0) {
      this.isChanged = true
      node.items = node.items.filter((pair) => !gone.includes(pair as Pair))
    }
    for (const [name, member] of Object.entries(value)) {
      if (!node.has(name)) node.add(this.#file.document.createPair(name, this.#create(name, member)))
    }
    return node
  }

  #list(node: YAMLSeq, value: readonly unknown[], key: string | null): unknown {
    const plain = node.items.map((item) => this.#around.plain(item, this.#file))
    if (sameJson(plain, value)) return node
    spread(node)
    const identitiesHere = plain.map(identityOf)
    const wanted = value.map(identityOf)
    const isUnique = new Set(identitiesHere).size === plain.length && new Set(wanted).size === value.length
    const isKeyed = [...plain, ...value].every(isJsonObject)
    if (!isUnique || !(isKeyed || unordered.includes(key ?? ''))) return this.#create(key, value)
    const kept: unknown[] = []
    for (const [at, item] of node.items.entries()) {
      const place = wanted.indexOf(identitiesHere[at]!)
      if (place >= 0) kept.push(this.#node(item, value[place], null))
      else {
        this.isChanged = true
        const include = includeOf(item)
        if (include !== null) this.#around.dropIncluded(this.#file, include)
      }
    }
    const added = value.filter((_, at) => !identitiesHere.includes(wanted[at]!))
    node.items = [...kept, ...added.map((each) => this.#create(null, each))]
    return node
  }
}

/** Gives the first items of an empty collection lines of their own. */
function spread(node: YAMLMap | YAMLSeq): void {
  if (node.items.length === 0) node.flow = false
}

/** Numbers with more digits than JavaScript keeps are big integers in YAML. */
function plainNumbers(value: unknown): unknown {
  if (JSON.isRawJSON(value)) {
    const text = JSON.stringify(value)
    return /^-?\d+$/.test(text) ? BigInt(text) : Number(text)
  }
  if (Array.isArray(value)) return value.map(plainNumbers)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, plainNumbers(member)]))
}
