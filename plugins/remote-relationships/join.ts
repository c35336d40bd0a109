// A remote relationship in requests: for each row that has its own arguments a field of one document.

import type { GraphQLField, GraphQLObjectType } from 'graphql'
import { answered, type FieldSelection, type GroupedCall, type NeededRow } from '../../sdk/graphql.ts'
import type { WireObject } from '../../sdk/metadata.ts'
import {
  type AskedField,
  type FieldAnswer,
  type OwnVariable,
  presetVariable,
  type Question,
  type RemotePlan,
  type RemoteView,
  RequestText,
} from '../remote-schemas/index.ts'
import { filledIn, merged } from './arguments.ts'
import type { RemoteRelationshipModel } from './metadata.ts'

/** A step with what the server knows of it. */
export interface RemoteWay {
  readonly parent: GraphQLObjectType
  readonly field: GraphQLField<unknown, unknown>
  readonly arguments: Readonly<Record<string, unknown>>
}

interface Joining {
  readonly relationship: RemoteRelationshipModel
  readonly view: RemoteView
  readonly way: readonly RemoteWay[]
}

/** What the joined field of a selection asks, decided once for all requests that share a plan. */
export function joinPlan(field: FieldSelection, joining: Joining): RemotePlan {
  const { view, way } = joining
  const leaf = way.at(-1)!
  const selected = (index: number) => {
    const text = new RequestText(view, { tellTypes: true, presetPrefix: `preset_${index}_` })
    const selection = text.selectionSet(field, leaf.field)
    const presets = way.map(({ parent, field: each, arguments: given }) =>
      text.presetArguments(parent, each, new Set(Object.keys(given))),
    )
    return { text, selection, presets }
  }
  // What the role does not see is refused while it is planned.
  const made = [selected(0)]
  return {
    view,
    fields: null,
    ask(call, { index }) {
      made[index] ??= selected(index)
      return new JoinQuestion(joining, made[index], { call, index }).question()
    },
  }
}

interface Selected {
  readonly text: RequestText
  readonly selection: string
  /** Arguments of each step that the role's presets give. */
  readonly presets: readonly (readonly string[])[]
}

interface Asking {
  readonly call: GroupedCall
  readonly index: number
}

/** What one call asks for its rows. */
class JoinQuestion {
  readonly #joining: Joining
  readonly #selected: Selected
  readonly #asking: Asking
  /** By what is different about its arguments. */
  readonly #fields = new Map<string, AskedField>()

  constructor(joining: Joining, selected: Selected, asking: Asking) {
    this.#joining = joining
    this.#selected = selected
    this.#asking = asking
  }

  question(): Question {
    const { call, index } = this.#asking
    const rows = call.rows ?? []
    const keys = rows.map((row) => this.#keyOf(row))
    const { text, selection } = this.#selected
    const places = new Map([...this.#fields.keys()].map((key, i) => [key, i] as const))
    const leaf = this.#leafType()
    const own = text.presets.map((preset) => presetVariable(preset, call.session))
    const fields = [...this.#fields.values()].map((each) => ({ ...each, variables: [...each.variables, ...own] }))
    return {
      fields,
      variables: text.variables,
      fragments: selection === '' ? [] : [`fragment ${fragmentName(index)} on ${leaf}${selection}`],
      isExact: false,
      result: (answers) => {
        const results = answers.map((answer) => this.#result(answer))
        return keys.map((key) => (key === null ? null : results[places.get(key)!]))
      },
    }
  }

  /** Tells rows apart that ask for other things; null: a row that asks for nothing. */
  #keyOf(row: NeededRow): string | null {
    const { columns } = this.#joining.relationship
    const values = columns.map((column) => row[column] ?? null)
    if (values.includes(null)) return null
    const key = JSON.stringify(values)
    if (!this.#fields.has(key)) this.#fields.set(key, this.#field(row, this.#fields.size))
    return key
  }

  #field(row: WireObject, number: number): AskedField {
    const { way } = this.#joining
    const variables: OwnVariable[] = []
    const { index, call } = this.#asking
    const isLeaf = (step: number) => step === way.length - 1
    const texts = way.map(({ field, arguments: defined }, step) => {
      const args = field.args.flatMap(({ name, type }) => {
        const value = merged(isLeaf(step) ? call.args[name] : undefined, filledIn(defined[name], row))
        if (value === undefined) return []
        const variable = `join_${index}_${number}_${step}_${name}`
        variables.push({ name: variable, type: String(type), value })
        return [`${name}: $${variable}`]
      })
      const all = [...args, ...this.#selected.presets[step]!]
      return `${field.name}${all.length > 0 ? `(${all.join(', ')})` : ''}`
    })
    const selection = this.#selected.selection === '' ? '' : ` { ...${fragmentName(index)} }`
    const text = texts.reduceRight(
      (inner, outer) => (inner === '' ? `${outer}${selection}` : `${outer} { ${inner} }`),
      '',
    )
    return { alias: way.map(({ field }) => field.name).join('_'), isNumbered: true, text, variables }
  }

  #leafType(): string {
    const { field } = this.#joining.way.at(-1)!
    return namedTypeOf(field)
  }

  /** The value at the end of the way, with what the server says is wrong about it. */
  #result({ value, errors }: FieldAnswer): unknown {
    const names = this.#joining.way.slice(1).map(({ field }) => field.name)
    const found = names.reduce(valueAt, value)
    if (errors.length === 0) return found ?? null
    return answered(found ?? null, {
      errors: errors.map((error) => ({ ...error, path: pathBehind(error.path ?? [], names) })),
    })
  }
}

const fragmentName = (index: number): string => `joined_${index}`

const namedTypeOf = ({ type }: GraphQLField<unknown, unknown>): string => String(type).replaceAll(/[[\]!]/g, '')

/** The value of a member; of lists, of each item. */
function valueAt(value: unknown, name: string): unknown {
  if (Array.isArray(value)) return value.map((item) => valueAt(item, name))
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return null
  return (value as WireObject)[name]
}

/** A path without the names on the way. */
function pathBehind(path: readonly (string | number)[], names: readonly string[]): (string | number)[] {
  const left = [...names]
  return path.filter((key) => {
    if (left[0] !== key) return true
    left.shift()
    return false
  })
}
