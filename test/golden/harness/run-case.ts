// Runs the steps of a case and records the results.

import assert from 'node:assert/strict'
import { buildClientSchema, getIntrospectionQuery, type IntrospectionQuery, printSchema, printType } from 'graphql'
import type { Answer } from '../../support/client.ts'
import type { Case, Recorded, Step } from './case-file.ts'
import { layoutJson } from './json-layout.ts'
import type { GoldenServer } from './server.ts'
import { printStatements } from './statements.ts'

/** Runs all steps of a case against the fixture's state and leaves that state behind; the case with new recordings. */
export async function runCase(server: GoldenServer, given: Case): Promise<Case> {
  const steps: (Step & { recorded: Recorded[] })[] = []
  try {
    for (const step of given.steps) {
      steps.push({ ...step, recorded: await runStep(server, step) })
    }
  } finally {
    if (given.steps.some(mayChange)) await server.reset()
  }
  return { title: given.title, steps }
}

async function runStep(server: GoldenServer, step: Step): Promise<Recorded[]> {
  if (step.kind === 'database') return [await readRows(server, step)]
  if (step.kind === 'schema') return [await readSchema(server, step)]
  return runRequest(server, step)
}

const mayChange = ({ kind, text }: Step): boolean => kind !== 'database' && /\bmutation\b/.test(text)

/** The schema that clients introspect, or the types of it that the text names. */
async function readSchema(server: GoldenServer, { headers, text }: Step): Promise<Recorded> {
  const introspection = { kind: 'request', headers, text: getIntrospectionQuery(), variables: null } as const
  const { body } = await ask<{ data?: IntrospectionQuery }>(server, introspection)
  if (!body.data) throw new Error(`introspection failed: ${JSON.stringify(body)}`)
  const schema = buildClientSchema(body.data)
  const names = text.split(/\s+/).filter((name) => name !== '')
  if (names.length === 0) return { heading: 'schema', text: printSchema(schema) }
  const types = names.map((name) => {
    const type = schema.getType(name)
    return type ? printType(type) : `# no ${name}`
  })
  return { heading: 'schema', text: types.join('\n\n') }
}

/** The rows of a query that reads the database, a line each. */
async function readRows({ sql }: GoldenServer, { text }: Step): Promise<Recorded> {
  const [row] = await sql<{ rows: string }>(`select coalesce(json_agg(r), '[]')::text as rows from (${text}) as r`)
  return { heading: 'rows', text: layoutJson(row!.rows) }
}

async function runRequest(server: GoldenServer, step: Step): Promise<Recorded[]> {
  server.sentStatements()
  const answer = await send(server, step)
  const statements = server.sentStatements()
  // The cached plan and the prepared statement must give the same answer.
  if (!mayChange(step)) assert.deepEqual(await send(server, step), answer, 'the request was answered otherwise again')
  const recorded = [answer]
  if (statements.length > 0) recorded.push({ heading: 'sql', text: printStatements(statements) })
  return recorded
}

const json = 'application/json; charset=utf-8'

/** The answer, its heading made of the status and a content type that is not the usual one. */
async function send(server: GoldenServer, step: Step): Promise<Recorded> {
  const { status, headers, text } = await ask(server, step)
  const type = headers.get('content-type') ?? 'no content type'
  return { heading: `answer ${status}${type === json ? '' : ` ${type}`}`, text: layoutJson(text) }
}

function ask<Body>({ request }: GoldenServer, step: Step): Promise<Answer<Body>> {
  const {
    endpoint = '/v1/graphql',
    method = 'POST',
    role,
    operationName,
    ...headers
  } = Object.fromEntries(step.headers)
  const body = step.kind === 'body' ? step.text : requestBody(step, operationName)
  return request(endpoint, { method, role, headers, ...(body === '' ? {} : { body }) })
}

/** The body of a request; its variables keep the digits that they were written with. */
function requestBody({ text, variables }: Step, operationName: string | undefined): string {
  const members = [`"query":${JSON.stringify(text)}`]
  if (operationName !== undefined) members.push(`"operationName":${JSON.stringify(operationName)}`)
  if (variables !== null) members.push(`"variables":${variables}`)
  return `{${members.join(',')}}`
}
