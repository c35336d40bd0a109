// The root types of a role's schema.

import {
  type GraphQLField,
  type GraphQLFieldConfig,
  GraphQLNonNull,
  GraphQLObjectType,
  type GraphQLObjectTypeExtensions,
  GraphQLString,
  SchemaMetaFieldDef,
  TypeMetaFieldDef,
} from 'graphql'
import type { InterfaceName } from '../../names/version.ts'
import { LeanField } from '../read/lean-members.ts'
import type { FieldSource } from '../read/selection.ts'
import type { Contribution, FieldMap, RootFieldMaker, RootFields, RootPlanner } from './contribution.ts'
import { type FieldsOf, firstOf, mergeFields, servable } from './made-field.ts'

export type RootKind = 'query' | 'mutation' | 'subscription'

const rootDescriptions: Readonly<Record<RootKind, string | undefined>> = {
  query: undefined,
  mutation: 'mutation root',
  subscription: undefined,
}

const noQueries = `There are no queries available to the current role. Either there are no sources or remote schemas configured, or the current role doesn't have the required permissions.`

/** The field of a root that has no other. */
export const placeholderField = 'no_queries_available'

const placeholder = (root: RootPlanner): FieldMap =>
  new Map([
    [
      placeholderField,
      () => ({ type: new GraphQLNonNull(GraphQLString), description: noQueries, extensions: { root } }),
    ],
  ])

const answered = (text: string) => placeholder({ kind: 'resolved', completed: true, resolve: () => text })

/** The fields of a root that exists for every role but has no fields for this one: GraphQL requires at least one. */
const placeholders: Readonly<Record<InterfaceName, Readonly<Record<RootKind, FieldMap>>>> = {
  '1.3': {
    query: answered(''),
    mutation: new Map(),
    subscription: placeholder({ kind: 'relational', plan: () => ({ kind: 'json', text: '""' }) }),
  },
  '2': { query: answered(noQueries), mutation: new Map(), subscription: new Map() },
}

/** Answered from the schema itself; see `introspection.ts`. */
const introspected = { kind: 'resolved', completed: true, resolve: () => null } as const

const metaFields = new Map(
  [SchemaMetaFieldDef, TypeMetaFieldDef].map((definition) => {
    const field = Object.create(definition, { extensions: { value: { root: introspected } } })
    return [definition.name, field as GraphQLField<unknown, unknown>]
  }),
)

/** The properties of a root type. */
export interface RootOptions {
  readonly interfaceName: InterfaceName
  readonly report: (conflict: string) => void
  /** Whether requests are planned with its fields; otherwise they are only described. */
  readonly isPlanned: boolean
  /** The name of the type, if it is that of a namespace. */
  readonly namespace?: string
}

/** `query_root` and the other roots, and namespaces in them: thousands of fields; a request needs only a few. */
export class RootType implements FieldSource {
  readonly isNamespace: boolean
  readonly name: string
  readonly interfaces: readonly string[] = []
  readonly #kind: RootKind
  readonly #placeholders: FieldMap
  readonly #sources: readonly FieldsOf<RootFields>[]
  readonly #report: (conflict: string) => void
  readonly #isPlanned: boolean
  readonly #made = new Map<string, GraphQLField<unknown, unknown>>()
  #makers: FieldMap | null = null
  #isEmpty: boolean | undefined

  constructor(
    kind: RootKind,
    sources: readonly FieldsOf<RootFields>[],
    { interfaceName, report, isPlanned, namespace }: RootOptions,
  ) {
    this.name = namespace ?? `${kind}_root`
    this.isNamespace = namespace !== undefined
    this.#kind = kind
    this.#placeholders = this.isNamespace ? new Map() : placeholders[interfaceName][kind]
    this.#sources = sources
    this.#report = report
    this.#isPlanned = isPlanned
  }

  get isAbsent(): boolean {
    return this.#placeholders.size === 0 && this.#hasNone
  }

  /** Whether no contribution has fields. */
  get #hasNone(): boolean {
    this.#isEmpty ??= this.#sources.every(([, fields]) => fields[Symbol.iterator]().next().done)
    return this.#isEmpty
  }

  field(name: string): GraphQLField<unknown, unknown> | undefined {
    const made = this.#made.get(name)
    if (made) return made
    const make = this.#find(name)
    // A subscription needs them so that they are refused with a reason.
    if (!make) return this.#kind === 'mutation' || this.isNamespace ? undefined : metaFields.get(name)
    const field = this.#fields([[name, this.#checked(make, name)]])[0]!
    this.#made.set(name, field)
    return field
  }

  #find(name: string): (() => GraphQLFieldConfig<unknown, unknown>) | undefined {
    for (const [, fields] of this.#sources) {
      const make = fields.get(name)
      if (make) return make
    }
    const make = this.#placeholders.get(name)
    return make && this.#hasNone ? make : undefined
  }

  /** The maker of a field with checks. The fields of a root without contributions are Trellis's own. */
  #checked(make: RootFieldMaker, name: string): RootFieldMaker {
    const [contribution] = this.#sources.find(([, fields]) => fields.get(name)) ?? []
    return contribution ? this.#checkedFor(make, name, contribution) : make
  }

  #checkedFor(make: RootFieldMaker, name: string, contribution: Contribution): RootFieldMaker {
    const isPlanned = this.#isPlanned
    return () => servable(make, { name, place: 'root', of: this.name, contribution, isPlanned })
  }

  /** Makes up to `most` fields of each contribution, so that those which cannot be served are found. */
  *sample(most: number): Iterable<readonly [Contribution, GraphQLFieldConfig<unknown, unknown>]> {
    for (const [contribution, fields] of this.#sources) {
      for (const [name, make] of firstOf(fields, most)) {
        yield [contribution, this.#checkedFor(make, name, contribution)()]
      }
    }
  }

  *fieldsNear(name: string): Iterable<string> {
    for (const [, fields] of this.#sources) {
      if (fields.near) yield* fields.near(name)
      else for (const [field] of fields) yield field
    }
  }

  /** The makers of all fields with checks, by name. */
  #all(): FieldMap {
    const checked = this.#checkedFor.bind(this)
    this.#makers ??= this.#hasNone
      ? this.#placeholders
      : mergeFields<RootFieldMaker>(this.#sources, { place: this.name, report: this.#report, checked })
    return this.#makers
  }

  fieldNames(): Iterable<string> {
    return this.#all().keys()
  }

  fieldsAnew(names: readonly string[]): readonly LeanField[] {
    const makers = this.#all()
    return names.map((name) => new LeanField(name, makers.get(name)!()))
  }

  #fields(makers: Iterable<readonly [name: string, make: RootFieldMaker]>): GraphQLField<unknown, unknown>[] {
    return Object.values(this.#typeOf(makers).getFields())
  }

  objectType(): GraphQLObjectType {
    return this.#typeOf(this.#all(), this.isNamespace ? { fieldSource: this } : {})
  }

  /** The type with these fields: graphql-js normalises the configuration of fields only as parts of an object type. */
  #typeOf(
    makers: Iterable<readonly [name: string, make: RootFieldMaker]>,
    extensions: GraphQLObjectTypeExtensions = {},
  ): GraphQLObjectType {
    return new GraphQLObjectType({
      name: this.name,
      description: this.isNamespace ? null : rootDescriptions[this.#kind],
      extensions,
      fields: () => Object.fromEntries(Array.from(makers, ([name, make]) => [name, make()])),
    })
  }
}
