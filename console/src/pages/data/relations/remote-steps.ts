// The way from the query root of a remote schema to the value of a relationship, as a form has it.

import {
  type Introspected,
  innerName,
  isLeaf,
  type RemoteField,
  type RemoteInput,
  type RemoteTypeField,
  typeNamed,
} from '../../../server/remote-types.ts'

/** A field on the way, with its arguments as texts: `$column`, JSON, or a plain text. An empty one is left open. */
export interface Step {
  readonly field: string
  readonly args: Readonly<Record<string, string>>
}

const argumentText = (value: unknown): string =>
  typeof value === 'string' && !isJson(value) ? value : JSON.stringify(value)

function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

/** The steps of a remote field. */
export function stepsOf(remote: RemoteField): readonly Step[] {
  const [entry] = Object.entries(remote)
  if (!entry) return []
  const [field, { arguments: given = {}, field: inner }] = entry
  const args = Object.fromEntries(Object.entries(given).map(([name, value]) => [name, argumentText(value)]))
  return [{ field, args }, ...(inner ? stepsOf(inner) : [])]
}

const isText = (schema: Introspected | undefined, input: RemoteInput | undefined): boolean => {
  if (!input || !schema) return false
  const type = typeNamed(schema, innerName(input.type))
  return type?.kind === 'ENUM' || ['String', 'ID'].includes(type?.name ?? '')
}

function readArgument(text: string, keepsText: boolean): unknown {
  if (text.startsWith('$') || !isJson(text)) return text
  const value: unknown = JSON.parse(text)
  return keepsText && typeof value !== 'object' && typeof value !== 'string' ? text : value
}

/** The remote field of steps. */
export function fieldOf(steps: readonly Step[], schema: Introspected | undefined): RemoteField {
  const fields = fieldsOf(steps, schema)
  return steps.reduceRight<RemoteField>((inner, { field, args }, index) => {
    const inputs = fields[index]?.args ?? []
    const given = Object.entries(args).filter(([, text]) => text.trim() !== '')
    const read = given.map(([name, text]) => {
      const keepsText = isText(
        schema,
        inputs.find((input) => input.name === name),
      )
      return [name, readArgument(text.trim(), keepsText)] as const
    })
    const call = { arguments: Object.fromEntries(read), ...(Object.keys(inner).length > 0 && { field: inner }) }
    return { [field]: call }
  }, {})
}

/** The columns in the arguments of a remote field. */
export function columnsIn(value: unknown): readonly string[] {
  if (typeof value === 'string') return value.startsWith('$') ? [value.slice(1)] : []
  if (typeof value !== 'object' || value === null) return []
  return [...new Set(Object.values(value).flatMap(columnsIn))]
}

/** The fields of the steps in the schema, as far as it has them. */
export function fieldsOf(steps: readonly Step[], schema: Introspected | undefined): readonly RemoteTypeField[] {
  const found: RemoteTypeField[] = []
  let type = schema?.queryType?.name
  for (const { field } of steps) {
    const known: RemoteTypeField | undefined =
      schema && typeNamed(schema, type ?? '')?.fields?.find((each) => each.name === field)
    if (!known) return found
    found.push(known)
    type = innerName(known.type)
  }
  return found
}

/** The fields that a step may have. */
export function choicesOf(steps: readonly Step[], at: number, schema: Introspected): readonly RemoteTypeField[] {
  const before = at === 0 ? null : fieldsOf(steps.slice(0, at), schema)[at - 1]
  if (at > 0 && !before) return []
  const type = typeNamed(schema, before ? innerName(before.type) : (schema.queryType?.name ?? ''))
  return type?.fields ?? []
}

/** Fields that a trial selects. */
const triedFields = 6

function literal(value: unknown, input: RemoteInput | undefined, schema: Introspected): string {
  const type = input && typeNamed(schema, innerName(input.type))
  if (Array.isArray(value)) return `[${value.map((each) => literal(each, input, schema)).join(', ')}]`
  if (typeof value === 'object' && value !== null) {
    const members = Object.entries(value).map(([name, inner]) => {
      const own = type?.inputFields?.find((each) => each.name === name)
      return `${name}: ${literal(inner, own, schema)}`
    })
    return `{${members.join(', ')}}`
  }
  if (typeof value === 'string' && type?.kind === 'ENUM') return value
  if (typeof value === 'string' && (type?.name === 'Int' || type?.name === 'Float') && isJson(value)) return value
  return JSON.stringify(value)
}

function filled(value: unknown, row: ReadonlyMap<string, string | null>): unknown {
  if (typeof value === 'string') return value.startsWith('$') ? (row.get(value.slice(1)) ?? null) : value
  if (Array.isArray(value)) return value.map((each) => filled(each, row))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, filled(inner, row)]))
}

/** The GraphQL query that asks the remote schema for the value of a row, as the administrator. */
export function trialQuery(
  { field, namespace }: { readonly field: RemoteField; readonly namespace: string | null },
  row: ReadonlyMap<string, string | null>,
  schema: Introspected,
): string {
  const steps = stepsOf(field)
  const fields = fieldsOf(steps, schema)
  const last = fields.at(-1)
  const inner = last && typeNamed(schema, innerName(last.type))
  const isPlain = ({ type, args }: RemoteTypeField) =>
    isLeaf(schema, type) && args.every(({ type: { kind } }) => kind !== 'NON_NULL')
  const names = (inner?.fields ?? []).filter(isPlain).map(({ name }) => name)
  const selection =
    last && isLeaf(schema, last.type) ? '' : ` { ${names.slice(0, triedFields).join(' ') || '__typename'} }`
  let at: RemoteField | undefined = field
  const calls = steps.map(({ field: name }, index) => {
    const given = Object.entries(at?.[name]?.arguments ?? {})
    at = at?.[name]?.field
    const args = given.map(([arg, value]) => {
      const input = fields[index]?.args.find((each) => each.name === arg)
      return `${arg}: ${literal(filled(value, row), input, schema)}`
    })
    return args.length > 0 ? `${name}(${args.join(', ')})` : name
  })
  const body = calls.reduceRight((rest, call) => (rest === '' ? `${call}${selection}` : `${call} { ${rest} }`), '')
  return `query try { ${namespace === null ? body : `${namespace} { ${body} }`} }`
}

/** The namespace that a remote schema has in GraphQL. */
export function namespaceOf(definition: Readonly<Record<string, unknown>>): string | null {
  const customization = (definition['customization'] ?? {}) as Readonly<Record<string, unknown>>
  const name = customization['root_fields_namespace']
  return typeof name === 'string' && name !== '' ? name : null
}
