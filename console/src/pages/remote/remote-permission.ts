// The part of a remote schema that a role sees: ticks on its members, and the SDL that the server takes.

import { type ConstDirectiveNode, Kind, parse, print } from 'graphql'
import {
  type Introspected,
  innerName,
  type RemoteInput,
  type RemoteType,
  referenceText,
  typeNamed,
} from '../../server/remote-types.ts'

/** The members that a role sees: `Type.member` and `Type.member(argument)`, each with its preset as SDL, or empty. */
export type Ticks = ReadonlyMap<string, string>

/** The key of a member, or of an argument of it. */
export const tickOf = (type: string, member: string, argument?: string): string =>
  argument === undefined ? `${type}.${member}` : `${type}.${member}(${argument})`

const presetOf = (directives: readonly ConstDirectiveNode[] | undefined): string =>
  (directives ?? []).map((directive) => print(directive)).join(' ')

/** The ticks of an SDL; `*` is all of the schema. Throws where the text cannot be read. */
export function readTicks(sdl: string, schema: Introspected): Ticks {
  if (sdl.trim() === '*') return new Map(allTicks(schema))
  const ticks = new Map<string, string>()
  for (const node of sdl.trim() === '' ? [] : parse(sdl).definitions) {
    if (node.kind === Kind.OBJECT_TYPE_DEFINITION || node.kind === Kind.INTERFACE_TYPE_DEFINITION) {
      for (const field of node.fields ?? []) {
        ticks.set(tickOf(node.name.value, field.name.value), presetOf(field.directives))
        for (const arg of field.arguments ?? []) {
          ticks.set(tickOf(node.name.value, field.name.value, arg.name.value), presetOf(arg.directives))
        }
      }
    } else if (node.kind === Kind.INPUT_OBJECT_TYPE_DEFINITION) {
      for (const field of node.fields ?? []) {
        ticks.set(tickOf(node.name.value, field.name.value), presetOf(field.directives))
      }
    } else if (node.kind === Kind.ENUM_TYPE_DEFINITION) {
      for (const value of node.values ?? []) ticks.set(tickOf(node.name.value, value.name.value), '')
    } else if (node.kind === Kind.UNION_TYPE_DEFINITION) {
      for (const member of node.types ?? []) ticks.set(tickOf(node.name.value, member.name.value), '')
    }
  }
  return ticks
}

/** The members of a type. */
export function membersOf({ kind, fields, inputFields, enumValues, possibleTypes }: RemoteType): readonly string[] {
  if (kind === 'UNION') return (possibleTypes ?? []).map(({ name }) => name ?? '')
  return [...(fields ?? []), ...(inputFields ?? []), ...(enumValues ?? [])].map(({ name }) => name)
}

const isShown = ({ name, kind }: RemoteType): boolean => !name.startsWith('__') && kind !== 'SCALAR'

const allTicks = ({ types }: Introspected): readonly (readonly [string, string])[] =>
  types
    .filter(isShown)
    .flatMap((type) => [
      ...membersOf(type).map((member) => [tickOf(type.name, member), ''] as const),
      ...(type.fields ?? []).flatMap(({ name, args }) =>
        args.map((arg) => [tickOf(type.name, name, arg.name), ''] as const),
      ),
    ])

/** The types in the order of a tree: roots, then those that they lead to, then the others. */
export function orderedTypes(schema: Introspected): readonly RemoteType[] {
  const found = new Map<string, RemoteType>()
  const visit = (name: string | undefined) => {
    const type = name === undefined ? undefined : typeNamed(schema, name)
    if (!type || found.has(type.name) || !isShown(type)) return
    found.set(type.name, type)
    for (const { type: inner, args } of type.fields ?? []) {
      for (const arg of args) visit(innerName(arg.type))
      visit(innerName(inner))
    }
    for (const { type: inner } of type.inputFields ?? []) visit(innerName(inner))
    for (const { name: possible } of type.possibleTypes ?? []) visit(possible ?? undefined)
  }
  for (const root of [schema.queryType, schema.mutationType, schema.subscriptionType]) visit(root?.name)
  return [...found.values()]
}

/** Adds members with all that they need: their arguments, and the plain members of types that have no tick yet. */
function withNeeded(ticks: Map<string, string>, typeName: string, member: string, schema: Introspected): void {
  const key = tickOf(typeName, member)
  if (!ticks.has(key)) ticks.set(key, '')
  const type = typeNamed(schema, typeName)
  const field = type?.fields?.find(({ name }) => name === member)
  const input = type?.inputFields?.find(({ name }) => name === member)
  for (const arg of field?.args ?? []) {
    ticks.set(tickOf(typeName, member, arg.name), ticks.get(tickOf(typeName, member, arg.name)) ?? '')
    needed(ticks, innerName(arg.type), schema)
  }
  const inner = field?.type ?? input?.type
  if (inner) needed(ticks, innerName(inner), schema)
  if (type?.kind === 'UNION') needed(ticks, member, schema)
}

function needed(ticks: Map<string, string>, typeName: string, schema: Introspected): void {
  const type = typeNamed(schema, typeName)
  if (!type || !isShown(type)) return
  const members = membersOf(type)
  if (members.some((member) => ticks.has(tickOf(typeName, member)))) return
  const isWhole = type.kind === 'INPUT_OBJECT' || type.kind === 'ENUM'
  const plain = (type.fields ?? []).filter(({ type: inner, args }) => {
    const { kind } = typeNamed(schema, innerName(inner)) ?? { kind: 'SCALAR' }
    return kind === 'SCALAR' && args.length === 0
  })
  const chosen = isWhole ? members : plain.length > 0 ? plain.map(({ name }) => name) : members.slice(0, 1)
  for (const member of chosen) ticks.set(tickOf(typeName, member), '')
  for (const member of chosen) withNeeded(ticks, typeName, member, schema)
}

/** The ticks after a member or an argument is ticked or not. */
export function toggleTick(
  ticks: Ticks,
  { type, member, argument }: { readonly type: string; readonly member: string; readonly argument?: string },
  schema: Introspected,
): Ticks {
  const next = new Map(ticks)
  const key = tickOf(type, member, argument)
  if (!next.has(key)) {
    if (argument === undefined) withNeeded(next, type, member, schema)
    else next.set(key, '')
    return next
  }
  next.delete(key)
  if (argument === undefined) for (const each of ticks.keys()) if (each.startsWith(`${key}(`)) next.delete(each)
  return next
}

const withPreset = (text: string, preset: string | undefined): string => (preset ? `${text} ${preset}` : text)

function typeSdl(type: RemoteType, ticks: Ticks, schema: Introspected): string {
  const has = (member: string) => ticks.has(tickOf(type.name, member))
  if (type.kind === 'ENUM') {
    const values = (type.enumValues ?? []).filter(({ name }) => has(name)).map(({ name }) => `  ${name}\n`)
    return `enum ${type.name} {\n${values.join('')}}\n`
  }
  if (type.kind === 'UNION') return `union ${type.name} = ${membersOf(type).filter(has).join(' | ')}\n`
  const inputText = ({ name, type: inner, defaultValue }: RemoteInput, preset: string | undefined) => {
    const given = defaultValue === null || defaultValue === undefined ? '' : ` = ${defaultValue}`
    return withPreset(`${name}: ${referenceText(inner)}${given}`, preset)
  }
  if (type.kind === 'INPUT_OBJECT') {
    const fields = (type.inputFields ?? []).filter(({ name }) => has(name))
    const lines = fields.map((field) => `  ${inputText(field, ticks.get(tickOf(type.name, field.name)))}\n`)
    return `input ${type.name} {\n${lines.join('')}}\n`
  }
  const fields = (type.fields ?? []).filter(({ name }) => has(name))
  const lines = fields.map(({ name, args, type: inner }) => {
    const seen = args.filter((arg) => ticks.has(tickOf(type.name, name, arg.name)))
    const given = seen.map((arg) => inputText(arg, ticks.get(tickOf(type.name, name, arg.name))))
    return `  ${name}${given.length > 0 ? `(${given.join(', ')})` : ''}: ${referenceText(inner)}\n`
  })
  const isThere = (other: string | null) =>
    membersOf(typeNamed(schema, other ?? '') ?? type).some((member) => ticks.has(tickOf(other ?? '', member)))
  const interfaces = (type.interfaces ?? []).map(({ name }) => name).filter(isThere)
  const keyword = type.kind === 'INTERFACE' ? 'interface' : 'type'
  const implementing = interfaces.length > 0 ? ` implements ${interfaces.join(' & ')}` : ''
  return `${keyword} ${type.name}${implementing} {\n${lines.join('')}}\n`
}

/** The SDL of ticks: types with no tick are left out. */
export function permissionSdl(ticks: Ticks, schema: Introspected): string {
  const types = orderedTypes(schema).filter((type) =>
    membersOf(type).some((member) => ticks.has(tickOf(type.name, member))),
  )
  const known = new Set(['Int', 'Float', 'String', 'Boolean', 'ID'])
  const scalars = schema.types.filter(({ kind, name }) => kind === 'SCALAR' && !known.has(name))
  const text = types.map((type) => typeSdl(type, ticks, schema)).join('\n')
  const used = scalars.filter(({ name }) => new RegExp(`\\b${name}\\b`).test(text))
  return [text, ...used.map(({ name }) => `scalar ${name}\n`)].join('\n')
}

/** Whether ticks say all of an SDL. */
export function isSayable(sdl: string, schema: Introspected): boolean {
  if (sdl.trim() === '*' || sdl.trim() === '') return true
  try {
    const ticks = readTicks(sdl, schema)
    const again = readTicks(permissionSdl(ticks, schema), schema)
    return ticks.size === again.size && [...ticks].every(([key, preset]) => again.get(key) === preset)
  } catch {
    return false
  }
}
