// Finds the names that members define differently. Each message names both members.

import {
  type GraphQLNamedType,
  type GraphQLSchema,
  isEnumType,
  isInputObjectType,
  isInterfaceType,
  isIntrospectionType,
  isObjectType,
} from 'graphql'
import { invalid, type MergingMember } from './merges.ts'

const rootKinds = ['query', 'mutation', 'subscription'] as const

/** Throws if two members define a name differently. */
export function checkConflicts(members: readonly MergingMember[]): void {
  for (const [i, member] of members.entries()) {
    for (const other of members.slice(0, i)) {
      for (const kind of rootKinds) checkRoots(kind, other, member)
      for (const type of ownTypes(member.schema)) {
        const same = other.schema.getType(type.name)
        if (same) checkTypes(same, type, { first: other, second: member })
      }
    }
  }
}

function rootOf(schema: GraphQLSchema, kind: (typeof rootKinds)[number]) {
  if (kind === 'query') return schema.getQueryType()
  return kind === 'mutation' ? schema.getMutationType() : schema.getSubscriptionType()
}

function checkRoots(kind: (typeof rootKinds)[number], first: MergingMember, second: MergingMember): void {
  const [fields, others] = [first, second].map(({ schema }) => rootOf(schema, kind)?.getFields() ?? {})
  const same = Object.keys(fields!).find((name) => Object.hasOwn(others!, name))
  if (same !== undefined) throw invalid(`both "${first.name}" and "${second.name}" have the ${kind} field "${same}"`)
}

function ownTypes(schema: GraphQLSchema): GraphQLNamedType[] {
  const roots = rootKinds.map((kind) => rootOf(schema, kind))
  return Object.values(schema.getTypeMap()).filter(
    (type) => !isIntrospectionType(type) && !roots.some((root) => root === type),
  )
}

interface Both {
  readonly first: MergingMember
  readonly second: MergingMember
}

const kindOf = (type: GraphQLNamedType): string => type.constructor.name.replace(/^GraphQL|Type$/g, '')

function checkTypes(one: GraphQLNamedType, two: GraphQLNamedType, both: Both): void {
  const differs = (a: string, b: string) => {
    const { first, second } = both
    return invalid(`the type "${one.name}" is ${a} in "${first.name}", and ${b} in "${second.name}"`)
  }
  const [kind, otherKind] = [kindOf(one), kindOf(two)]
  if (kind !== otherKind) throw differs(`of the kind ${kind}`, `of the kind ${otherKind}`)
  if (isEnumType(one) && isEnumType(two)) {
    const [values, others] = [one, two].map((type) =>
      type
        .getValues()
        .map(({ name }) => name)
        .sort()
        .join(', '),
    )
    if (values !== others) throw differs(`the enum of ${values}`, `that of ${others}`)
  }
  if (isInputObjectType(one) && isInputObjectType(two)) {
    const missing = missingField(one.name, one.getFields(), two.getFields(), both)
    if (missing) throw invalid(`the input field ${missing}`)
  }
  if (isInterfaceType(one) && isInterfaceType(two)) missingField(one.name, one.getFields(), two.getFields(), both)
  if (!isObjectType(one) || !isObjectType(two)) return
  const missing = missingField(one.name, one.getFields(), two.getFields(), both)
  const isMerged = [both.first, both.second].some(({ merged }) => merged.has(one.name))
  if (missing && !isMerged) throw invalid(`the field ${missing}, and neither merges the type`)
}

type Fields = Readonly<Record<string, { readonly type: unknown }>>

/** The first field that only one of two types has, in words; null if they have the same. Throws if a field has two types. */
function missingField(type: string, fields: Fields, others: Fields, { first, second }: Both): string | null {
  let missing: string | null = null
  for (const name of new Set([...Object.keys(fields), ...Object.keys(others)])) {
    const [a, b] = [fields[name]?.type, others[name]?.type]
    if (a === undefined || b === undefined) {
      const [has, lacks] = a === undefined ? [second, first] : [first, second]
      missing ??= `"${type}.${name}" is in "${has.name}", but not in "${lacks.name}"`
    } else if (bare(a) !== bare(b)) {
      throw invalid(`the field "${type}.${name}" is of type ${a} in "${first.name}", and ${b} in "${second.name}"`)
    }
  }
  return missing
}

/** A type without regard to nullability. */
const bare = (type: unknown): string => String(type).replaceAll('!', '')
