// Reads the text of a permission: a part of the remote schema in SDL, with `@preset` for values that the role cannot give.

import {
  type EnumTypeDefinitionNode,
  type FieldDefinitionNode,
  type GraphQLArgument,
  type GraphQLEnumType,
  GraphQLError,
  type GraphQLInputField,
  type GraphQLInputType,
  type GraphQLNamedType,
  type GraphQLUnionType,
  getNamedType,
  getNullableType,
  type InputValueDefinitionNode,
  isEnumType,
  isInputObjectType,
  isInterfaceType,
  isNonNullType,
  isObjectType,
  isScalarType,
  isSpecifiedScalarType,
  isUnionType,
  Kind,
  type NameNode,
  parse,
  print,
  type TypeDefinitionNode,
  type TypeNode,
  type UnionTypeDefinitionNode,
} from 'graphql'
import { badRequest, type Dialect } from '../../../sdk/index.ts'
import { readPreset } from './preset-directive.ts'
import { type RemoteTypes, rootTypeOf } from './remote-types.ts'
import { type Preset, type Presets, placeOf, RemoteView, type SessionValue, type VisibleType } from './view.ts'

/** The view that a text describes; throws if the text is not a part of the schema. */
export function permittedView(types: RemoteTypes, text: string, dialect: Dialect): RemoteView {
  if (text.trim() === '*') return new RemoteView(types)
  const definitions = parseTypes(text)
  const reading = new Reading(types, definitions, dialect)
  for (const definition of definitions.values()) reading.add(definition)
  reading.addInherited()
  reading.checkImplementations()
  const query = rootTypeOf(types.schema, 'query')!
  if (!definitions.has(query.name)) reading.problems.push('query root does not exist in the schema definition')
  if (reading.problems.length > 0) throw refused(reading.problems)
  return new RemoteView(types, reading.visible, reading.presets)
}

/** The error that refuses a text for these reasons. */
export function refused(problems: readonly string[]) {
  const what = 'validation for the given role-based schema failed'
  const message =
    problems.length === 1
      ? `${what} because ${problems[0]}`
      : `${what} for the following reasons:\n${problems.map((each) => `  • ${each}\n`).join('')}`
  return badRequest('validation-failed', message)
}

function parseTypes(text: string): Map<string, TypeDefinitionNode> {
  const definitions = new Map<string, TypeDefinitionNode>()
  try {
    for (const node of parse(text, { noLocation: true }).definitions) {
      if (node.kind === Kind.SCHEMA_DEFINITION || node.kind === Kind.DIRECTIVE_DEFINITION) continue
      if (!isTypeDefinition(node)) throw refused([`it may hold definitions of types only, but there is: ${node.kind}`])
      if (definitions.has(node.name.value)) throw refused([`duplicate type names found: "${node.name.value}"`])
      definitions.set(node.name.value, node)
    }
  } catch (error) {
    if (!(error instanceof GraphQLError)) throw error
    throw badRequest('parse-failed', `parsing the schema failed: ${error.message}`)
  }
  return definitions
}

const typeKinds: readonly string[] = [
  Kind.OBJECT_TYPE_DEFINITION,
  Kind.INTERFACE_TYPE_DEFINITION,
  Kind.UNION_TYPE_DEFINITION,
  Kind.ENUM_TYPE_DEFINITION,
  Kind.INPUT_OBJECT_TYPE_DEFINITION,
  Kind.SCALAR_TYPE_DEFINITION,
]

const isTypeDefinition = (node: { readonly kind: string }): node is TypeDefinitionNode => typeKinds.includes(node.kind)

const kindNames: Readonly<Record<TypeDefinitionNode['kind'], (type: GraphQLNamedType) => boolean>> = {
  [Kind.OBJECT_TYPE_DEFINITION]: isObjectType,
  [Kind.INTERFACE_TYPE_DEFINITION]: isInterfaceType,
  [Kind.UNION_TYPE_DEFINITION]: isUnionType,
  [Kind.ENUM_TYPE_DEFINITION]: isEnumType,
  [Kind.INPUT_OBJECT_TYPE_DEFINITION]: isInputObjectType,
  [Kind.SCALAR_TYPE_DEFINITION]: isScalarType,
}

/** The kinds of types in problems. */
const kindTexts: Readonly<Record<TypeDefinitionNode['kind'], string>> = {
  [Kind.OBJECT_TYPE_DEFINITION]: 'Object',
  [Kind.INTERFACE_TYPE_DEFINITION]: 'Interface',
  [Kind.UNION_TYPE_DEFINITION]: 'Union',
  [Kind.ENUM_TYPE_DEFINITION]: 'Enum',
  [Kind.INPUT_OBJECT_TYPE_DEFINITION]: 'InputObject',
  [Kind.SCALAR_TYPE_DEFINITION]: 'Scalar',
}

/** A field or argument that takes a value. */
type InputPlace = GraphQLArgument | GraphQLInputField

/** The named type within lists and non-null marks. */
function baseOf(type: TypeNode): string {
  let named = type
  while (named.kind !== Kind.NAMED_TYPE) named = named.type
  return named.name.value
}

/** The names of a definition's members. */
function memberNames(definition: TypeDefinitionNode): string[] {
  switch (definition.kind) {
    case Kind.UNION_TYPE_DEFINITION:
      return (definition.types ?? []).map(({ name }) => name.value)
    case Kind.ENUM_TYPE_DEFINITION:
      return (definition.values ?? []).map(({ name }) => name.value)
    case Kind.SCALAR_TYPE_DEFINITION:
      return []
    default:
      return (definition.fields ?? []).map(({ name }) => name.value)
  }
}

/** Names in a problem: `"a", "b", and "c"`. */
const namesText = (nodes: readonly { readonly name: NameNode }[]): string =>
  listed.format(nodes.map(({ name }) => `"${name.value}"`))

const listed = new Intl.ListFormat('en')

const misplacedPreset = 'Preset directives can be defined only on INPUT_FIELD_DEFINITION or ARGUMENT_DEFINITION'

/** Collects the visible members of a text, its presets, and its problems. */
class Reading {
  readonly problems: string[] = []
  readonly visible = new Map<string, VisibleType>()
  readonly presets = new Map<string, Presets>()
  readonly #types: RemoteTypes
  readonly #definitions: ReadonlyMap<string, TypeDefinitionNode>
  readonly #dialect: Dialect

  constructor(types: RemoteTypes, definitions: ReadonlyMap<string, TypeDefinitionNode>, dialect: Dialect) {
    this.#types = types
    this.#definitions = definitions
    this.#dialect = dialect
    for (const type of Object.values(types.schema.getTypeMap())) {
      if (isSpecifiedScalarType(type)) this.visible.set(type.name, { members: new Map(), interfaces: new Set() })
    }
  }

  add(definition: TypeDefinitionNode): void {
    const { value: name } = definition.name
    const type = this.#types.schema.getType(name)
    if (!type || !kindNames[definition.kind](type)) {
      this.problems.push(`"${kindTexts[definition.kind]}": "${name}" does not exist in the upstream remote schema`)
      return
    }
    this.#refusePreset(definition)
    const names = memberNames(definition)
    if (names.length === 0 && !isScalarType(type)) this.problems.push(`the type "${name}" is empty`)
    this.#refuseRepeated(names, `"${name}"`)
    const members = new Map(this.#members(definition, type))
    const given = 'interfaces' in definition ? (definition.interfaces ?? []) : []
    const interfaces = new Set(given.map((each) => each.name.value))
    this.#checkInterfaces(type, interfaces)
    this.visible.set(name, { members, interfaces })
  }

  *#members(
    definition: TypeDefinitionNode,
    type: GraphQLNamedType,
  ): Iterable<readonly [name: string, args: ReadonlySet<string>]> {
    const none = new Set<string>()
    switch (definition.kind) {
      case Kind.OBJECT_TYPE_DEFINITION:
      case Kind.INTERFACE_TYPE_DEFINITION:
        for (const field of definition.fields ?? []) yield [field.name.value, this.#field(field, type)] as const
        return
      case Kind.INPUT_OBJECT_TYPE_DEFINITION: {
        if (!isInputObjectType(type)) return
        const fields = Object.values(type.getFields())
        const given = definition.fields ?? []
        for (const name of this.#inputs(given, fields, type.name, type.name)) yield [name, none] as const
        return
      }
      case Kind.ENUM_TYPE_DEFINITION:
        if (isEnumType(type)) this.#requireValues(definition, type)
        for (const { name } of definition.values ?? []) yield [name.value, none] as const
        return
      case Kind.UNION_TYPE_DEFINITION:
        if (isUnionType(type)) this.#requireMembers(definition, type)
        for (const { name } of definition.types ?? []) {
          this.#require(name.value)
          yield [name.value, none] as const
        }
    }
  }

  #requireValues({ values = [] }: EnumTypeDefinitionNode, type: GraphQLEnumType): void {
    const unknown = values.filter(({ name }) => !type.getValue(name.value))
    if (unknown.length === 0) return
    const place = 'that do not exist in the corresponding upstream remote enum'
    this.problems.push(`enum "${type.name}" contains the following enum values ${place}: ${namesText(unknown)}`)
  }

  #requireMembers({ types = [] }: UnionTypeDefinitionNode, type: GraphQLUnionType): void {
    const unknown = types.filter(({ name }) => !type.getTypes().some((each) => each.name === name.value))
    if (unknown.length === 0) return
    const place = 'which do not exist in the members of the remote schema union'
    this.problems.push(`union "${type.name}" contains members ${place} :${namesText(unknown)}`)
  }

  /** The visible arguments of a field. */
  #field(field: FieldDefinitionNode, type: GraphQLNamedType): ReadonlySet<string> {
    const { value: name } = field.name
    const known = isObjectType(type) || isInterfaceType(type) ? type.getFields()[name] : undefined
    const what = `"${type.name}"."${name}"`
    if (!known) {
      const kind = isInterfaceType(type) ? 'Interface' : 'Object'
      this.problems.push(`field "${name}" does not exist in the "${kind}": "${type.name}"`)
      return new Set()
    }
    this.#sameType(field, known.type, isInterfaceType(type) ? 'Interface field' : 'Object field')
    this.#require(baseOf(field.type))
    return this.#inputs(field.arguments ?? [], known.args, what, placeOf(type.name, name))
  }

  /** The visible names among arguments, or fields of an input object; records presets. */
  #inputs(
    given: readonly InputValueDefinitionNode[],
    known: readonly InputPlace[],
    what: string,
    at: string,
  ): ReadonlySet<string> {
    const visible = new Set<string>()
    const presets = new Map<string, Preset>()
    const holder = at.slice(at.lastIndexOf('.') + 1)
    this.#refuseRepeated(
      given.map((node) => node.name.value),
      what,
    )
    for (const node of given) {
      const { value: name } = node.name
      const found = known.find((each) => each.name === name)
      if (!found) {
        this.problems.push(`input argument "${name}" does not exist in the input object:"${holder}"`)
        continue
      }
      const input = `the input "${name}" of ${what}`
      const place = { name, what: input, type: found.type, dialect: this.#dialect }
      const preset = readPreset(node.directives ?? [], place) ?? this.#presetObject(found.type)
      this.#sameType(node, found.type, 'Input object argument')
      if (typeof preset === 'string') this.problems.push(preset)
      else if (preset) presets.set(name, preset)
      else visible.add(name)
      if (preset === null) this.#require(baseOf(node.type))
    }
    const isGiven = ({ name }: InputPlace) => given.some((node) => node.name.value === name)
    const isRequired = ({ type, default: byDefault }: InputPlace) => byDefault === undefined && isNonNullType(type)
    const missing = known.filter((each) => isRequired(each) && !isGiven(each)).map(({ name }) => `"${name}"`)
    if (missing.length > 0) {
      const wanted = 'expects the following non nullable arguments to be present'
      this.problems.push(`field: "${holder}" ${wanted}: ${listed.format(missing)}`)
    }
    if (presets.size > 0) this.presets.set(at, presets)
    return visible
  }

  /** The preset for an input object all of whose fields have presets: the role cannot give any part of it. */
  #presetObject(type: GraphQLInputType, within: readonly string[] = []): Preset | null {
    const object = getNullableType(type)
    const definition = isInputObjectType(object) ? this.#definitions.get(object.name) : undefined
    if (!isInputObjectType(object) || definition?.kind !== Kind.INPUT_OBJECT_TYPE_DEFINITION) return null
    if (within.includes(object.name)) return null
    const given = definition.fields ?? []
    const members = given.flatMap(({ name: { value: name }, directives = [] }): (readonly [string, SessionValue])[] => {
      const field = object.getFields()[name]
      if (!field) return []
      const { type: of } = field
      const preset =
        readPreset(directives, { name, what: name, type: of, dialect: this.#dialect }) ??
        this.#presetObject(of, [...within, object.name])
      if (!preset || typeof preset === 'string') return []
      return [[name, preset.kind === 'session' ? preset.value : { kind: 'constant', node: preset.node }]]
    })
    if (members.length === 0 || members.length < given.length) return null
    return { kind: 'session', value: { kind: 'object', members } }
  }

  #refuseRepeated(names: readonly string[], what: string): void {
    const repeated = names.find((name, i) => names.indexOf(name) !== i)
    if (repeated !== undefined) this.problems.push(`there are several "${repeated}" in ${what}`)
  }

  #sameType({ name, type }: FieldDefinitionNode | InputValueDefinitionNode, known: unknown, kind: string): void {
    if (print(type) === String(known)) return
    this.problems.push(`expected type of "${name.value}"("${kind}") to be ${known} but received ${print(type)}`)
  }

  /** Refuses presets of a type, of a field's result, or of an enum value, which have no effect. */
  #refusePreset(definition: TypeDefinitionNode): void {
    const members =
      'values' in definition
        ? definition.values
        : 'fields' in definition && definition.kind !== Kind.INPUT_OBJECT_TYPE_DEFINITION
          ? definition.fields
          : []
    const directives = [definition, ...(members ?? [])].flatMap((node) => node.directives ?? [])
    if (!directives.some(({ name }) => name.value === 'preset') || this.problems.includes(misplacedPreset)) return
    this.problems.push(misplacedPreset)
  }

  #require(name: string): void {
    if (this.#definitions.has(name) || this.visible.has(name)) return
    const problem = `the type "${name}" is not defined`
    if (!this.problems.includes(problem)) this.problems.push(problem)
  }

  /** Adds inherited interfaces; call it once all types were added. */
  addInherited(): void {
    for (const [name, { members, interfaces }] of this.visible) {
      const all = new Set(interfaces)
      // The loop also visits interfaces that it adds.
      for (const each of all) for (const inherited of this.visible.get(each)?.interfaces ?? []) all.add(inherited)
      this.visible.set(name, { members, interfaces: all })
    }
  }

  /** Checks that objects show all fields of their visible interfaces; call it once all types were added. */
  checkImplementations(): void {
    for (const [name, { interfaces }] of this.visible) {
      for (const each of interfaces) {
        for (const field of this.visible.get(each)?.members.keys() ?? []) this.#checkImplementation(name, each, field)
      }
    }
  }

  #checkImplementation(type: string, of: string, field: string): void {
    const [own, wanted] = [type, of].map((each) => this.visible.get(each)?.members.get(field))
    const where = `which the interface "${of}" has`
    const hidden = own && [...(wanted ?? [])].find((argument) => !own.has(argument))
    if (!own) this.problems.push(`the field "${type}"."${field}" is missing, ${where}`)
    else if (hidden !== undefined) {
      this.problems.push(`the input "${hidden}" of "${type}"."${field}" is missing, ${where}`)
    } else {
      const [given, expected] = [type, of].map((each) => this.#fieldType(each, field))
      if (this.#isSubtype(given!, expected!)) return
      this.problems.push(
        `the field "${type}"."${field}" is of type ${given}, not of type ${expected} as in the interface "${of}"`,
      )
    }
  }

  /** The named type of a field. */
  #fieldType(name: string, field: string): string | undefined {
    const type = this.#types.schema.getType(name)
    const known = isObjectType(type) || isInterfaceType(type) ? type.getFields()[field] : undefined
    return known && getNamedType(known.type).name
  }

  #isSubtype(given: string | undefined, expected: string | undefined): boolean {
    if (given === undefined || expected === undefined || given === expected) return true
    const implementsIt = this.visible.get(given)?.interfaces.has(expected)
    return Boolean(implementsIt || this.visible.get(expected)?.members.has(given))
  }

  #checkInterfaces(type: GraphQLNamedType, interfaces: ReadonlySet<string>): void {
    if (!isObjectType(type) && !isInterfaceType(type)) return
    const known = type.getInterfaces().map(({ name }) => name)
    const unknown = [...interfaces].filter((name) => !known.includes(name))
    const [own, missing] = [true, false].map((isDefined) => {
      const names = unknown.filter((name) => this.#definitions.has(name) === isDefined)
      return listed.format(names.map((name) => `"${name}"`))
    })
    if (own) {
      const refusal = `custom interfaces are not supported. Object"${type.name}"`
      this.problems.push(`${refusal} implements the following custom interfaces: ${own}`)
    }
    if (missing) {
      const absent = 'that do not exist in the corresponding upstream remote object'
      this.problems.push(`object "${type.name}" is trying to implement the following interfaces ${absent}: ${missing}`)
    }
    for (const name of interfaces) if (known.includes(name)) this.#require(name)
  }
}
