// Prints selected fields for a remote server: with the server's names, and fragments inlined. Every field is checked against
// the role's view before it is printed.

import {
  type GraphQLField,
  type GraphQLInterfaceType,
  type GraphQLNamedType,
  GraphQLNonNull,
  type GraphQLObjectType,
  GraphQLString,
  getNamedType,
  isInterfaceType,
  isObjectType,
  isUnionType,
} from 'graphql'
import { type FieldSelection, tooManySelections } from '../../../sdk/graphql.ts'
import { badRequest, pathKeys } from '../../../sdk/index.ts'
import { longestSelection } from '../tuning.ts'
import { typeMember } from '../types/role-types.ts'
import { neededFields, neededName } from '../types/type-members.ts'
import type { RemoteView } from '../types/view.ts'
import { type AnswerMember, type AnswerMembers, type AnswerShape, fits, joined, shapeOf } from './answer-shape.ts'
import { type ArgumentOptions, ArgumentText } from './argument-text.ts'
import { type NeededField, RepeatedSelections, type SelectedPart, type WrittenField } from './repeated-selections.ts'

export interface TextOptions extends ArgumentOptions {
  /** Whether to ask for the types of values, which completing an answer needs. */
  readonly tellTypes: boolean
  /** Prefix of fragment names; unique within a request. */
  readonly fragmentPrefix: string
}

/** The printed selection of a field's values. */
interface WrittenMembers {
  readonly text: string
  readonly members: AnswerMembers
}

/** A field that is selected for all types of an interface or union. */
interface SharedField {
  readonly text: string
  /** The text that selects it on the interface or union itself. */
  readonly asked: string
  readonly responseName: string
  readonly shape: AnswerShape
}

/** Prints the selections of one part of a request. */
export class RequestText {
  readonly arguments: ArgumentText
  /** Whether the answer has the shape that the client asked for. */
  isExact = true
  readonly #view: RemoteView
  readonly #options: TextOptions
  readonly #repeated: RepeatedSelections
  /** The texts by selection; a selection that has a twin shares the text of the twin. */
  readonly #written = new Map<FieldSelection, WrittenMembers>()

  constructor(view: RemoteView, options: TextOptions) {
    this.#view = view
    this.#options = options
    this.arguments = new ArgumentText(view, options)
    this.#repeated = new RepeatedSelections(options.fragmentPrefix)
  }

  /** The definitions of fragments that the texts use. */
  get fragments(): readonly string[] {
    return this.#repeated.definitions
  }

  /** A field without its response name: `user(id: 1) { name }`. */
  field(selection: FieldSelection, parent: GraphQLObjectType | GraphQLInterfaceType): WrittenField {
    const field = this.#remoteField(selection, parent)
    const args = this.arguments.of(selection, parent, field)
    const written = this.selectionSet(selection, field)
    return { ...written, text: `${field.name}${args}${written.text}` }
  }

  /** The selection set of a field of the server; empty for leaves. */
  selectionSet(selection: FieldSelection, field: GraphQLField<unknown, unknown>): WrittenField {
    const type = getNamedType(field.type)
    const selected = this.#selected(selection, type)
    if (!selected) return { text: '', selection: null, shape: shapeOf(field.type, new Map()) }
    const { members } = selected
    const text = ` { ${selected.text} }`
    return { text, selection: { text, type: type.name }, shape: shapeOf(field.type, members) }
  }

  #remoteField(
    selection: FieldSelection,
    parent: GraphQLObjectType | GraphQLInterfaceType,
  ): GraphQLField<unknown, unknown> {
    return this.#fieldNamed(selection.name, parent, selection.path)
  }

  #fieldNamed(
    local: string,
    parent: GraphQLObjectType | GraphQLInterfaceType,
    path: FieldSelection['path'],
  ): GraphQLField<unknown, unknown> {
    const { names } = this.#view.types
    const found = this.#view.fields(parent).find(({ name }) => names.localField(parent.name, name) === local)
    if (found) return found
    // A type that several servers share is made once, so it may show a field that the role does not see at this server.
    const message = `field "${local}" not found in type: '${names.localType(parent.name)}'`
    throw badRequest('validation-failed', message, { path: pathKeys(path) })
  }

  #selected(selection: FieldSelection, type: GraphQLNamedType): WrittenMembers | null {
    const isAbstract = isInterfaceType(type) || isUnionType(type)
    if (!isAbstract && !isObjectType(type)) return null
    const first = selection.twin ?? selection
    const known = this.#written.get(first)
    if (known) return known
    const written = isAbstract ? this.#abstract(selection, type) : this.#object(selection, type)
    this.#written.set(first, written)
    return written
  }

  #object(selection: FieldSelection, type: GraphQLObjectType): WrittenMembers {
    const local = localTypeOf(selection, this.#view.types.names.localType(type.name))
    const fields = local ? selection.fieldsOf(local) : []
    if (fields.length > 0) {
      const part = this.#part(fields, type)
      const texts = [...part.texts, ...part.needed.map(({ text }) => text)]
      if (texts.length > 0) return { text: texts.join(' '), members: membersOf(part) }
    }
    this.isExact = false
    return { text: `${typeMember}: __typename`, members: new Map() }
  }

  #part(selected: readonly FieldSelection[], object: GraphQLObjectType): SelectedPart {
    const fields = selected.filter(({ definition }) => !definition?.extensions.member)
    const written = fields.map((each) => (each.definition === null ? typeName : this.field(each, object)))
    const texts = fields.map((each, i) => `${aliasOf(each, this.#view, object)}${written[i]!.text}`)
    const needed = fields.length < selected.length ? this.#needed(selected, object) : []
    return { object, fields, written, texts, needed }
  }

  /** The fields that selected relationships need; the answer is then never passed through. */
  #needed(selected: readonly FieldSelection[], object: GraphQLObjectType): NeededField[] {
    this.isExact = false
    const local = this.#view.types.names.localType(object.name)
    const needed = new Map<string, NeededField>()
    for (const { definition, responseName, path } of selected) {
      const planner = definition?.extensions.member
      for (const field of planner ? neededFields(planner, local) : []) {
        const name = neededName(local, field)
        if (needed.has(name)) continue
        const { name: asked, type } = this.#fieldNamed(field, object, path)
        const member = { ...shapeOf(type, new Map()), responseName: name, errorName: responseName }
        needed.set(name, { name, text: `${name}: ${asked}`, member })
      }
    }
    return [...needed.values()]
  }

  #abstract(selection: FieldSelection, type: GraphQLNamedType): WrittenMembers {
    const { tellTypes } = this.#options
    const typeNames = tellTypes ? [`${typeMember}: __typename`] : []
    // Values of hidden types must be recognised and refused, so the answer cannot be passed through.
    if (this.#view.hidesTypes(type)) this.isExact = false
    const parts: SelectedPart[] = []
    let length = 0
    for (const object of this.#view.possibleTypes(type)) {
      const local = localTypeOf(selection, this.#view.types.names.localType(object.name))
      const fields = local ? selection.fieldsOf(local) : []
      if (fields.length === 0) continue
      const part = this.#part(fields, object)
      length += lengthOf([...part.texts, ...part.needed.map(({ text }) => text)])
      if (length > longestSelection) throw tooManySelections()
      parts.push(part)
    }
    if (parts.length === 0) {
      this.isExact = false
      return { text: `${typeMember}: __typename`, members: new Map() }
    }
    const shared = this.#shared(type, parts)
    const ofAll = new Set(shared.map(({ text }) => text))
    const { named, members } = this.#besideEachOther(this.#repeated.shortened(parts, ofAll), shared)
    return { text: [...typeNames, ...inOrder(named, shared), ...neededOf(named)].join(' '), members }
  }

  /** The parts, with new aliases for fields that cannot share a response name with a field of an earlier part. */
  #besideEachOther(parts: readonly SelectedPart[], shared: readonly SharedField[]) {
    const ofAll = new Set(shared.map(({ text }) => text))
    const taken = new Set(parts.flatMap(({ fields }) => fields.map(({ responseName }) => responseName)))
    const members = new Map<string, AnswerMember>()
    for (const { responseName, shape } of shared) members.set(responseName, { ...shape, responseName })
    for (const { name, member } of parts.flatMap(({ needed }) => needed)) members.set(name, member)
    const named = parts.map((part): SelectedPart => {
      const texts = part.fields.map(({ responseName }, i) => {
        const [text, { text: asked, shape }] = [part.texts[i]!, part.written[i]!]
        if (ofAll.has(text)) return text
        const other = members.get(responseName)
        if (!other || fits(other, shape)) {
          members.set(responseName, joined(other, { ...shape, responseName }))
          return text
        }
        this.isExact = false
        let name = `${responseName}__${part.object.name}`
        while (taken.has(name)) name += '_'
        taken.add(name)
        members.set(name, { ...shape, responseName })
        return `${name}: ${asked}`
      })
      return { ...part, texts }
    })
    return { named, members }
  }

  /**
   * The fields that all types of an interface or union select, in the same order, and that can be selected once for all.
   * Servers are slow with thousands of fragments. Fields that differ in nullability cannot share a name across fragments.
   */
  #shared(type: GraphQLNamedType, parts: readonly SelectedPart[]): SharedField[] {
    // Presets differ by type, and no fields may be asked of hidden types.
    if (this.#view.hasPresets || this.#view.hidesTypes(type)) return []
    if (this.#view.possibleTypes(type).length !== parts.length) return []
    const [first] = parts
    const holders = isInterfaceType(type) ? [type] : first!.object.getInterfaces()
    const common = holders.filter((each) => parts.every(({ object }) => isOf(object, each)))
    const from = parts.map(() => 0)
    return first!.texts.flatMap((text, i) => {
      const places = parts.map(({ texts }, part) => texts.indexOf(text, from[part]))
      if (places.includes(-1)) return []
      const isField = first!.fields[i]!.definition !== null
      const holder = common.find((each) => parts.every((part, p) => this.#holds(each, part, places[p]!)))
      if (isField && !holder) return []
      for (const [part, place] of places.entries()) from[part] = place + 1
      const { responseName } = first!.fields[i]!
      const { shape } = first!.written[i]!
      if (!isField || !holder) return [{ text, asked: text, responseName, shape }]
      const held = this.#heldField(holder, first!, i)!
      const asked = holder === type ? text : `... on ${holder.name} { ${text} }`
      return [{ text, asked, responseName, shape: shapeOf(held.type, shape.members) }]
    })
  }

  /** Whether the field of an object type can be selected on the interface instead. */
  #holds(holder: GraphQLInterfaceType, part: SelectedPart, place: number): boolean {
    const { definition, nodes } = part.fields[place]!
    if (definition === null) return true
    const held = this.#heldField(holder, part, place)
    const given = nodes[0]!.arguments ?? []
    return held !== null && given.every((node) => held.args.some((argument) => argument.name === node.name.value))
  }

  /** The interface's field of the same name, if it has the same named type; null otherwise. */
  #heldField(holder: GraphQLInterfaceType, { object, fields }: SelectedPart, place: number) {
    const { name } = fields[place]!
    const { names } = this.#view.types
    const field = Object.values(object.getFields()).find((each) => names.localField(object.name, each.name) === name)
    const held = field && holder.getFields()[field.name]
    return held && getNamedType(held.type) === getNamedType(field.type) ? held : null
  }
}

const lengthOf = (texts: readonly string[]): number => texts.reduce((length, text) => length + text.length, 0)

/** The `__typename` field, which has no definition of its own. */
const typeName: WrittenField = {
  text: '__typename',
  selection: null,
  shape: shapeOf(new GraphQLNonNull(GraphQLString), new Map()),
}

const membersOf = ({ fields, written, needed }: SelectedPart): AnswerMembers => {
  const own = fields.map(({ responseName }, i) => [responseName, { ...written[i]!.shape, responseName }] as const)
  return new Map<string, AnswerMember>([...own, ...needed.map(({ name, member }) => [name, member] as const)])
}

/** The fields that relationships need, by type. */
const neededOf = (parts: readonly SelectedPart[]): string[] =>
  parts.flatMap(({ object, needed }) =>
    needed.length > 0 ? [`... on ${object.name} { ${needed.map(({ text }) => text).join(' ')} }`] : [],
  )

/** The fields of each type in their order, with each shared field once. */
function inOrder(parts: readonly SelectedPart[], shared: readonly SharedField[]): string[] {
  const from = parts.map(() => 0)
  const upTo = (text: string | null): string[] =>
    parts.flatMap(({ object, texts }, part) => {
      const end = text === null ? texts.length : texts.indexOf(text, from[part])
      const own = texts.slice(from[part], end)
      from[part] = end + 1
      return own.length > 0 ? [`... on ${object.name} { ${own.join(' ')} }`] : []
    })
  return [...shared.flatMap(({ text, asked }) => [...upTo(text), asked]), ...upTo(null)]
}

const isOf = (object: GraphQLObjectType, type: GraphQLInterfaceType): boolean => object.getInterfaces().includes(type)

function aliasOf(field: FieldSelection, { types: { names } }: RemoteView, type: GraphQLObjectType): string {
  if (field.definition === null) return field.responseName === '__typename' ? '' : `${field.responseName}: `
  const isSameName = field.responseName === field.name && names.localField(type.name, field.name) === field.name
  return isSameName && Object.hasOwn(type.getFields(), field.name) ? '' : `${field.responseName}: `
}

/** The type of that local name among the possible types of a field's values. */
function localTypeOf({ definition }: FieldSelection, name: string): GraphQLObjectType | null {
  const type = definition && getNamedType(definition.type)
  if (isObjectType(type)) return type.name === name ? type : null
  const possible = isUnionType(type)
    ? type.getTypes()
    : isInterfaceType(type)
      ? (type.extensions.possibleTypes?.() ?? [])
      : []
  return possible.find((each) => each.name === name) ?? null
}
