// The definition of a field that a plugin contributes. It has the members of a graphql-js field that Trellis uses, and
// exactly one planner.

import {
  type FieldDefinitionNode,
  type GraphQLDefaultInput,
  type GraphQLInputType,
  type GraphQLOutputType,
  isInputType,
  isOutputType,
} from 'graphql'
import { nearestNames } from '../../errors/nearest.ts'
import { shownInLine } from '../../errors/thrown.ts'
import type { FieldMap } from '../read/schema-scope.ts'
import type { MemberPlanner } from './call.ts'
import type { RootPlanner, RowPlanner } from './contribution.ts'

/** An argument of a field. */
export interface FieldArgument {
  readonly type: GraphQLInputType
  readonly description?: string | null
  /** `{ value: 10 }` */
  readonly default?: GraphQLDefaultInput | undefined
  readonly deprecationReason?: string | null
  /** Not used: the default is `default`. */
  readonly defaultValue?: never
}

/** Arguments of a field by name. */
export type FieldArguments = Readonly<Record<string, FieldArgument>>

/** The one planner that answers a field, by the place of the field. */
export type FieldPlanner =
  | { readonly root: RootPlanner; readonly row?: never; readonly member?: never }
  | { readonly row: RowPlanner; readonly root?: never; readonly member?: never }
  | { readonly member: MemberPlanner; readonly root?: never; readonly row?: never }

/** A field that a planner answers. It has neither `resolve` nor `subscribe`. */
export interface PlannedField {
  readonly type: GraphQLOutputType
  readonly description?: string | null | undefined
  readonly args?: FieldArguments | undefined
  readonly deprecationReason?: string | null | undefined
  readonly astNode?: FieldDefinitionNode | null | undefined
  readonly extensions: FieldPlanner
  /** Not used: the planner answers the field. */
  readonly resolve?: never
  /** Not used: a `feed` planner answers a subscription. */
  readonly subscribe?: never
}

/** Makers of fields whose extensions are planners only: TypeScript does not look for excess members in results. */
export type ClosedFields<Makers extends Readonly<Record<string, () => PlannedField>>> = {
  readonly [Name in keyof Makers]: () => {
    readonly extensions: {
      readonly [Key in keyof ReturnType<Makers[Name]>['extensions']]: Key extends keyof FieldPlanner ? unknown : never
    }
  }
}

/** Fields by name, from an object of makers. Each field is made when a request first needs it. */
export const fieldMap = <Makers extends Readonly<Record<string, () => PlannedField>>>(
  makers: Makers & ClosedFields<Makers>,
): FieldMap => new Map(Object.entries<() => PlannedField>(makers))

/** The place of a field: of a root type, or of a table's row. */
export type FieldPlace = 'root' | 'row'

const planners: readonly string[] = ['root', 'row', 'member'] satisfies (keyof FieldPlanner)[]

const kinds: Readonly<Record<FieldPlace, readonly unknown[]>> = {
  root: ['relational', 'mutation', 'resolved', 'feed'] satisfies RootPlanner['kind'][],
  row: ['relational', 'resolved'] satisfies RowPlanner['kind'][],
}

/** Functions that a planner of each kind needs, one of each list. */
const functionsOf: Readonly<Record<string, readonly string[]>> = {
  relational: ['plan'],
  mutation: ['plan'],
  resolved: ['resolve', 'group'],
  feed: ['open'],
}

/** The reason why a made field cannot be served, which TypeScript finds in most cases; null: it can be. */
export function fieldFault(config: unknown, place: FieldPlace): string | null {
  const { type, args, extensions, resolve, subscribe } = Object(config)
  if (!isOutputType(type)) return 'has no valid output type'
  if (resolve) return `has "resolve", which is not called: its planner in extensions.${place} answers it`
  if (subscribe) return 'has "subscribe", which is not called: a planner of kind "feed" in extensions.root answers it'
  return argumentFault(Object(args)) ?? plannerFault(Object(extensions), place)
}

function argumentFault(args: Readonly<Record<string, unknown>>): string | null {
  for (const name in args) {
    const { type, default: used, defaultValue } = Object(args[name])
    if (!isInputType(type)) return `has the argument "${name}" without a valid input type`
    if (defaultValue !== undefined && used === undefined) {
      return `has "defaultValue" in the argument "${name}", which is not used: write default: { value: ${shownInLine(defaultValue)} }`
    }
  }
  return null
}

function plannerFault(extensions: Readonly<Record<string, unknown>>, place: FieldPlace): string | null {
  const names = Object.keys(extensions)
  const isSole = names.length === 1 && names[0] === place
  const given = isSole ? names : names.filter((name) => extensions[name] !== undefined)
  const other = given.find((name) => !planners.includes(name))
  if (other !== undefined) {
    const [near] = nearestNames(other, planners)
    const hint = near === undefined ? `there are ${planners.join(', ')}` : `did you mean "${near}"?`
    return `has extensions.${other}, which is not used: ${hint}`
  }
  if (given.length > 1) return `has ${given.length} planners (${given.join(', ')}), but needs exactly one`
  if (given[0] !== place) return `has no planner in extensions.${place}`
  const planner = Object(extensions[place])
  const { kind } = planner
  // Made by the schema itself.
  if (place === 'root' && kind === 'namespace') return null
  if (!kinds[place].includes(kind)) {
    return `has a planner of unknown kind ${shownInLine(kind)}: there are ${kinds[place].join(', ')}`
  }
  const needed = functionsOf[kind] ?? []
  if (needed.some((name) => planner[name])) return null
  return `has a planner of kind "${kind}" without "${needed.join('" or "')}"`
}
