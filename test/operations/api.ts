// The server's description of its API, with validators of its schemas.

import { Ajv2020 } from 'ajv/dist/2020.js'
import type { JsonSchema } from '../../plugins/openapi/json-schema.ts'
import { requestName } from '../../plugins/openapi/requests.ts'
import type { TestTrellis } from '../support/trellis.ts'
import type { OperationEntry } from './entry.ts'
import { OperationShape } from './malformed.ts'

interface ApiDocument {
  readonly components: { readonly schemas: Readonly<Record<string, RequestSchema>> }
}

interface RequestSchema extends JsonSchema {
  readonly properties: { readonly args: JsonSchema }
}

/** The shape of an operation's requests and answers, by its entry. */
export type Shapes = (entry: Pick<OperationEntry, 'type' | 'version'>) => OperationShape

const known = new Map<string, Shapes>()

/** The server's description of its operations; read once for all servers with the same description. */
export async function shapesOf({ request }: Pick<TestTrellis, 'request'>): Promise<Shapes> {
  const { text, body } = await request<ApiDocument>('/api/openapi.json')
  const shapes = known.get(text) ?? compile(body)
  known.set(text, shapes)
  return shapes
}

function compile(api: ApiDocument): Shapes {
  const ajv = new Ajv2020({ strict: true, allowUnionTypes: true, strictRequired: false })
  ajv.addVocabulary(['openapi', 'info', 'paths', 'components', 'x-result', 'x-plugin', 'x-edits'])
  ajv.addSchema(api, 'api')
  const { schemas } = api.components
  return (entry) => {
    const name = requestName(entry)
    const validator = (place: string) => ajv.getSchema(`api#/components/schemas/${name}/${place}`)!
    const args = schemas[name]!.properties.args
    return new OperationShape(args, schemas, { args: validator('properties/args'), result: validator('x-result') })
  }
}
