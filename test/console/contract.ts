// The requests of the console's pages against the server's own description of its APIs.

import assert from 'node:assert/strict'
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import type { SentRequest } from '../support/browser.ts'

/** The description of a server. */
export interface ApiDocument {
  readonly paths: Readonly<Record<string, Readonly<Record<string, unknown>>>>
  readonly components: { readonly schemas: Readonly<Record<string, { readonly 'x-edits'?: boolean }>> }
}

interface Operation {
  readonly type: string
  readonly version?: number
  readonly args: unknown
}

const nameOf = ({ type, version = 1 }: Operation) => `request.${type}${version === 1 ? '' : `.v${version}`}`

/** The checks of requests by a server's document. */
export class Contract {
  readonly #document: ApiDocument
  readonly #ajv = new Ajv2020({ strict: false, allErrors: false })
  readonly #operations = new Set<string>()

  constructor(document: ApiDocument) {
    this.#document = document
    this.#ajv.addSchema(document, 'api')
  }

  /** The operations that were checked. */
  get operations(): readonly string[] {
    return [...this.#operations].sort()
  }

  /** Whether an operation edits, as the server tells. */
  edits(operation: Operation): boolean | undefined {
    return this.#document.components.schemas[nameOf(operation)]?.['x-edits']
  }

  /** Fails for a request that the server does not describe. */
  check({ method, url, body }: SentRequest): void {
    if (url.startsWith('data:')) return
    const path = decodeURI(new URL(url).pathname)
    // A test makes endpoints after the description was read.
    if (path.startsWith('/console') || path.startsWith('/api/rest/')) return
    assert.ok(this.#document.paths[path]?.[method.toLowerCase()], `${method} ${path} is not described`)
    if (path !== '/v1/metadata' && path !== '/v1/query') return
    this.#operation(JSON.parse(body ?? 'null') as Operation)
  }

  #operation(operation: Operation): void {
    const name = nameOf(operation)
    this.#operations.add(name)
    const validate = this.#validator(name)
    assert.ok(validate, `${name} is not described`)
    assert.ok(validate(operation), `${JSON.stringify(operation)}: ${JSON.stringify(validate.errors)}`)
  }

  #validator(name: string): ValidateFunction | undefined {
    return this.#ajv.getSchema(`api#/components/schemas/${name}`)
  }
}
