// Types of a schema as introspection tells them, and an operation for a field.

interface TypeReference {
  readonly name: string | null
  readonly kind: string
  readonly ofType?: TypeReference | null
}

/** A field, an argument, or a member of an input. */
export interface SchemaField {
  readonly name: string
  readonly description: string | null
  readonly type: TypeReference
  readonly args?: readonly SchemaField[]
}

/** A type with its members. */
export interface SchemaType {
  readonly name: string
  readonly kind: string
  readonly description: string | null
  readonly fields: readonly SchemaField[] | null
  readonly inputFields: readonly SchemaField[] | null
  readonly enumValues: readonly { readonly name: string; readonly description: string | null }[] | null
}

interface TypeFacts {
  /** As in a schema, `[album!]!`. */
  readonly text: string
  /** The name inside of lists. */
  readonly name: string
  /** Whether it has no members to open. */
  readonly isLeaf: boolean
}

/** A reference as text, with the name of the type in it. */
export function typeText(type: TypeReference): TypeFacts {
  const inner = type.ofType ? typeText(type.ofType) : null
  if (type.kind === 'NON_NULL' && inner) return { ...inner, text: `${inner.text}!` }
  if (type.kind === 'LIST' && inner) return { ...inner, text: `[${inner.text}]` }
  const name = type.name ?? ''
  return { text: name, name, isLeaf: type.kind === 'SCALAR' }
}

/** Fields that a new operation selects at most. */
const mostFields = 12

/** An operation for a root field: its required arguments as variables, and the plain fields of its type. */
export function operationFor(kind: string, field: SchemaField, inner: SchemaType | null): string {
  const required = (field.args ?? []).filter(({ type }) => type.kind === 'NON_NULL')
  const declared = required.map(({ name, type }) => `$${name}: ${typeText(type).text}`).join(', ')
  const given = required.map(({ name }) => `${name}: $${name}`)
  const hasLimit = (field.args ?? []).some(({ name }) => name === 'limit')
  const args = [...given, ...(hasLimit ? ['limit: 10'] : [])].join(', ')
  const isPlain = ({ type, args: own = [] }: SchemaField) => {
    const { isLeaf } = typeText(type)
    return (isLeaf || type.kind === 'ENUM') && own.every((arg) => arg.type.kind !== 'NON_NULL')
  }
  const plain = (inner?.fields ?? []).filter(isPlain).slice(0, mostFields)
  const names = plain.length > 0 ? plain.map(({ name }) => name) : ['__typename']
  const selection = inner ? ` {\n${names.map((name) => `    ${name}`).join('\n')}\n  }` : ''
  return `${kind} ${field.name}${declared && `(${declared})`} {\n  ${field.name}${args && `(${args})`}${selection}\n}\n`
}
