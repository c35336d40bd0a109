// The parts that other plugins add to the console. Their modules are files of the plugins, served beside the console's own.

import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import { type ConfigurationMember, type Static, serviceKey, Type } from '../../sdk/index.ts'

/** A file with one ECMAScript module, whose default export is a `ConsoleModule`. It imports no other file. */
export type ModuleFile = URL

/** A page of the console, at `/console/x/PLUGIN/PATH`. It has a module, a form or a list. */
export interface ConsolePage {
  /** Lower-case words, digits and dashes, in parts parted by slashes. */
  readonly path: string
  readonly title: string
  /** The page of the rail below which it is listed, such as `govern`; absent: a place of its own. */
  readonly group?: string
  /** A name of `consoleIcons`; absent: a plug. */
  readonly icon?: ConsoleIcon
  /** The APIs that have to be enabled for it to be listed; absent: none. */
  readonly apis?: readonly string[]
  readonly module?: ModuleFile
  /** An operation whose arguments the page asks for. */
  readonly form?: string
  /** An operation without arguments that answers objects, with the members that the page shows; absent: all. */
  readonly list?: { readonly operation: string; readonly columns?: readonly string[] }
}

/** A tab of tables. */
export interface ConsoleTableTab {
  /** Lower-case words, digits and dashes. */
  readonly id: string
  readonly title: string
  /** Only tables whose entry in the metadata has this key; absent: all. */
  readonly when?: { readonly facet: string }
  readonly module: ModuleFile
}

/** Something to do with a cell. */
export interface ConsoleColumnAction {
  readonly id: string
  readonly title: string
  /** The types of columns, as `geometry`. */
  readonly types: readonly string[]
  readonly module: ModuleFile
}

/** How cells of some types look in the grid. */
export interface ConsoleCell {
  readonly types: readonly string[]
  readonly module: ModuleFile
}

/** An entry of the palette. */
export interface ConsoleCommand {
  readonly id: string
  readonly title: string
  /** The operation whose form it opens. */
  readonly operation: string
}

/** The parts of a plugin. */
export interface ConsoleParts {
  /** The plugin's own name. */
  readonly plugin: string
  readonly pages?: readonly ConsolePage[]
  readonly tableTabs?: readonly ConsoleTableTab[]
  readonly columnActions?: readonly ConsoleColumnAction[]
  readonly cells?: readonly ConsoleCell[]
  readonly commands?: readonly ConsoleCommand[]
}

/** The service that takes the parts of plugins. */
export interface ConsoleExtensions {
  /** Adds parts; throws where another part has the same path, id or type, or a module's file cannot be read. */
  add(parts: ConsoleParts): void
}

/** The service of the console: `engine.use(consoleParts)`. */
export const consoleParts = serviceKey<ConsoleExtensions>('consoleParts')

/** The icons of pages. */
export const consoleIcons = [
  ...(['bell', 'book', 'box', 'chart', 'clock', 'file', 'gauge', 'globe', 'key', 'list', 'map', 'plug'] as const),
  ...(['search', 'shield', 'table', 'users'] as const),
] as const

/** The name of an icon. */
export type ConsoleIcon = (typeof consoleIcons)[number]

const Words = Type.Array(Type.String())
const Nullable = Type.Union([Type.String(), Type.Null()])
const own = { plugin: Type.String(), title: Type.String() }
const Listed = Type.Object({ operation: Type.String(), columns: Type.Union([Words, Type.Null()]) })

/** The parts as clients read them. A module is its address below the server. */
const ListedParts = Type.Object(
  {
    pages: Type.Array(
      Type.Object({
        ...{ ...own, path: Type.String(), group: Nullable, icon: Type.String(), apis: Words, module: Nullable },
        ...{ form: Nullable, list: Type.Union([Listed, Type.Null()]) },
      }),
    ),
    table_tabs: Type.Array(Type.Object({ ...own, id: Type.String(), facet: Nullable, module: Type.String() })),
    column_actions: Type.Array(Type.Object({ ...own, id: Type.String(), types: Words, module: Type.String() })),
    cells: Type.Array(Type.Object({ plugin: Type.String(), types: Words, module: Type.String() })),
    commands: Type.Array(Type.Object({ ...own, id: Type.String(), operation: Type.String() })),
  },
  { title: 'ConsoleParts' },
)

type Lists = { -readonly [Key in keyof Static<typeof ListedParts>]: Static<typeof ListedParts>[Key] }

const pathForm = /^[a-z0-9-]+(?:\/[a-z0-9-]+)*$/
const idForm = /^[a-z0-9-]+$/

export class Extensions implements ConsoleExtensions {
  readonly #lists: Lists = { pages: [], table_tabs: [], column_actions: [], cells: [], commands: [] }
  readonly #modules = new Map<string, Promise<Buffer>>()
  /** The plugin of each part, by the name or place that only one part may have. */
  readonly #taken = new Map<string, string>()

  add(parts: ConsoleParts): void {
    const { plugin, pages = [], tableTabs = [], columnActions = [], cells = [], commands = [] } = parts
    if (!/^[\w.-]+$/.test(plugin)) throw new Error(`console: "${plugin}" cannot be in an address`)
    for (const page of pages) this.#lists.pages.push(this.#page(plugin, page))
    for (const { id, title, when, module } of tableTabs) {
      this.#takeId('table tab', id, plugin)
      this.#lists.table_tabs.push({
        ...{ plugin, id, title },
        facet: when?.facet ?? null,
        module: this.#file(plugin, module),
      })
    }
    for (const { id, title, types, module } of columnActions) {
      this.#takeId('column action', id, plugin)
      this.#lists.column_actions.push({
        ...{ plugin, id, title, types: [...types] },
        module: this.#file(plugin, module),
      })
    }
    for (const { types, module } of cells) {
      for (const type of types) this.#take(`cells of type "${type}"`, plugin)
      this.#lists.cells.push({ plugin, types: [...types], module: this.#file(plugin, module) })
    }
    for (const { id, title, operation } of commands) {
      this.#takeId('command', id, plugin)
      this.#lists.commands.push({ plugin, id, title, operation })
    }
  }

  /** The bytes of a module, compressed; undefined: there is no such module. */
  module(plugin: string, file: string): Promise<Buffer> | undefined {
    return this.#modules.get(`${plugin}/${file}`)
  }

  /** The member `console` of the configuration. */
  get member(): ConfigurationMember {
    return { key: 'console', place: 260, schema: ListedParts, value: () => this.#lists }
  }

  #page(plugin: string, page: ConsolePage): Lists['pages'][number] {
    const { path, title, group = null, icon = 'plug', apis = [], module, form = null, list } = page
    if (!pathForm.test(path)) throw new Error(`console: the path "${path}" has other signs than a-z, 0-9, "-" and "/"`)
    if ([module, form, list].filter((each) => each !== undefined && each !== null).length !== 1) {
      throw new Error(`console: the page "${path}" needs one of "module", "form" and "list"`)
    }
    this.#take(`the path "x/${plugin}/${path}"`, plugin)
    return {
      ...{ plugin, path, title, group, icon, apis: [...apis], form },
      module: module ? this.#file(plugin, module) : null,
      list: list ? { operation: list.operation, columns: list.columns ? [...list.columns] : null } : null,
    }
  }

  #takeId(kind: string, id: string, plugin: string): void {
    if (!idForm.test(id)) throw new Error(`console: the id "${id}" has other signs than a-z, 0-9 and "-"`)
    this.#take(`the ${kind} "${plugin}.${id}"`, plugin)
  }

  #take(place: string, plugin: string): void {
    const other = this.#taken.get(place)
    if (other !== undefined) throw new Error(`console: ${place} is taken by plugin "${other}" already`)
    this.#taken.set(place, plugin)
  }

  /** Reads a module; answers its address below the server. */
  #file(plugin: string, file: ModuleFile): string {
    const text = readFileSync(file)
    const name = `${createHash('sha256').update(text).digest('hex').slice(0, 16)}.js`
    const key = `${plugin}/${name}`
    if (!this.#modules.has(key)) this.#modules.set(key, promisify<Buffer, Buffer>(gzip)(text))
    return `console/x/${key}`
  }
}
