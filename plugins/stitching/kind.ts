// Definitions of stitched schemas: `{"stitch": [{"remote_schema": "people"}, …]}`.

import { LRUCache } from 'lru-cache'
import { badRequest, TrellisError } from '../../sdk/index.ts'
import {
  introspectedSchema,
  introspectionOf,
  type LocalCall,
  localProgram,
  localTransport,
  type RemoteTransport,
  type ResolvedServer,
  type ServerContext,
  type ServerKind,
  timeoutOf,
} from '../remote-schemas/index.ts'
import { restoringAliases } from './aliases.ts'
import { hasDirectives, schemaOfSdl } from './directives.ts'
import type { StitchedCall } from './executor.ts'
import type { MemberTypes } from './merges.ts'
import { type StitchMember, stitchSchema } from './schema.ts'
import { type StitchedSchema, stitchedSchema } from './stitched.ts'
import { mostKeptSchemas } from './tuning.ts'
import { withUnplacedErrors } from './unplaced-errors.ts'

interface Stitched {
  readonly definition: string
  /** The introspections of the members. */
  readonly introspections: readonly object[]
  readonly stitched: StitchedSchema | TrellisError
}

interface Member extends StitchMember {
  readonly index: number
  readonly server: ResolvedServer
}

/** The kind of servers that are stitched of other remote schemas. */
export function stitchKind(): ServerKind {
  const kept = new LRUCache<string, Stitched>({ max: mostKeptSchemas })
  const schemaOf = (name: string, members: readonly Member[]): StitchedSchema => {
    const definition = JSON.stringify(
      members.map(({ index, remote_schema, merge, sdl }) => [index, remote_schema, merge, sdl]),
    )
    const introspections = members.map(({ server }) => server.introspection)
    let known = kept.get(name)
    const isSame =
      known?.definition === definition && known.introspections.every((each, i) => each === introspections[i])
    if (!known || !isSame) {
      known = { definition, introspections, stitched: schemaOrError(members) }
      kept.set(name, known)
    }
    if (known.stitched instanceof TrellisError) throw known.stitched
    return known.stitched
  }
  return {
    key: 'stitch',
    schema: stitchSchema,
    request: () => null,
    members: ({ stitch = [] }) => stitch.map(({ remote_schema }) => remote_schema),
    resolve({ name, definition }, context) {
      const { stitch = [] } = definition
      checkMembers(stitch, context)
      const members = presentMembers(stitch, context)
      const { schema, keys } = schemaOf(name, members)
      const transports: ReadonlyMap<string, RemoteTransport> = new Map(
        members.map(({ remote_schema, server }) => [remote_schema, server.transport]),
      )
      const contextOf = (call: LocalCall): StitchedCall => ({ ...call, transports, unplaced: [] })
      const program = localProgram({ name, schema, context: contextOf })
      const origin = JSON.stringify([definition, [...transports.values()].map((each) => each.origin)])
      return {
        introspection: introspectionOf(schema),
        transport: localTransport({
          name,
          program: { ...program, execute: restoringAliases(withUnplacedErrors(program.execute), keys) },
          timeout: timeoutOf(definition),
          origin,
        }),
        members: stitch.map(({ remote_schema }) => remote_schema),
      }
    },
  }
}

/** Throws if a member is missing, listed twice, or stitched itself, which excludes circles. */
function checkMembers(stitch: readonly StitchMember[], { entry }: ServerContext): void {
  const seen = new Set<string>()
  for (const [i, { remote_schema: name }] of stitch.entries()) {
    const refuse = (reason: string) => badRequest('remote-schema-error', `stitch[${i}]: ${reason}`)
    const found = entry(name)
    if (!found) throw refuse(`remote schema with name "${name}" does not exist`)
    if (found.definition.stitch) throw refuse(`"${name}" is stitched itself, so it cannot be a member`)
    if (seen.has(name)) throw refuse(`"${name}" is a member already`)
    seen.add(name)
  }
}

/** The members whose types are known. The others are left out, and the stitched schema is listed as inconsistent. */
function presentMembers(stitch: readonly StitchMember[], context: ServerContext): Member[] {
  const members: Member[] = []
  const missing: TrellisError[] = []
  for (const [index, member] of stitch.entries()) {
    try {
      members.push({ ...member, index, server: context.server(member.remote_schema) })
    } catch (error) {
      if (!(error instanceof TrellisError)) throw error
      missing.push(
        badRequest('remote-schema-error', `stitch[${index}]: "${member.remote_schema}" is left out: ${error.message}`),
      )
    }
  }
  const [first] = missing
  if (first && members.length === 0) throw first
  for (const { message } of missing) context.report(message)
  return members
}

function schemaOrError(members: readonly Member[]): StitchedSchema | TrellisError {
  try {
    return stitchedSchema(members.map(typesOf))
  } catch (error) {
    if (error instanceof TrellisError) return error
    throw error
  }
}

function typesOf({ index, remote_schema: name, merge, sdl, server }: Member): MemberTypes {
  const served = introspectedSchema(server.introspection)
  const member = { name, index, merge: merge ?? {} }
  if (sdl !== undefined) {
    const at = `stitch[${index}].sdl`
    return { ...member, schema: schemaOfSdl(sdl, served, { at, name }), directivesAt: at }
  }
  const isDeclared = merge === undefined && server.schema && hasDirectives(server.schema)
  if (isDeclared) return { ...member, schema: server.schema, directivesAt: `stitch[${index}]` }
  return { ...member, schema: served, directivesAt: null }
}
