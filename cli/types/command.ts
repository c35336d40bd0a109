// `trellis types`

import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { buildClientSchema, getIntrospectionQuery, type IntrospectionQuery } from 'graphql'
import { isJsonObject } from '../../core/json/json.ts'
import type { Call, Command } from '../command.ts'
import { Failure } from '../exits.ts'
import { failureOf } from '../target/answers.ts'
import { typescriptOf } from './typescript.ts'

const assignment = /^([A-Za-z_]\w*)=(.+)$/

function scalarsOf(text: string | boolean | undefined): ReadonlyMap<string, string> {
  if (typeof text !== 'string') return new Map()
  return new Map(
    text.split(',').map((each) => {
      const [, name, type] = assignment.exec(each.trim()) ?? []
      if (name === undefined) throw new Failure('usage', `"${each.trim()}" is not NAME=TYPE`)
      return [name, type!]
    }),
  )
}

/** The schema as the role sees it. */
async function introspected(call: Call, role: string): Promise<IntrospectionQuery> {
  const target = await call.target()
  const headers = { 'x-service-role': role, 'x-hasura-role': role }
  const answer = await target.ask('/v1/graphql', { query: getIntrospectionQuery() }, headers)
  const body = isJsonObject(answer.body) ? answer.body : {}
  const [error] = Array.isArray(body['errors']) ? body['errors'] : []
  if (isJsonObject(error)) throw new Failure('failed', `the role ${role} cannot read its schema: ${error['message']}`)
  if (answer.status !== 200 || !isJsonObject(body['data'])) throw failureOf(answer, 'introspection')
  return body['data'] as unknown as IntrospectionQuery
}

export const command: Command = {
  details:
    'Prints the GraphQL schema of a role as TypeScript: an interface for each type, and one for the arguments of each field. With --out a file is written unless it has the same text.',
  flags: {
    role: { value: 'ROLE', description: 'the role; admin when absent' },
    out: { value: 'FILE', description: 'the file to write' },
    check: { description: 'writes nothing, and ends with code 4 if the file of --out has another text' },
    scalars: { value: 'LIST', description: 'types of scalars, such as jsonb=Json,geometry=unknown' },
    'stringify-numeric-types': { description: 'for servers with this option: long numbers are texts' },
  },
  async run(call) {
    const { flags, io } = call
    const role = typeof flags['role'] === 'string' ? flags['role'] : 'admin'
    const out = typeof flags['out'] === 'string' ? flags['out'] : null
    if (flags['check'] === true && out === null) throw new Failure('usage', '--check needs --out FILE')
    const scalars = scalarsOf(flags['scalars'])
    const schema = buildClientSchema(await introspected(call, role), { assumeValid: true })
    const areLongNumbersTexts = flags['stringify-numeric-types'] === true
    const head = `// The GraphQL API of the role ${role}, written by trellis types.\n\n`
    const text = `${head}${typescriptOf(schema, { scalars, areLongNumbersTexts })}`
    if (out === null) return { text, data: { text } }
    const path = resolve(io.cwd, out)
    if (existsSync(path) && readFileSync(path, 'utf8') === text) return { text: `${out} is up to date\n` }
    if (flags['check'] === true) return { problems: [`${out} is not the schema of ${role}`], exit: 'differences' }
    writeFileSync(path, text)
    call.changed(`wrote ${out}`)
    return { text: `${out}\n` }
  },
}
