// Answers calls by asking a remote server: one request for all calls of one step, in one document.

import {
  type AnswerExtras,
  Answered,
  answered,
  type CallGroup,
  type GroupedCall,
  type WholeAnswer,
  wholeAnswer,
} from '../../../sdk/graphql.ts'
import { badRequest, internalError } from '../../../sdk/index.ts'
import type { RemoteSchemaModel } from '../metadata.ts'
import type { RemoteError, RemoteReply } from '../servers/transport.ts'
import { mostRounds } from '../tuning.ts'
import { fieldAnswers } from './answer.ts'
import { isFatal } from './answer-shape.ts'
import type { FieldAnswer, Question, RemotePlan } from './questions.ts'
import { type Asked, allOf, requestOf } from './request-body.ts'

export interface ServerOptions {
  /** Whether data that comes with errors is kept. */
  readonly keepsData: boolean
  /** The most fields that one request asks for rows. */
  readonly batchSize: number
}

type Call = GroupedCall<RemotePlan>

/** The call group of a remote schema's fields. */
export function remoteServer(remote: RemoteSchemaModel, options: ServerOptions): CallGroup<RemotePlan> {
  const server = new RemoteServer(remote, options)
  return { run: (calls, isWhole) => server.run(calls, isWhole) }
}

class RemoteServer {
  readonly #remote: RemoteSchemaModel
  readonly #options: ServerOptions

  constructor(remote: RemoteSchemaModel, options: ServerOptions) {
    this.#remote = remote
    this.#options = options
  }

  async run(calls: readonly Call[], isWhole: boolean): Promise<readonly unknown[] | WholeAnswer> {
    const { names } = this.#remote.types
    const mayBeWhole = isWhole && names.keepsTypes && names.namespace === null
    if (mayBeWhole) {
      const questions = calls.map((call, index) => call.plan.ask(call, { index, isWhole: true }))
      if (questions.every(({ isExact }) => isExact)) return this.#whole(calls, questions)
    }
    const questions = calls.map((call, index) => call.plan.ask(call, { index, isWhole: false }))
    return this.#answer(calls, questions)
  }

  /** Asks for the whole operation, and passes the answer through. */
  async #whole(calls: readonly Call[], questions: readonly Question[]): Promise<WholeAnswer> {
    const { reply } = await this.#send(calls, { ...allOf(questions), questions, shape: 'whole' })
    return wholeAnswer(reply.whole(), headersOf(reply))
  }

  /** Asks in as many concurrent requests as the fields need. */
  async #answer(calls: readonly Call[], questions: readonly Question[]): Promise<readonly unknown[]> {
    const isOfRows = calls.some(({ rows }) => rows !== null)
    const batches = batchesOf(questions, isOfRows ? this.#options.batchSize : Number.POSITIVE_INFINITY)
    const answers = await this.#answers(calls, batches, isOfRows)
    const ending = this.#options.keepsData ? [] : answers.flatMap(({ errors }) => errors)
    if (ending.length > 0) return calls.map((call, i) => ended(call, ending, i))
    const byField = answers.flatMap((answer) => answer.fields)
    const cookies = answers.flatMap((answer) => answer.cookies)
    let next = 0
    return questions.map((question, i) => {
      const from = next
      next += question.fields.length
      const result = question.result(byField.slice(from, next))
      return i === 0 && !isOfRows && cookies.length > 0 ? withHeaders(result, { 'set-cookie': cookies }) : result
    })
  }

  /** The answers to all requests. If one of several fails, only its own fields fail. */
  #answers(calls: readonly Call[], batches: readonly Batch[], isOfRows: boolean): Promise<BatchAnswer[]> {
    const isAlone = batches.length === 1 || !this.#options.keepsData
    const asking = batches.map((batch) => {
      const asked = this.#ask(calls, batch, isOfRows && this.#options.keepsData ? mostRounds : 0)
      return isAlone ? asked : asked.catch((error: unknown) => withoutAnswer(batch, error))
    })
    return Promise.all(asking)
  }

  /** `rounds`: how often lost fields are asked for again. */
  async #ask(calls: readonly Call[], batch: Batch, rounds: number): Promise<BatchAnswer> {
    const { reply, aliases } = await this.#send(calls, batch)
    const answer = reply.answer()
    const { cookies } = reply
    const fields = fieldAnswers(answer, aliases)
    const found = answer.data === null && rounds > 0 ? await this.#withLost(calls, batch, { fields, rounds }) : fields
    return { fields: found, errors: answer.errors, cookies }
  }

  /**
   * A failed non-null field makes `data` null, so the fields of other rows are asked for again without it. A server may report
   * all such fields at once, or only the first.
   */
  async #withLost(calls: readonly Call[], batch: Batch, { fields, rounds }: Losing): Promise<readonly FieldAnswer[]> {
    const failed = failedOf(fields, batch.owners())
    const lost = fields.flatMap((_, i) => (failed[i] ? [] : [i]))
    if (lost.length === 0 || lost.length === fields.length) return fields
    const rest = withoutOthers(batch, lost)
    const again =
      rounds > 1
        ? await this.#ask(calls, rest, rounds - 1).catch((error: unknown) => withoutAnswer(rest, error))
        : withoutAnswer(rest, internalError('an error of another field left nothing of the answer'))
    const found = new Map(lost.map((index, i) => [index, again.fields[i]!]))
    return fields.map((field, i) => {
      const later = found.get(i)
      // The new answer repeats errors at the field itself; only errors without a path are kept.
      return later ? { ...later, errors: [...field.errors.filter(isGeneral), ...later.errors] } : field
    })
  }

  async #send(calls: readonly Call[], asked: Asked): Promise<Sent> {
    const [first] = calls
    if (!first) throw internalError('there is nothing to ask')
    const { body, aliases } = requestOf({ ...asked, call: first, types: this.#remote.types })
    return { reply: await this.#remote.transport.send({ body, call: first }), aliases }
  }
}

const isGeneral = ({ path }: RemoteError): boolean => path === undefined

/** The fields of one request, when several requests share the work. */
interface Batch extends Asked {
  /** The question of each field. */
  owners(): readonly Question[]
}

/** Which fields made `data` null: those whose errors are at non-null types up to the root, else all that have errors. */
function failedOf(fields: readonly FieldAnswer[], owners: readonly Question[]): boolean[] {
  const fatal = fields.map(({ errors }, i) => {
    const { shape } = owners[i]!
    return errors.some(({ path }) => path !== undefined && shape !== undefined && isFatal(path, shape))
  })
  return fatal.includes(true) ? fatal : fields.map(({ errors }) => !errors.every(isGeneral))
}

/** The answers of a batch whose `data` is null. */
interface Losing {
  readonly fields: readonly FieldAnswer[]
  /** How often the server may be asked again. */
  readonly rounds: number
}

/** All fields, in requests of at most `size` fields. */
function batchesOf(questions: readonly Question[], size: number): Batch[] {
  const { fields, values } = allOf(questions)
  const counts = questions.map((question) => question.fields.length).join()
  const owners = () => questions.flatMap((question) => question.fields.map(() => question))
  if (fields.length <= size) {
    const shape = `0 ${counts}`
    return fields.length === 0 ? [] : [{ fields, values, questions: questions.filter(asksAnything), shape, owners }]
  }
  const asking = owners()
  return Array.from({ length: Math.ceil(fields.length / size) }, (_, i): Batch => {
    const part = <T>(list: readonly T[]) => list.slice(i * size, (i + 1) * size)
    const shape = `${i * size} ${size} ${counts}`
    const own = part(asking)
    return { fields: part(fields), values: part(values), questions: [...new Set(own)], shape, owners: () => own }
  })
}

/** The part of a batch with these fields. */
function withoutOthers({ fields, values, shape, owners }: Batch, indexes: readonly number[]): Batch {
  const part = <T>(list: readonly T[]) => indexes.map((index) => list[index]!)
  const own = part(owners())
  const questions = [...new Set(own)]
  return {
    ...{ fields: part(fields), values: part(values), questions, owners: () => own },
    shape: `${shape} only ${indexes.join()}`,
  }
}

const asksAnything = ({ fields }: Question): boolean => fields.length > 0

interface Sent {
  readonly reply: RemoteReply
  /** The names of its fields in the answer. */
  readonly aliases: readonly string[]
}

interface BatchAnswer {
  readonly fields: readonly FieldAnswer[]
  readonly errors: readonly RemoteError[]
  readonly cookies: readonly string[]
}

/** The answers to the fields of a failed request. */
function withoutAnswer({ fields }: Asked, error: unknown): BatchAnswer {
  const failure = error instanceof Error ? error : new Error(String(error))
  return { fields: fields.map(() => ({ value: null, errors: [], failure })), errors: [], cookies: [] }
}

/** The result of a call when the server's errors discard all data. */
function ended({ rows }: Call, errors: readonly RemoteError[], index: number): unknown {
  if (rows !== null) throw badRequest('unexpected', 'Errors from remote server', { internal: { errors } })
  return answered(null, { errors: index === 0 ? errors : [], endsAnswer: true })
}

const headersOf = ({ cookies }: RemoteReply): { 'set-cookie'?: string[] } =>
  cookies.length === 0 ? {} : { 'set-cookie': [...cookies] }

function withHeaders(result: unknown, headers: AnswerExtras['headers']): unknown {
  if (result instanceof Error) return result
  const { value, extras } = result instanceof Answered ? result : { value: result, extras: {} }
  return answered(value, { ...extras, headers })
}
