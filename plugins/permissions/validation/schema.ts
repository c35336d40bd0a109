// `validate_input` of permissions: a server that judges the values of changes before they are made.

import { badRequest, type Dialect, Type } from '../../../sdk/index.ts'
import { type ConfiguredHeader, checkUrl, configuredHeader } from '../../../sdk/metadata.ts'

/** The server that judges values. */
export interface ValidateInput {
  type: 'http'
  definition: {
    /** It may contain variables of the environment as `{{NAME}}`. */
    url: string
    headers?: ConfiguredHeader[]
    forward_client_headers?: boolean
    /** Seconds. */
    timeout?: number
  }
}

function checkTimeout(seconds: number): number {
  if (seconds > 0) return seconds
  throw badRequest('parse-failed', 'the time limit is a positive number of seconds')
}

/** The schema of `validate_input`. */
export function validateInputSchema(dialect: Pick<Dialect, 'environmentPrefix'>, document: boolean) {
  const options = { missingKey: 'A', ...(document && { additionalProperties: false }) } as const
  const definition = Type.Object(
    {
      url: Type.String({ convert: checkUrl, examples: ['https://example.com/validate'] }),
      headers: Type.Optional(Type.Array(configuredHeader(dialect))),
      forward_client_headers: Type.Optional(Type.Boolean()),
      timeout: Type.Optional(Type.Integer({ convert: checkTimeout, shown: Type.Integer({ minimum: 1 }) })),
    },
    options,
  )
  return Type.Unsafe<ValidateInput>(Type.Object({ type: Type.Literal('http'), definition }, options))
}

/** The server that judges the values of a permission; undefined: all values that fit its columns are taken. */
export const validationOf = (permission: object): ValidateInput | undefined =>
  (permission as { readonly validate_input?: ValidateInput }).validate_input
