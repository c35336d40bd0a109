// The schema of a remote server, as it answered.

/** A field of a remote schema with its arguments, and the path from there. */
export interface RemoteField {
  readonly [name: string]: {
    readonly arguments: Readonly<Record<string, unknown>>
    readonly field?: RemoteField
  }
}

/** A reference to a type. */
export interface RemoteTypeReference {
  readonly kind: string
  readonly name: string | null
  readonly ofType?: RemoteTypeReference | null
}

/** An argument, or a field of an input object. */
export interface RemoteInput {
  readonly name: string
  readonly description?: string | null
  readonly type: RemoteTypeReference
  readonly defaultValue?: string | null
}

/** A field of a type. */
export interface RemoteTypeField {
  readonly name: string
  readonly description?: string | null
  readonly args: readonly RemoteInput[]
  readonly type: RemoteTypeReference
}

/** A type of a remote schema. */
export interface RemoteType {
  readonly kind: string
  readonly name: string
  readonly description?: string | null
  readonly fields?: readonly RemoteTypeField[] | null
  readonly inputFields?: readonly RemoteInput[] | null
  readonly interfaces?: readonly RemoteTypeReference[] | null
  readonly enumValues?: readonly { readonly name: string }[] | null
  readonly possibleTypes?: readonly RemoteTypeReference[] | null
}

/** The schema that a server answered. */
export interface Introspected {
  readonly queryType: { readonly name: string } | null
  readonly mutationType?: { readonly name: string } | null
  readonly subscriptionType?: { readonly name: string } | null
  readonly types: readonly RemoteType[]
}

/** The name of the type inside of lists. */
export const innerName = ({ name, ofType }: RemoteTypeReference): string => (ofType ? innerName(ofType) : (name ?? ''))

/** A reference as SDL has it: `[User!]!`. */
export function referenceText({ kind, name, ofType }: RemoteTypeReference): string {
  if (!ofType) return name ?? ''
  return kind === 'LIST' ? `[${referenceText(ofType)}]` : `${referenceText(ofType)}!`
}

/** The type of that name. */
export const typeNamed = ({ types }: Introspected, name: string): RemoteType | undefined =>
  types.find((type) => type.name === name)

/** Whether values of a type have no fields. */
export const isLeaf = (schema: Introspected, reference: RemoteTypeReference): boolean => {
  const kind = typeNamed(schema, innerName(reference))?.kind
  return kind === undefined || kind === 'SCALAR' || kind === 'ENUM'
}
