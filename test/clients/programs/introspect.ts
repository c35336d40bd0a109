// Writes a server's Relay schema as SDL, the input of relay-compiler, and makes the folder for its output.

import { mkdirSync, writeFileSync } from 'node:fs'
import { buildClientSchema, getIntrospectionQuery, type IntrospectionQuery, printSchema } from 'graphql'
import { GraphQLClient } from 'graphql-request'

const [, , url = '', folder = 'relay'] = process.argv
const introspection = await new GraphQLClient(`${url}/v1beta1/relay`).request<IntrospectionQuery>(
  getIntrospectionQuery(),
)
const directory = new URL(`../${folder}/generated/`, import.meta.url)
mkdirSync(new URL('artifacts', directory), { recursive: true })
const text = printSchema(buildClientSchema(introspection))
writeFileSync(new URL('schema.graphql', directory), text)
writeFileSync(new URL('package.json', directory), JSON.stringify({ type: 'commonjs' }))
console.log(JSON.stringify({ types: text.match(/^(type|input|interface|enum|scalar) /gm)?.length }))
