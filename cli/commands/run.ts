// `trellis run`

import { resolve } from 'node:path'
import { messageOf } from '../../core/errors/thrown.ts'
import { isJsonObject, parseJson } from '../../core/json/json.ts'
import type { Command } from '../command.ts'
import { Failure } from '../exits.ts'
import { failureOf } from '../target/answers.ts'
import { textOfFile } from '../text-file.ts'

function objectIn(text: string, subject: string): Readonly<Record<string, unknown>> {
  let value: unknown
  try {
    value = parseJson(text, 'precise')
  } catch (error) {
    throw new Failure('usage', `${subject} is not JSON: ${messageOf(error)}`)
  }
  if (!isJsonObject(value)) throw new Failure('usage', `${subject} is not an object`)
  return value
}

function headersIn(text: string): Readonly<Record<string, string>> {
  const headers = objectIn(text, '--headers')
  const [wrong] = Object.entries(headers).filter(([, value]) => typeof value !== 'string')
  if (wrong) throw new Failure('usage', `--headers: the value of ${wrong[0]} is not a text`)
  return headers as Record<string, string>
}

/** All operations are for administrators; those on rows are for every role, at another endpoint. */
const pathFor = (headers: Readonly<Record<string, string>>): string =>
  Object.keys(headers).some((name) => /^x-\w+-role$/i.test(name)) ? '/v1/query' : '/v1/metadata'

export const command: Command = {
  words: '[FILE]',
  count: [0, 1],
  details:
    'Sends one request, a file or the text of --execute, and prints the answer. {"type": ..., "args": ...} is an operation of the metadata API; a recording of the console is one, too. {"query": ..., "variables": ...} is a GraphQL request.',
  flags: {
    execute: { value: 'JSON', short: 'e', description: 'the request' },
    headers: {
      value: 'JSON',
      description: 'an object of further headers, such as the role with its session variables',
    },
  },
  async run(call) {
    const [file] = call.words
    const { execute, headers = '{}' } = call.flags
    if ((file === undefined) === (execute === undefined))
      throw new Failure('usage', 'run needs either a file or -e JSON')
    const text = file === undefined ? String(execute) : textOfFile(resolve(call.io.cwd, file), file)
    const body = objectIn(text, file ?? 'the request')
    const { type, query } = body
    if ((typeof type === 'string') === (typeof query === 'string')) {
      throw new Failure(
        'usage',
        `${file ?? 'the request'} needs either "type", for an operation, or "query", for GraphQL`,
      )
    }
    const subject = typeof type === 'string' ? type : 'GraphQL'
    const more = headersIn(String(headers))
    const target = await call.target()
    const answer = await target.ask(typeof type === 'string' ? pathFor(more) : '/v1/graphql', body, more)
    if (answer.status !== 200) throw failureOf(answer, subject)
    const hasErrors = typeof query === 'string' && isJsonObject(answer.body) && 'errors' in answer.body
    return {
      text: `${JSON.stringify(answer.body, null, 2)}\n`,
      data: { answer: answer.body },
      ...(hasErrors && { exit: 'failed' }),
    }
  },
}
