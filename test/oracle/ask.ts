// Requests to the server, and the text of a failure.

import type { TestTrellis } from '../support/trellis.ts'
import { functionSql, rowsSql, tableSql, typeSql } from './deploy.ts'
import { isObject, type Json, type JsonObject, parseExact } from './json.ts'
import { metadataOf } from './metadata.ts'
import type { Probe } from './probes.ts'
import type { Rendered } from './render.ts'
import type { World } from './world.ts'

/** The session variables of a role's requests. */
export const sessionOf = (world: World, role: string | null): { readonly [name: string]: string } =>
  world.roles.find(({ name }) => name === role)?.session ?? {}

/** The text of the answer for a role. */
export async function ask(
  { request }: TestTrellis,
  { query, variables }: Rendered,
  role: string | null,
  world: World,
): Promise<string> {
  const headers = sessionOf(world, role)
  const body = JSON.stringify({ query, variables })
  const { text } = await request('/v1/graphql', { body, headers, ...(role === null ? {} : { role }) })
  return text
}

/** The text of the answer of an endpoint for a stored text: the content of `data`, or a flat error. */
export async function askEndpoint(
  { request }: TestTrellis,
  place: number,
  variables: Rendered['variables'],
  role: string | null,
  world: World,
): Promise<string> {
  const body = JSON.stringify(variables)
  const { text } = await request(`/api/rest/${place}`, {
    body,
    headers: sessionOf(world, role),
    ...(role === null ? {} : { role }),
  })
  return text
}

/** The parts of an error; undefined if the answer is not a single error without data. */
export interface AnswerError {
  readonly message?: Json | undefined
  readonly code?: Json | undefined
  readonly path?: Json | undefined
}

export function errorOf(answer: Json): AnswerError {
  const errors = isObject(answer) && !Object.hasOwn(answer, 'data') ? answer['errors'] : null
  const [error, second] = Array.isArray(errors) ? (errors as readonly JsonObject[]) : []
  const extensions = error?.['extensions'] as JsonObject | undefined
  return second ? {} : { message: error?.['message'], code: extensions?.['code'], path: extensions?.['path'] }
}

/** Throws unless the server refuses a name that the role may not use. */
export async function checkProbe(trellis: TestTrellis, probe: Probe, world: World): Promise<void> {
  const text = await ask(trellis, { query: probe.query, variables: {} }, probe.role, world)
  requireRefusal(errorOf(parseExact(text)), probe, world, text)
}

/**
 * The same for an endpoint. Returns whether the endpoint is there: its text names objects that an administrator has.
 */
export async function checkStoredProbe(
  trellis: TestTrellis,
  probe: Probe,
  place: number,
  world: World,
): Promise<boolean> {
  const text = await askEndpoint(trellis, place, {}, probe.role, world)
  const { error, code, path } = parseExact(text) as JsonObject
  if (code === 'not-found' && error === 'Endpoint not found') return false
  requireRefusal({ message: error, code, path }, probe, world, text)
  return true
}

function requireRefusal({ message, code, path }: AnswerError, probe: Probe, world: World, text: string): void {
  const [start = '', end = ''] = probe.message.split('*')
  const isMessage =
    message === probe.message ||
    (probe.message.includes('*') && String(message).startsWith(start) && String(message).endsWith(end))
  if (isMessage && code === 'validation-failed' && path === probe.path) return
  const expected = `expected ${probe.message} at ${probe.path}, got ${text}`
  throw new Error([expected, ...worldLines(world), `role: ${probe.role}`, probe.query].join('\n'))
}

/** A world as text. */
export function worldLines(world: World): readonly string[] {
  const rows = world.tables.flatMap((table) => {
    const insert = rowsSql(table)
    return insert ? [insertText(insert)] : []
  })
  return [
    ...typeSql(world),
    ...tableSql(world),
    ...functionSql(world),
    ...rows,
    `metadata: ${JSON.stringify(metadataOf(world))}`,
  ]
}

/** The statement with literal values. */
function insertText({ text, values }: NonNullable<ReturnType<typeof rowsSql>>): string {
  return text.replace(/\$(\d+)::text/g, (_place, number) => {
    const value = values[Number(number) - 1]!
    return value === null ? 'null' : `'${value.replaceAll("'", "''")}'`
  })
}
