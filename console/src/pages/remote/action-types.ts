// Actions and custom types as the metadata has them.

/** An argument of an action. */
export interface ActionArgument {
  readonly name: string
  readonly type: string
  readonly description?: string | null
}

/** An action of the metadata. */
export interface Action {
  readonly name: string
  readonly comment?: string
  readonly definition: Readonly<Record<string, unknown>> & {
    readonly handler: string
    readonly output_type: string
    readonly arguments?: readonly ActionArgument[]
    readonly type?: 'mutation' | 'query'
    readonly kind?: string
  }
  readonly permissions?: readonly { readonly role: string }[]
}

interface TypeField {
  readonly name: string
  readonly type: string
  readonly description?: string | null
}

/** The custom types of the metadata. */
export interface CustomTypes {
  readonly input_objects?: readonly FieldType[]
  readonly objects?: readonly FieldType[]
  readonly scalars?: readonly { readonly name: string; readonly description?: string | null }[]
  readonly enums?: readonly EnumType[]
}

/** An object or an input object. */
export interface FieldType {
  readonly name: string
  readonly description?: string | null
  readonly fields: readonly TypeField[]
  /** Of objects; the SDL does not have them. */
  readonly relationships?: readonly unknown[]
}

/** An enum. */
export interface EnumType {
  readonly name: string
  readonly description?: string | null
  readonly values: readonly {
    readonly value: string
    readonly description?: string | null
    readonly is_deprecated?: boolean | null
  }[]
}
