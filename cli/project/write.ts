// Writes a document into a metadata folder. Files whose content stays the same are not touched.

import { mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { type Document, parseDocument } from 'yaml'
import { isJsonObject } from '../../core/json/json.ts'
import { Merge, type Surroundings } from './merge.ts'
import {
  actionsFile,
  databasesFile,
  fileNamePart,
  fileOfKey,
  fileOfKeyInV2,
  fileOfObject,
  type Json,
  typesFile,
  versionFile,
} from './parts.ts'
import type { Project } from './project.ts'
import { sameTypes, splitTypes } from './sdl.ts'
import { type YamlFile, YamlFiles } from './yaml-files.ts'

/** Writes the document, and returns the names of the files that changed. */
export function writeMetadata(project: Project, document: Json): readonly string[] {
  const writer = new FolderWriter(project)
  writer.document(document)
  return writer.save()
}

/** The lists of a source that have a folder, one file for each item of some. */
const splitKeys: readonly string[] = ['tables', 'functions']

class FolderWriter implements Surroundings {
  readonly #project: Project
  readonly #files: YamlFiles
  /** New texts by file; null for files that go. */
  readonly #texts = new Map<string, string | null>()

  constructor(project: Project) {
    this.#project = project
    this.#files = new YamlFiles(project.metadata)
  }

  document(document: Json): void {
    const { version } = this.#project
    if (!this.#files.has(versionFile)) this.#texts.set(versionFile, `version: ${version}\n`)
    const keys = version === 3 ? fileOfKey : { ...fileOfKeyInV2, ...fileOfKey }
    const content = version === 3 ? document : inVersion2(document)
    if (version === 3) this.#sources(document['sources'])
    for (const [key, file] of Object.entries(keys)) this.#part(file, content[key])
    this.#actions(content)
  }

  /** Sources are merged one key after the other, so that the lists of a new source get files, too. */
  #sources(value: unknown): void {
    const sources = Array.isArray(value) ? value.filter(isJsonObject) : []
    for (const source of sources) {
      for (const key of splitKeys)
        if (Array.isArray(source[key])) this.#sourceOf.set(source[key], String(source['name']))
    }
    this.#value(databasesFile, sources)
  }

  /** An empty part needs no file, unless there is one, or the folder is known by it. */
  #part(file: string, value: unknown): void {
    const needed = file === fileOfKeyInV2['tables'] || this.#files.has(file)
    if (value === undefined && !needed) return
    const empty = this.#files.has(file) && isJsonObject(this.#files.value(file)) ? {} : []
    this.#value(file, value ?? empty)
  }

  #actions(document: Json): void {
    const hasFile = this.#files.has(actionsFile)
    const says = document['actions'] !== undefined || document['custom_types'] !== undefined
    if (!says && !hasFile) return
    if (hasFile && !this.#files.has(typesFile)) {
      // The folder keeps signatures in the YAML file.
      this.#value(actionsFile, { actions: document['actions'] ?? [], custom_types: document['custom_types'] ?? {} })
      return
    }
    const { value, text } = splitTypes(document)
    this.#value(actionsFile, value)
    const isSame = this.#files.has(typesFile) && sameTypes(this.#files.text(typesFile), text)
    if (!isSame) this.#texts.set(typesFile, text)
  }

  /** Writes a value into a file, which is made if it is missing. */
  #value(name: string, value: unknown): void {
    if (this.#files.has(name)) this.#merge(this.#files.file(name), value)
    else this.#create(name, value)
  }

  #create(name: string, value: unknown): void {
    const file: YamlFile = { name, text: '', document: parseDocument('') }
    const merge = new Merge(file, this)
    merge.root(value)
    this.#texts.set(name, this.#textOf(file))
  }

  #merge(file: YamlFile, value: unknown): void {
    const merge = new Merge(file, this)
    merge.root(value)
    if (merge.isChanged) this.#texts.set(file.name, this.#textOf(file))
  }

  #textOf({ document, text }: YamlFile): string {
    return textOf(document, text)
  }

  plain(node: unknown, file: YamlFile): unknown {
    return this.#files.plain(node, file)
  }

  writeIncluded(from: YamlFile, path: string, value: unknown): void {
    this.#value(this.#files.included(from.name, path), value)
  }

  dropIncluded(from: YamlFile, path: string): void {
    this.#texts.set(this.#files.included(from.name, path), null)
  }

  /** Tables and functions of version 3 have a file each. */
  split(from: YamlFile, key: string | null, value: unknown): string | null {
    if (this.#project.version !== 3) return null
    if (from.name === databasesFile) {
      return key !== null && splitKeys.includes(key) ? this.#splitList(from, key, value) : null
    }
    const kind = /^databases\/[^/]+\/(tables|functions)\/\1\.yaml$/.exec(from.name)?.[1]
    if (kind === undefined || key !== null || !isJsonObject(value)) return null
    const object = value[kind === 'tables' ? 'table' : 'function']
    const name = this.#freeName(dirname(from.name), fileOfObject(object))
    this.#create(name, value)
    return `!include ${relative(dirname(from.name), name)}`
  }

  #splitList(from: YamlFile, key: string, value: unknown): string | null {
    const source = this.#sourceOf.get(value as object) ?? this.#project.source
    const name = `databases/${fileNamePart(source)}/${key}/${key}.yaml`
    if (this.#files.has(name)) return null
    this.#create(name, value)
    return `!include ${relative(dirname(from.name), name)}`
  }

  /** The name of the source of each list. */
  readonly #sourceOf = new Map<object, string>()

  /** Two objects may have the same name but for characters that files cannot have. */
  #freeName(folder: string, name: string): string {
    for (let n = 1; ; n++) {
      const path = `${folder}/${n === 1 ? name : name.replace(/\.yaml$/, `_${n}.yaml`)}`
      const isTaken = this.#texts.get(path) ?? (this.#texts.has(path) ? null : this.#files.has(path) ? '' : null)
      if (isTaken === null) return path
    }
  }

  /** Writes all new files beside the old ones first, so that a full disk leaves the folder as it was. */
  save(): readonly string[] {
    const root = this.#project.metadata
    const written: (readonly [string, string])[] = []
    try {
      for (const [name, text] of this.#texts) {
        if (text === null) continue
        const path = join(root, name)
        mkdirSync(dirname(path), { recursive: true })
        written.push([`${path}.new`, path])
        writeFileSync(`${path}.new`, text)
      }
    } catch (error) {
      for (const [temporary] of written) rmSync(temporary, { force: true })
      throw error
    }
    for (const [temporary, path] of written) renameSync(temporary, path)
    for (const [name, text] of this.#texts) if (text === null) rmSync(join(root, name), { force: true })
    return [...this.#texts.keys()].sort()
  }
}

/** The document of version 2: the one source's tables and functions. */
function inVersion2(document: Json): Json {
  if (!Array.isArray(document['sources'])) return document
  const [source] = document['sources'].filter(isJsonObject)
  const { sources: _, version: __, ...rest } = document
  return {
    ...rest,
    tables: source?.['tables'] ?? [],
    ...(source?.['functions'] !== undefined && { functions: source['functions'] }),
  }
}

/** The text of a changed document, with the line ends and the indentation of lists that it had. */
function textOf(document: Document, before: string): string {
  const text = document.toString({ lineWidth: 0, indentSeq: indentsLists(before) })
  return before.includes('\r\n') ? text.replace(/\r?\n/g, '\r\n') : text
}

const indentsLists = (text: string): boolean => !/^( *)[^\s#-][^\n]*:[ \t]*\r?\n\1- /m.test(text)
