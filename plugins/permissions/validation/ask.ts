// Asks the server of `validate_input`. Its status decides: 200 goes on, 400 refuses with a message.

import type { GuardedRequest } from '../../../sdk/graphql.ts'
import { parseJsonInTurns } from '../../../sdk/http.ts'
import { badRequest, type Dialect, internalError, TrellisError, Type } from '../../../sdk/index.ts'
import { decode } from '../../../sdk/metadata.ts'
import {
  configuredHeaders,
  configuredUrl,
  type Environment,
  forwardedHeaders,
  loggableTemplate,
  type Outgoing,
  OutgoingError,
  type OutgoingResponse,
} from '../../../sdk/services.ts'
import { defaultTimeout, maxAnswerBytes, shownBytes } from '../tuning.ts'
import type { Question } from './inputs.ts'

/** The services of questions. */
export interface AskingContext {
  readonly outgoing: Outgoing
  readonly environment: Environment
  readonly dialect: Dialect
}

const Refusal = Type.Object({ message: Type.String() })

/** Asks; throws the server's refusal, or the error of the interface if there is no valid answer. */
export async function ask(question: Question, request: GuardedRequest, context: AskingContext): Promise<void> {
  const { url, timeout = defaultTimeout, headers = [], forward_client_headers } = question.validation.definition
  const { outgoing, environment, dialect } = context
  const { role, variables } = request.session
  const data = { input: question.inputs(request.args) }
  const described = { url: loggableTemplate(url) }
  let response: OutgoingResponse
  try {
    response = await outgoing.send({
      method: 'POST',
      url: configuredUrl(url, environment),
      headers: {
        ...(forward_client_headers && forwardedHeaders(request.headers, dialect)),
        ...configuredHeaders(headers, environment),
      },
      body: JSON.stringify({ version: 1, role, session_variables: variables, data }),
      timeout: timeout * 1000,
      maxResponseSize: maxAnswerBytes,
      signal: request.signal,
    })
  } catch (error) {
    if (!(error instanceof OutgoingError)) throw error
    const internal = { error: { type: 'http_exception', message: error.message }, request: described, response: null }
    throw internalError('http exception when validating input data', { internal })
  }
  const { status, body } = response
  if (status === 200) return
  const shown = { status, body: body.subarray(0, shownBytes).toString('utf8') }
  const internalOf = (error: string) => ({ error, request: described, response: shown })
  if (status !== 400) {
    throw internalError('internal error', {
      internal: internalOf(`expecting 200 or 400 status code, but found ${status}`),
    })
  }
  throw badRequest('validation-failed', await messageIn(body, internalOf))
}

async function messageIn(body: Buffer, internalOf: (error: string) => unknown): Promise<string> {
  try {
    return decode(Refusal, await parseJsonInTurns(body, 'lossless')).message
  } catch (error) {
    const reason = error instanceof TrellisError ? error.message : 'invalid json'
    throw internalError('not a valid json response from webhook', { internal: internalOf(reason) })
  }
}
