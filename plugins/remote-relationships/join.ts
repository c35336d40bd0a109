// Plans a remote relationship: one aliased field in one document for each row with different arguments.

import type { GraphQLField, GraphQLInputType, GraphQLObjectType } from 'graphql'
import { answered, type FieldSelection, type GroupedCall, type PlanContext } from '../../sdk/graphql.ts'
import type { WireObject } from '../../sdk/metadata.ts'
import {
  type AnswerMembers,
  type AnswerShape,
  type AskedField,
  type FieldAnswer,
  longestInline,
  prefixBeside,
  presetVariable,
  type Question,
  type RemotePlan,
  type RemoteView,
  RequestText,
  renamedOf,
  restored,
  shapeOf,
} from '../remote-schemas/index.ts'
import { filledIn, merged, mergedByRules } from './arguments.ts'
import type { RemoteJoin } from './metadata.ts'

/** A step of the path with its field in the remote schema. */
export interface RemoteWay {
  readonly parent: GraphQLObjectType
  readonly field: GraphQLField<unknown, unknown>
  readonly arguments: Readonly<Record<string, unknown>>
}

interface Joining {
  readonly relationship: RemoteJoin
  readonly view: RemoteView
  readonly way: readonly RemoteWay[]
  readonly skipsNulls: boolean
}

/** The plan of a joined field, made once for all requests that share it. */
export function joinPlan(field: FieldSelection, joining: Joining, { operation }: PlanContext): RemotePlan {
  const { view, way, skipsNulls } = joining
  const prefix = prefixBeside(operation.variables.keys(), 'preset_')
  const leaf = way.at(-1)!
  const selected = (index: number) => {
    const prefixes = { presetPrefix: `${prefix}${index}_`, fragmentPrefix: `selected_${index}_` }
    const text = new RequestText(view, { tellTypes: true, ...prefixes, skipsNulls })
    const { text: selection, shape } = text.selectionSet(field, leaf.field)
    const presets = way.map(({ parent, field: each, arguments: given }) =>
      text.arguments.ofPresets(parent, each, new Set(Object.keys(given))),
    )
    const renamed = renamedOf(shape.members)
    return new Selected(way, { index, text, selection, shape: shapeOfWay(way, shape), renamed, presets, skipsNulls })
  }
  // Printing knows the fields of the role, so hidden ones are refused at planning time.
  const made = [selected(0)]
  return {
    view,
    skipsNulls,
    fields: null,
    ask(call, { index }) {
      made[index] ??= selected(index)
      return joinQuestion(joining, made[index], call)
    },
  }
}

interface SelectedOptions {
  /** The number of the join in its request. */
  readonly index: number
  readonly text: RequestText
  readonly selection: string
  /** The shape of the first step's field. */
  readonly shape: AnswerShape
  /** The members whose names in the request differ from the client's. */
  readonly renamed: AnswerMembers
  /** The arguments of each step that the role's presets give. */
  readonly presets: readonly (readonly string[])[]
  readonly skipsNulls: boolean
}

/** An argument of a step that has a value. */
interface GivenArgument {
  readonly step: number
  readonly name: string
  readonly type: GraphQLInputType
  /** The printed type. */
  readonly typeName: string
}

/** The selection of the joined field. */
class Selected {
  readonly options: SelectedOptions
  readonly fragments: readonly string[]
  readonly #way: readonly RemoteWay[]
  /** The selection set, or the spread of its fragment. */
  readonly #inner: string
  /** Keys are the arguments that requests give. */
  readonly #texts = new Map<string, FieldTexts>()

  constructor(way: readonly RemoteWay[], options: SelectedOptions) {
    const { index, selection, text } = options
    this.#way = way
    this.options = options
    const leaf = namedTypeOf(way.at(-1)!.field)
    const isInline = selection.length <= longestInline
    this.#inner = isInline ? selection : ` { ...${fragmentName(index)} }`
    const own = isInline ? [] : [`fragment ${fragmentName(index)} on ${leaf}${selection}`]
    this.fragments = [...text.fragments, ...own]
  }

  #isGiven(value: unknown): boolean {
    return value !== undefined && !(value === null && this.options.skipsNulls)
  }

  /** The texts of a call's fields. */
  texts({ args, operation }: GroupedCall): FieldTexts {
    const last = this.#way.length - 1
    const given = this.#way.flatMap(({ field, arguments: defined }, step) =>
      field.args
        .filter(({ name }) => defined[name] !== undefined || (step === last && this.#isGiven(args[name])))
        .map(({ name, type }): GivenArgument => ({ step, name, type, typeName: String(type) })),
    )
    const key = given.map(({ step, name }) => `${step} ${name}`).join()
    let texts = this.#texts.get(key)
    if (!texts) {
      // Short, since a request contains it three times for each row.
      const variablePrefix = `${prefixBeside(operation.variables.keys(), 'j')}${this.options.index}_`
      texts = new FieldTexts(this.#way, given, { ...this.options, variablePrefix, inner: this.#inner })
      this.#texts.set(key, texts)
    }
    return texts
  }
}

interface FieldTextsOptions extends SelectedOptions {
  /** The prefix of its variables; no other variable begins with it. */
  readonly variablePrefix: string
  /** The selection set, or the spread of its fragment. */
  readonly inner: string
}

/** Makes numbered fields with the same arguments. */
class FieldTexts {
  readonly given: readonly GivenArgument[]
  readonly #alias: string
  readonly #way: readonly RemoteWay[]
  readonly #options: FieldTextsOptions
  readonly #made: AskedField[] = []

  constructor(way: readonly RemoteWay[], given: readonly GivenArgument[], options: FieldTextsOptions) {
    this.given = given
    this.#alias = way.map(({ field }) => field.name).join('_')
    this.#way = way
    this.#options = options
  }

  /** The first `count` fields. */
  first(count: number): readonly AskedField[] {
    const made = this.#made
    // Fields beyond the kept ones are made for each request.
    while (made.length < Math.min(count, mostKeptFields)) made.push(this.#make(made.length))
    if (made.length >= count) return made.slice(0, count)
    return [...made, ...Array.from({ length: count - made.length }, (_, i) => this.#make(made.length + i))]
  }

  #make(number: number): AskedField {
    const { variablePrefix, inner, presets } = this.#options
    const variables = this.given.map(({ typeName: type }, i) => {
      return { name: `${variablePrefix}${number}${i === 0 ? '' : `_${i}`}`, type }
    })
    const texts = this.#way.map(({ field }, step) => {
      const own = this.given.flatMap((each, i) => (each.step === step ? [`${each.name}: $${variables[i]!.name}`] : []))
      const all = [...own, ...presets[step]!]
      return `${field.name}${all.length > 0 ? `(${all.join(', ')})` : ''}`
    })
    const text = texts.reduceRight((below, outer) => (below === '' ? `${outer}${inner}` : `${outer} { ${below} }`), '')
    return { alias: this.#alias, isNumbered: true, text, variables }
  }
}

/** Fields that are kept for later requests; more rows in one request are rare. */
const mostKeptFields = 1000

/** The shape of the first step's field, from that of the last one. */
function shapeOfWay([first, ...rest]: readonly RemoteWay[], last: AnswerShape): AnswerShape {
  const [next] = rest
  if (!first || !next) return last
  const { name } = next.field
  return shapeOf(first.field.type, new Map([[name, { ...shapeOfWay(rest, last), responseName: name }]]))
}

/** The fields that one call asks for its rows. */
function joinQuestion(joining: Joining, selected: Selected, call: GroupedCall): Question {
  const { text } = selected.options
  const texts = selected.texts(call)
  const asked = new Map<unknown, number>()
  const values: (readonly unknown[])[] = []
  const valuesOf = argumentValues(joining, texts.given, call)
  const places = (call.rows ?? []).map((row) => {
    const key = keyOf(row, joining.relationship.columns)
    if (key === null) return null
    let place = asked.get(key)
    if (place === undefined) {
      place = values.push(valuesOf(row)) - 1
      asked.set(key, place)
    }
    return place
  })
  return {
    fields: texts.first(values.length),
    values,
    texts,
    own: text.arguments.presets.map((preset) => presetVariable(preset, call.session)),
    variables: text.arguments.variables,
    fragments: selected.fragments,
    shape: selected.options.shape,
    isExact: false,
    result: (answers) => {
      const names = joining.way.slice(1).map(({ field }) => field.name)
      const { renamed } = selected.options
      const isAsAsked = names.length === 0 && renamed.size === 0 && answers.every(({ errors }) => errors.length === 0)
      const results = isAsAsked ? answers : answers.map((answer) => restored(resultOf(answer, names), renamed))
      // Errors without a path are reported once, at the first row.
      let general = answers.flatMap(({ errors }) => errors.filter(({ path }) => path === undefined))
      return places.map((place) => {
        if (place === null) return null
        const { failure } = answers[place]!
        if (failure) return failure
        const { value, errors } = results[place]!
        if (errors.length === 0 && general.length === 0) return value
        const result = answered(value, { errors: [...general, ...errors] })
        general = []
        return result
      })
    },
  }
}

/** A key that is equal for rows with the same arguments; null if the row lacks a value, so that it asks for nothing. */
function keyOf(row: WireObject, columns: readonly string[]): unknown {
  const [only] = columns
  const value = columns.length === 1 ? row[only!] : undefined
  // Most keys are one number or string. A string that begins with `[` could equal the JSON of several values.
  if (typeof value === 'number' || (typeof value === 'string' && !value.startsWith('['))) return value
  const values = columns.map((column) => row[column] ?? null)
  return values.includes(null) ? null : JSON.stringify(values)
}

/** The values of the arguments for a row. */
function argumentValues({ way, view, skipsNulls }: Joining, given: readonly GivenArgument[], call: GroupedCall) {
  const rules = view.hasPresets || skipsNulls ? { view, skipsNulls, session: call.session } : null
  const sources = given.map(({ step, name, type }) => {
    return { type, defined: way[step]!.arguments[name], given: step === way.length - 1 ? call.args[name] : undefined }
  })
  return (row: WireObject): unknown[] =>
    sources.map((source) => {
      const defined = filledIn(source.defined, row, source.type)
      return rules ? mergedByRules([source.given, defined], source.type, rules) : merged(source.given, defined)
    })
}

/** The value at the end of the path, with its errors. */
function resultOf({ value, errors }: FieldAnswer, names: readonly string[]): FieldAnswer {
  return {
    value: names.reduce(valueAt, value) ?? null,
    errors: errors.flatMap(({ path, ...error }) => (path ? [{ ...error, path: pathBehind(path, names) }] : [])),
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

/** The path of an error, without the names of the steps. */
function pathBehind(path: readonly (string | number)[], names: readonly string[]): (string | number)[] {
  const left = [...names]
  return path.filter((key) => {
    if (left[0] !== key) return true
    left.shift()
    return false
  })
}
