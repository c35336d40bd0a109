// The parts that plugins of the server add to the console, as the configuration lists them.

/** A part with a module. */
export interface ModulePart {
  readonly plugin: string
  /** The module's address below the server. */
  readonly module: string
}

/** A page. */
export interface PluginPage {
  readonly plugin: string
  readonly path: string
  readonly title: string
  readonly group: string | null
  readonly icon: string
  readonly apis: readonly string[]
  readonly module: string | null
  readonly form: string | null
  readonly list: { readonly operation: string; readonly columns: readonly string[] | null } | null
}

/** A tab of tables. */
export interface PluginTab extends ModulePart {
  readonly id: string
  readonly title: string
  readonly facet: string | null
}

/** Something to do with a cell. */
export interface PluginAction extends ModulePart {
  readonly id: string
  readonly title: string
  readonly types: readonly string[]
}

/** How cells of some types look. */
export interface PluginCell extends ModulePart {
  readonly types: readonly string[]
}

/** All parts. */
export interface PluginParts {
  readonly pages: readonly PluginPage[]
  readonly table_tabs: readonly PluginTab[]
  readonly column_actions: readonly PluginAction[]
  readonly cells: readonly PluginCell[]
  readonly commands: readonly {
    readonly plugin: string
    readonly id: string
    readonly title: string
    readonly operation: string
  }[]
}
