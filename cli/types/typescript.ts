// Writes a GraphQL schema as TypeScript: the values of its types as JSON has them, and the arguments of fields.

import {
  type GraphQLEnumType,
  type GraphQLField,
  type GraphQLInputObjectType,
  type GraphQLInterfaceType,
  type GraphQLNamedType,
  type GraphQLObjectType,
  type GraphQLSchema,
  type GraphQLType,
  isEnumType,
  isInputObjectType,
  isListType,
  isNonNullType,
  isObjectType,
  isRequiredInputField,
  isScalarType,
} from 'graphql'

const numbers = ['Int', 'Float', 'smallint', 'integer', 'int4', 'int2', 'real', 'float4', 'oid']

/** Numbers that a server may send as texts. */
const longNumbers = ['bigint', 'int8', 'numeric', 'float8', 'double_precision', 'money']

const texts = [
  ...['ID', 'String', 'text', 'varchar', 'bpchar', 'char', 'name', 'citext', 'uuid', 'bytea', 'xml', 'bit', 'varbit'],
  ...['date', 'time', 'timetz', 'timestamp', 'timestamptz', 'interval', 'inet', 'cidr', 'macaddr', 'macaddr8'],
  ...['ltree', 'lquery', 'ltxtquery', 'tsvector', 'tsquery', 'jsonpath', 'regclass', 'daterange', 'tsrange'],
  ...['tstzrange', 'int4range', 'int8range', 'numrange', 'pg_lsn'],
]

/** Names that TypeScript refuses for types. */
const reserved = new Set(
  'any as bigint boolean break case catch class const continue debugger default delete do else enum export extends false finally for function if import in instanceof let never new null number object package private protected public return static string super switch symbol this throw true try type typeof undefined unknown var void while with yield'.split(
    ' ',
  ),
)

/** Options of {@link typescriptOf}. */
export interface WriterOptions {
  /** Types of scalars by name, before the known ones. */
  readonly scalars: ReadonlyMap<string, string>
  /** Whether the server sends numbers of 64 bits and more as texts. */
  readonly areLongNumbersTexts: boolean
}

/** The text of a module with the types of a schema, without those of introspection. */
export function typescriptOf(schema: GraphQLSchema, options: WriterOptions): string {
  const types = Object.values(schema.getTypeMap()).filter(({ name }) => !name.startsWith('__'))
  return new Writer(schema, options).module(types.sort((a, b) => (a.name < b.name ? -1 : 1)))
}

class Writer {
  readonly #schema: GraphQLSchema
  readonly #options: WriterOptions
  readonly #taken: Set<string>
  /** Names of types that TypeScript refuses, with those that they get. */
  readonly #names: ReadonlyMap<string, string>

  constructor(schema: GraphQLSchema, options: WriterOptions) {
    this.#schema = schema
    this.#options = options
    const names = Object.keys(schema.getTypeMap())
    this.#taken = new Set(names)
    this.#names = new Map(names.filter((name) => reserved.has(name)).map((name) => [name, this.#free(`${name}_`)]))
  }

  /** A name that no type has; it is taken then. */
  #free(name: string): string {
    const free = this.#taken.has(name) ? this.#free(`${name}_`) : name
    this.#taken.add(free)
    return free
  }

  #name(name: string): string {
    return this.#names.get(name) ?? name
  }

  module(types: readonly GraphQLNamedType[]): string {
    const parts = types.flatMap((type) => this.#declarations(type))
    const roots = (['query', 'mutation', 'subscription'] as const).flatMap((kind) => {
      const root = this.#schema.getRootType(kind as never)
      return root ? [`  ${kind}: ${this.#name(root.name)}\n`] : []
    })
    return `${parts.join('\n')}\n/** The types of the three kinds of operations. */\nexport interface ${this.#free('Schema')} {\n${roots.join('')}}\n`
  }

  #declarations(type: GraphQLNamedType): readonly string[] {
    const head = commentOf(type.description, '')
    const name = this.#name(type.name)
    if (isScalarType(type)) return [`${head}export type ${name} = ${this.#scalar(type.name)}\n`]
    if (isEnumType(type)) return [`${head}export type ${name} = ${valuesOf(type)}\n`]
    if (isInputObjectType(type)) return [`${head}export interface ${name} {\n${this.#inputs(type)}}\n`]
    if (isObjectType(type))
      return [`${head}export interface ${name} {\n${this.#fields(type)}}\n`, ...this.#arguments(type)]
    const possible = this.#schema.getPossibleTypes(type).map((each) => this.#name(each.name))
    return [`${head}export type ${name} = ${possible.join(' | ') || 'never'}\n`]
  }

  #scalar(name: string): string {
    const given = this.#options.scalars.get(name)
    if (given !== undefined) return given
    if (name === 'Boolean' || name === 'bool') return 'boolean'
    if (numbers.includes(name)) return 'number'
    if (longNumbers.includes(name)) return this.#options.areLongNumbersTexts ? 'string' : 'number'
    return texts.includes(name) ? 'string' : 'unknown'
  }

  #fields(type: GraphQLObjectType | GraphQLInterfaceType): string {
    const fields = Object.values(type.getFields()).map(
      (field) => `${commentOf(field.description, '  ')}  ${field.name}: ${this.#value(field.type)}\n`,
    )
    return `  __typename?: '${type.name}'\n${fields.join('')}`
  }

  #inputs(type: GraphQLInputObjectType): string {
    return Object.values(type.getFields())
      .map((field) => {
        const mark = isRequiredInputField(field) ? '' : '?'
        return `${commentOf(field.description, '  ')}  ${field.name}${mark}: ${this.#value(field.type)}\n`
      })
      .join('')
  }

  /** One interface for each field that has arguments. */
  #arguments(type: GraphQLObjectType): readonly string[] {
    return Object.values(type.getFields())
      .filter(({ args }) => args.length > 0)
      .map((field) => `export interface ${this.#argumentsName(type, field)} {\n${this.#argumentLines(field)}}\n`)
  }

  #argumentLines({ args }: GraphQLField<unknown, unknown>): string {
    return args
      .map((arg) => {
        const isOptional = !isNonNullType(arg.type) || arg.default !== undefined || arg.defaultValue !== undefined
        return `${commentOf(arg.description, '  ')}  ${arg.name}${isOptional ? '?' : ''}: ${this.#value(arg.type)}\n`
      })
      .join('')
  }

  #argumentsName({ name }: GraphQLObjectType, field: GraphQLField<unknown, unknown>): string {
    return this.#free(`${name}_${field.name}_args`)
  }

  #value(type: GraphQLType): string {
    if (!isNonNullType(type)) return `${this.#nonNull(type)} | null`
    return this.#nonNull(type.ofType)
  }

  #nonNull(type: GraphQLType): string {
    if (isListType(type)) {
      const item = this.#value(type.ofType)
      return item.includes(' ') ? `readonly (${item})[]` : `readonly ${item}[]`
    }
    return this.#name((type as GraphQLNamedType).name)
  }
}

const valuesOf = (type: GraphQLEnumType): string =>
  type
    .getValues()
    .map(({ name }) => `'${name}'`)
    .join(' | ') || 'never'

function commentOf(description: string | null | undefined, indent: string): string {
  if (!description) return ''
  const lines = description.replaceAll('*/', '*\\/').trim().split(/\r?\n/)
  if (lines.length === 1) return `${indent}/** ${lines[0]} */\n`
  return `${indent}/**\n${lines.map((line) => `${indent} * ${line}`.trimEnd()).join('\n')}\n${indent} */\n`
}
