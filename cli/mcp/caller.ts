// The headers of a caller: a token, or a role that the admin secret or an open server gives.

import { resolve } from 'node:path'
import { isJsonObject, parseJson } from '../../core/json/json.ts'
import { dialects } from '../../core/names/dialect.ts'
import type { Call } from '../command.ts'
import { Failure } from '../exits.ts'
import { adminSecret } from '../target/target.ts'
import { textOfFile } from '../text-file.ts'

type Headers = Readonly<Record<string, string>>

/** The headers; an engine in this process trusts the role without credentials. */
export function callerHeaders(call: Call, isOwnEngine: boolean): Headers {
  const { flags, project } = call
  const { roleVariable, adminSecretHeader } = dialects[project.dialect]
  const role = typeof flags['role'] === 'string' ? { [roleVariable]: flags['role'] } : {}
  const token = tokenOf(call)
  if (token !== null) {
    if (isOwnEngine) throw new Failure('usage', 'a token needs a server: with --database-url, name a --role')
    return { ...role, authorization: `Bearer ${token}` }
  }
  if (flags['role'] === undefined) {
    throw new Failure('usage', 'mcp needs --role ROLE, or a token: --token-file FILE, or SERVICE_GRAPHQL_TOKEN')
  }
  const secret = isOwnEngine ? null : adminSecret(call)
  return { ...sessionOf(call), ...role, ...(secret !== null && { [adminSecretHeader]: secret }) }
}

function tokenOf({ flags, io }: Call): string | null {
  const file = flags['token-file']
  const text = typeof file === 'string' ? textOfFile(resolve(io.cwd, file), file) : io.env['SERVICE_GRAPHQL_TOKEN']
  return text?.trim() || null
}

function sessionOf({ flags, project }: Call): Headers {
  const text = flags['session']
  if (typeof text !== 'string') return {}
  const { sessionPrefix } = dialects[project.dialect]
  const expected = `--session needs a JSON object of texts whose names begin with ${sessionPrefix}`
  const given = parsed(text, expected)
  const entries = Object.entries(given).map(([name, value]): [string, string] => {
    const isVariable = name.toLowerCase().startsWith(sessionPrefix)
    if (!isVariable || typeof value !== 'string') throw new Failure('usage', expected)
    return [name.toLowerCase(), value]
  })
  return Object.fromEntries(entries)
}

function parsed(text: string, expected: string): Readonly<Record<string, unknown>> {
  try {
    const value = parseJson(text, 'precise')
    if (isJsonObject(value)) return value
  } catch {
    // The same words name the fault.
  }
  throw new Failure('usage', expected)
}
