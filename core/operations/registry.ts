// Finds the operation for a request's `type` and `version`.

import type { TSchema } from '@sinclair/typebox'
import { compareText } from '../names/names.ts'
import type { Operation } from './operation.ts'
import { plainForm, type RequestForm } from './request-form.ts'

/** The plugin that adds operations, and the API that enables them. */
export interface OperationOwner {
  readonly plugin: string
  readonly api: string
}

/** An operation and its owner. */
export interface RegisteredOperation extends OperationOwner {
  readonly operation: Operation<TSchema>
}

/** All operations by type and version. An operation whose API is disabled is registered, but cannot be found. */
export class OperationRegistry {
  readonly #operations = new Map<string, RegisteredOperation>()
  readonly #isEnabled: (api: string) => boolean
  /** The form of requests at endpoints that have none of their own. */
  form: RequestForm = plainForm

  constructor(isEnabled: (api: string) => boolean) {
    this.#isEnabled = isEnabled
  }

  /** Refuses a type and version that another plugin has added. */
  add(owner: OperationOwner, ...operations: readonly Operation<TSchema>[]): void {
    for (const operation of operations) {
      const { type, version = 1, members, editsMetadata } = operation
      if (members && editsMetadata !== false) {
        throw new Error(`operation "${type}" has members, so it can edit nothing itself: set editsMetadata to false`)
      }
      const known = this.#operations.get(key(type, version))
      if (known) {
        const both =
          known.plugin === owner.plugin
            ? `twice by plugin "${owner.plugin}"`
            : `by plugins "${known.plugin}" and "${owner.plugin}"`
        throw new Error(`operation "${type}" version ${version} is declared ${both}`)
      }
      this.#operations.set(key(type, version), { ...owner, operation })
    }
  }

  find(type: string, version: number): Operation<TSchema> | undefined {
    const found = this.#operations.get(key(type, version))
    return found && this.#isEnabled(found.api) ? found.operation : undefined
  }

  /** The operations that can be called, sorted by type. */
  all(): readonly RegisteredOperation[] {
    const enabled = [...this.#operations.values()].filter(({ api }) => this.#isEnabled(api))
    return enabled.sort((a, b) => compareText(a.operation.type, b.operation.type))
  }
}

const key = (type: string, version: number): string => `${version}:${type}`
