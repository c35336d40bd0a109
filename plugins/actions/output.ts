// Whether what a handler answered is of the type that its action says it has.

import { type Dialect, TrellisError } from '../../sdk/index.ts'
import { isDeeper, jsonType } from '../../sdk/services.ts'
import type { ModelField, NamedType, ResolvedType } from '../custom-types/index.ts'

/** What is wrong with an answer; whoever knows how it came about adds that. */
const refusal = (message: string, code = 'unexpected') => new TrellisError(400, code, message)

/** Deeper values are no data that anybody made. */
const maxDepth = 500

export interface OutputRules {
  /** Whether scalars are left to the handler, as in v1.3. */
  readonly isLenient: boolean
}

/** The rules of a dialect. */
export const outputRules = ({ lenientSchema }: Pick<Dialect, 'lenientSchema'>): OutputRules => ({
  isLenient: lenientSchema,
})

/** Refuses an answer that is not of the type; members that may be null may be absent. */
export function checkOutput(value: unknown, type: ResolvedType, rules: OutputRules): void {
  const given = jsonType(value)
  if (given === 'Null') {
    if (type.isNullable) return
    throw refusal('expecting object or array of objects for action webhook response', 'parse-failed')
  }
  if (type.kind === 'list') {
    if (!Array.isArray(value)) throw wrongContainer('array', given)
    for (const item of value) checkOutput(item, type.of, rules)
    return
  }
  if (type.of.kind !== 'object') {
    const expected = leafRefusal(value, type.of, rules)
    if (expected !== null) throw refusal(`got ${given} for the action webhook response, expecting ${expected}`)
    return
  }
  if (given !== 'Object') throw wrongContainer('object', given)
  checkObject(value as Readonly<Record<string, unknown>>, type.of.object.fields, rules)
}

function wrongContainer(expected: 'array' | 'object', given: string): TrellisError {
  if (given === 'Array' || given === 'Object') {
    return refusal(`expecting ${expected} for action webhook response but got ${given.toLowerCase()}`)
  }
  return refusal('expecting object or array of objects for action webhook response', 'parse-failed')
}

function checkObject(
  object: Readonly<Record<string, unknown>>,
  fields: readonly ModelField[],
  rules: OutputRules,
): void {
  const names = new Set(fields.map(({ name }) => name))
  const unexpected = Object.keys(object).filter((name) => !names.has(name))
  if (unexpected.length > 0) throw refusal(`unexpected fields in webhook response: ${unexpected.sort().join(', ')}`)
  for (const field of fields) {
    if (!Object.hasOwn(object, field.name)) {
      if (!field.type.isNullable) throw refusal(`field "${field.name}" expected in webhook response, but not found`)
      continue
    }
    checkMember(object[field.name], field.type, { field, rules })
  }
}

interface Member {
  readonly field: ModelField
  readonly rules: OutputRules
}

function checkMember(value: unknown, type: ResolvedType, member: Member): void {
  const { name } = member.field
  const given = jsonType(value)
  if (given === 'Null') {
    if (!type.isNullable) throw refusal(`expecting not null value for field "${name}"`)
    return
  }
  const mismatch = (expected: string) =>
    refusal(`expecting ${expected} for field "${name}" in webhook response, but got ${given}`)
  if (type.kind === 'list') {
    if (!Array.isArray(value)) throw mismatch('array')
    for (const item of value) checkMember(item, type.of, member)
  } else if (type.of.kind === 'object') {
    if (given !== 'Object') throw mismatch('object')
    checkObject(value as Readonly<Record<string, unknown>>, type.of.object.fields, member.rules)
  } else {
    const expected = leafRefusal(value, type.of, member.rules)
    if (expected !== null) throw mismatch(expected)
  }
}

/** Numbers of another text than JavaScript gives them, as `1.0`, are kept as that. */
const numberOf = (value: unknown): unknown =>
  jsonType(value) === 'Number' ? Number((value as { rawJSON?: string }).rawJSON ?? value) : value

const isWhole = (value: unknown): boolean => Number.isInteger(numberOf(value))

/** Whether it has 32 bits, as GraphQL's `Int`. */
const isInteger = (value: unknown): boolean => isWhole(value) && numberOf(value) === (Number(numberOf(value)) | 0)

const standard: Readonly<Record<string, (value: unknown) => boolean>> = {
  Int: isInteger,
  Float: (value) => jsonType(value) === 'Number',
  String: (value) => typeof value === 'string',
  Boolean: (value) => typeof value === 'boolean',
  ID: (value) => typeof value === 'string' || isWhole(value),
}

/** What is expected in the place of the value of a scalar or enum; null: it will do. */
function leafRefusal(value: unknown, type: NamedType, { isLenient }: OutputRules): string | null {
  if (isDeeper(value, maxDepth)) return 'a value of less depth'
  if (isLenient && !(typeof value === 'object' && jsonType(value) !== 'Number')) return null
  if (type.kind === 'builtIn') return standard[type.name]?.(value) === false ? type.name : null
  if (type.kind !== 'enum') return null
  const { name, values } = type.enumeration
  return values.some((each) => each.value === value) ? null : `a value of ${name}`
}
