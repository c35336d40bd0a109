// The contract between the console in the browser and the modules of plugins.

/** An element in the browser; `unknown` to projects without the types of the DOM. */
export type ConsoleElement = typeof globalThis extends { HTMLElement: { prototype: infer Element } } ? Element : unknown

/** The default export of a module. */
export interface ConsoleModule {
  /** The version of this contract. */
  readonly api: 1
  /**
   * Puts its content into the element, which is in a shadow root of its own. Within three seconds it returns, or fulfils, the
   * function that ends it, or nothing.
   */
  mount(host: ConsoleElement, services: ConsoleServices): ConsoleEnd | Promise<ConsoleEnd>
}

/** Ends a part: it is called before its element goes. */
export type ConsoleEnd = (() => void) | undefined

/** As whom rows and GraphQL are asked for; the role null is the administrator. */
export interface ConsoleIdentity {
  readonly role: string | null
  /** Without the prefix of the dialect, as `user-id`. */
  readonly variables: Readonly<Record<string, string>>
}

/** The services of the console for a part of a plugin. */
export interface ConsoleServices {
  /** Runs an operation of the metadata API; rejects with an `Error` that has `facts`: `status`, `code`, `path`. */
  run<T = unknown>(type: string, args?: unknown, options?: { version?: number; as?: ConsoleIdentity }): Promise<T>
  /** Sends a GraphQL operation as the identity at the top; fulfils its body, errors and all. */
  graphql<T = unknown>(
    query: string,
    variables?: unknown,
  ): Promise<{ readonly data?: T | null; readonly errors?: readonly { readonly message: string }[] }>
  /** The metadata with its version, as `export_metadata` version 2 answers it. */
  metadata(): Promise<{ readonly resource_version: number; readonly metadata: Readonly<Record<string, unknown>> }>
  /** The identity at the top. `subscribe` calls the listener after each change, and returns the function that ends it. */
  readonly identity: { get(): ConsoleIdentity; subscribe(listener: () => void): () => void }
  /** Goes to a path below the console, as `data/public/album`. */
  navigate(path: string): void
  /** Asks before something that cannot be undone. */
  confirm(question: {
    readonly title: string
    readonly text?: string
    /** The name of the thing that goes, which people type first in production; absent: they type nothing. */
    readonly name?: string
    readonly action: string
  }): Promise<boolean>
  /** Confirms something that was done. */
  toast(text: string): void
  /** A text that the browser keeps for the plugin; null removes it. */
  draft(key: string): { get(): string | null; set(text: string | null): void }
  /** Aborts when the part ends. */
  readonly signal: AbortSignal
  /** Whether nothing may be edited now. */
  readonly isReadOnly: boolean
  /** Of a table tab and a column action. */
  readonly table?: { readonly schema: string; readonly name: string }
  /** Of a cell and a column action. */
  readonly column?: { readonly name: string; readonly type: string }
  /** Of a cell and a column action: the value as text; of a long one its beginning. */
  readonly value?: string | null
  /** Of a column action: the key of the row. */
  readonly row?: Readonly<Record<string, string | null>>
}
