// YAML files that include each other, as documents that keep their comments.

import { existsSync, readFileSync } from 'node:fs'
import { dirname, join, relative, resolve, sep } from 'node:path'
import { type Document, isAlias, isMap, isScalar, isSeq, LineCounter, type Node, parseDocument } from 'yaml'
import { Failure } from '../exits.ts'

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

/** The files below a folder. */
export class YamlFiles {
  readonly root: string
  readonly #files = new Map<string, YamlFile>()

  constructor(root: string) {
    this.root = root
  }

  /** Whether a file exists. */
  has(name: string): boolean {
    return this.#files.has(name) || existsSync(join(this.root, name))
  }

  /** The text of a file of any kind. */
  text(name: string): string {
    const bytes = readFileSync(join(this.root, name))
    try {
      return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
    } catch {
      throw new Failure('failed', `${name}: it is not UTF-8 text`)
    }
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
  value(name: string, trail: readonly string[] = []): unknown {
    if (trail.includes(name)) throw new Failure('failed', `${name}: it includes itself through ${trail.at(-1)}`)
    const file = this.file(name, trail.at(-1) ?? null)
    return this.#plain(file.document.contents, file, [...trail, name])
  }

  /** The value of a node of a file, with those of the files that it includes. */
  plain(node: unknown, file: YamlFile): unknown {
    return this.#plain(node, file, [file.name])
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
    const offset = (found as Node | null)?.range?.[0] ?? 0
    const before = file.text.slice(0, offset).split('\n')
    return `${name}:${before.length}:${before.at(-1)!.length + 1}`
  }

  #plain(node: unknown, file: YamlFile, trail: readonly string[]): unknown {
    const include = includeOf(node)
    if (include !== null) return this.value(this.included(file.name, include), trail)
    if (isAlias(node)) return this.#plain(node.resolve(file.document) ?? null, file, trail)
    if (isSeq(node)) return node.items.map((item) => this.#plain(item, file, trail))
    if (isScalar(node)) return plainScalar(node.value)
    if (!isMap(node)) return null
    const entries: (readonly [string, unknown])[] = []
    for (const { key, value } of node.items) {
      const name = String((key as Node & { value?: unknown }).value)
      const plain = this.#plain(value, file, trail)
      if (name === '<<')
        entries.unshift(
          ...[plain]
            .flat()
            .reverse()
            .flatMap((each) => Object.entries(each as object)),
        )
      else entries.push([name, plain])
    }
    return Object.fromEntries(entries)
  }
}

/** Numbers keep all their digits. */
function plainScalar(value: unknown): unknown {
  if (typeof value !== 'bigint') return value instanceof Date ? value.toISOString() : value
  return Number.isSafeInteger(Number(value)) ? Number(value) : JSON.rawJSON(String(value))
}
