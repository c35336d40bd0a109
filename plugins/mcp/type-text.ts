// An introspected type in the schema language of GraphQL.

/** A type, or a list or non-null type of another one. */
export interface TypeName {
  readonly kind: string
  readonly name: string | null
  readonly ofType?: TypeName | null
}

interface Deprecable {
  readonly isDeprecated?: boolean
  readonly deprecationReason?: string | null
}

interface Input {
  readonly name: string
  readonly description: string | null
  readonly defaultValue: string | null
  readonly type: TypeName
}

interface Field extends Deprecable {
  readonly name: string
  readonly description: string | null
  readonly args: readonly Input[]
  readonly type: TypeName
}

interface EnumValue extends Deprecable {
  readonly name: string
  readonly description: string | null
}

/** The answer of introspection for one type. */
export interface IntrospectedType {
  readonly kind: string
  readonly name: string
  readonly description: string | null
  readonly interfaces: readonly { readonly name: string }[] | null
  readonly possibleTypes: readonly { readonly name: string }[] | null
  readonly enumValues: readonly EnumValue[] | null
  readonly inputFields: readonly Input[] | null
  readonly fields: readonly Field[] | null
}

const keywords: Readonly<Record<string, string>> = {
  SCALAR: 'scalar',
  OBJECT: 'type',
  INTERFACE: 'interface',
  UNION: 'union',
  ENUM: 'enum',
  INPUT_OBJECT: 'input',
}

/** The text of a type with the members whose names contain a text; as many as fit into these bytes. */
export function typeText(type: IntrospectedType, containing: string, bytes: number): string {
  const head = `${comment(type.description, '')}${keywords[type.kind] ?? type.kind} ${type.name}${interfacesOf(type)}`
  if (type.kind === 'UNION') return `${head} = ${(type.possibleTypes ?? []).map(({ name }) => name).join(' | ')}`
  const wanted = containing.toLowerCase()
  const members = membersOf(type).filter(({ name }) => name.toLowerCase().includes(wanted))
  if (type.kind === 'SCALAR') return head
  const lines: string[] = []
  let left = bytes - Buffer.byteLength(head)
  for (const { text } of members) {
    left -= Buffer.byteLength(text) + 1
    if (left < 0) break
    lines.push(text)
  }
  const more = members.length - lines.length
  if (more > 0) lines.push(`  # ${more} more: name a part of their names in the argument "containing"`)
  return `${head} {\n${lines.join('\n')}\n}`
}

const interfacesOf = ({ interfaces }: IntrospectedType): string =>
  interfaces && interfaces.length > 0 ? ` implements ${interfaces.map(({ name }) => name).join(' & ')}` : ''

interface Member {
  readonly name: string
  readonly text: string
}

function membersOf({ fields, inputFields, enumValues }: IntrospectedType): Member[] {
  return [
    ...(fields ?? []).map((field) => ({ name: field.name, text: fieldText(field) })),
    ...(inputFields ?? []).map((field) => ({
      name: field.name,
      text: `${comment(field.description)}  ${inputText(field)}`,
    })),
    ...(enumValues ?? []).map((value) => ({
      name: value.name,
      text: `${comment(value.description)}  ${value.name}${deprecation(value)}`,
    })),
  ]
}

function fieldText(field: Field): string {
  const { name, description, args, type } = field
  const given = args.length === 0 ? '' : `(${args.map(argumentText).join(', ')})`
  return `${comment(description)}  ${name}${given}: ${typeName(type)}${deprecation(field)}`
}

const inputText = ({ name, type, defaultValue }: Input): string =>
  `${name}: ${typeName(type)}${defaultValue === null ? '' : ` = ${defaultValue}`}`

const argumentText = (argument: Input): string =>
  argument.description === null ? inputText(argument) : `${JSON.stringify(argument.description)} ${inputText(argument)}`

/** The name of a type, as the schema language writes it. */
export function typeName({ kind, name, ofType }: TypeName): string {
  if (kind === 'NON_NULL') return `${ofType ? typeName(ofType) : ''}!`
  if (kind === 'LIST') return `[${ofType ? typeName(ofType) : ''}]`
  return name ?? ''
}

const deprecation = ({ isDeprecated, deprecationReason }: Deprecable): string =>
  isDeprecated ? ` @deprecated(reason: ${JSON.stringify(deprecationReason ?? '')})` : ''

const comment = (description: string | null, indent = '  '): string =>
  description === null || description === '' ? '' : `${indent}${JSON.stringify(description)}\n`
