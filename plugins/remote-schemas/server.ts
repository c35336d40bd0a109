// A remote server as what answers calls: those of one level with one request, in a document that is put together of what
// each asks.

import { type GraphQLInputType, isInputType, Kind, print, type TypeNode, type VariableDefinitionNode } from 'graphql'
import {
  type AnswerExtras,
  Answered,
  answered,
  type CallGroup,
  type GroupedCall,
  type WholeAnswer,
  wholeAnswer,
} from '../../sdk/graphql.ts'
import { badRequest, type Engine, internalError } from '../../sdk/index.ts'
import type { OutgoingResponse } from '../../sdk/services.ts'
import { checkWhole, readAnswer } from './answer.ts'
import type { RemoteSchemaModel } from './metadata.ts'
import {
  type AskedField,
  type FieldAnswer,
  type Question,
  type RemoteError,
  type RemotePlan,
  withPresets,
} from './questions.ts'
import { sendRequest } from './request.ts'
import type { RemoteView } from './view.ts'

export interface ServerOptions extends Pick<Engine, 'outgoing' | 'dialect'> {
  environment(name: string): string | undefined
  /** Whether errors of the server leave the data that comes with them. */
  readonly keepsData: boolean
  /** How many fields rows may ask for in one request. */
  readonly batchSize: number
}

type Call = GroupedCall<RemotePlan>

/** The group of a remote schema's fields. */
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

  /** Asks for all of an operation, and hands the answer on. */
  async #whole(calls: readonly Call[], questions: readonly Question[]): Promise<WholeAnswer> {
    const fields = questions.flatMap((question) => question.fields)
    const response = await this.#send(calls, { fields, questions })
    checkWhole(response)
    return wholeAnswer(response.body, cookiesOf(response))
  }

  /** Asks in as many requests as the fields need, all at once. */
  async #answer(calls: readonly Call[], questions: readonly Question[]): Promise<readonly unknown[]> {
    const fields = uniquelyNamed(questions.flatMap((question) => question.fields))
    const asking = questions.flatMap((question) => question.fields.map(() => question))
    const isOfRows = calls.some(({ rows }) => rows !== null)
    const size = isOfRows ? this.#options.batchSize : Math.max(fields.length, 1)
    const batches = Array.from({ length: Math.ceil(fields.length / size) }, (_, i): Asked => {
      const [from, to] = [i * size, (i + 1) * size]
      return { fields: fields.slice(from, to), questions: [...new Set(asking.slice(from, to))] }
    })
    const answers = await Promise.all(batches.map((batch) => this.#ask(calls, batch)))
    const ending = this.#options.keepsData ? [] : answers.flatMap(({ errors }) => errors)
    if (ending.length > 0) return calls.map((call, i) => ended(call, ending, i))
    const byField = new Map(answers.flatMap((answer) => [...answer.fields]))
    const cookies = answers.flatMap((answer) => answer.cookies)
    let next = 0
    return questions.map((question, i) => {
      const result = question.result(question.fields.map(() => byField.get(fields[next++]!)!))
      return i === 0 && !isOfRows && cookies.length > 0 ? withHeaders(result, { 'set-cookie': cookies }) : result
    })
  }

  async #ask(calls: readonly Call[], request: Asked): Promise<BatchAnswer> {
    const response = await this.#send(calls, request)
    const { data, errors } = readAnswer(response)
    const general: RemoteError[] = []
    const located = new Map<string, RemoteError[]>()
    // Where something is in the text that was sent says nothing to those who sent another one.
    for (const { locations: _, ...error } of errors) {
      const [alias, ...path] = error.path ?? []
      if (typeof alias !== 'string') general.push(error)
      else located.set(alias, [...(located.get(alias) ?? []), { ...error, path }])
    }
    const fields = request.fields.map((field, i): [AskedField, FieldAnswer] => {
      const value = data && Object.hasOwn(data, field.alias) ? data[field.alias] : null
      const own = located.get(field.alias) ?? []
      return [field, { value, errors: i === 0 ? [...general, ...own] : own }]
    })
    const cookies = [cookiesOf(response)['set-cookie'] ?? []].flat()
    return { fields: new Map(fields), errors, cookies }
  }

  #send(calls: readonly Call[], { fields, questions }: Asked): Promise<OutgoingResponse> {
    const [first] = calls
    if (!first) throw internalError('there is nothing to ask')
    const { variables, declarations } = this.#variables(first, questions, fields)
    const kind = first.rows === null ? first.operation.kind : 'query'
    const { node } = first.operation
    const name = node.name ? ` ${node.name.value}` : ''
    const declared = declarations.length > 0 ? `(${declarations.join(', ')})` : ''
    const fragments = [...new Set(questions.flatMap((question) => question.fragments))]
    const selections = fields.map((field) => (isNamedSo(field) ? field.text : `${field.alias}: ${field.text}`))
    const query = [`${kind}${name}${declared} { ${selections.join(' ')} }`, ...fragments].join(' ')
    const body = JSON.stringify({ query, variables, ...(node.name && { operationName: node.name.value }) })
    return sendRequest(this.#remote, { body, call: first }, this.#options)
  }

  /** The variables of a request: those of the client that are used, and those of the fields. */
  #variables(call: Call, questions: readonly Question[], fields: readonly AskedField[]) {
    const used = new Set(questions.flatMap((question) => [...question.variables]))
    const own = [...new Map(fields.flatMap((field) => field.variables.map((each) => [each.name, each]))).values()]
    const { operation, variables, plan, session } = call
    const clients = [...operation.variables].filter(([name]) => used.has(name))
    const values: [string, unknown][] = clients.flatMap(([name, { type }]) => {
      const value = variables[name]
      if (value === undefined) return []
      return [
        [
          name,
          plan.view.hasPresets
            ? withPresets(value, this.#inputType(type, plan.view), { view: plan.view, session })
            : value,
        ],
      ]
    })
    return {
      declarations: [
        ...clients.map(([, definition]) => this.#declaration(definition)),
        ...own.map(({ name, type }) => `$${name}: ${type}`),
      ],
      variables: Object.fromEntries([...values, ...own.map(({ name, value }) => [name, value] as const)]),
    }
  }

  #declaration({ variable, type, defaultValue }: VariableDefinitionNode): string {
    const byDefault = defaultValue ? ` = ${print(defaultValue)}` : ''
    return `$${variable.name.value}: ${this.#typeText(type)}${byDefault}`
  }

  /** A type as the server calls it. */
  #typeText(node: TypeNode): string {
    if (node.kind === Kind.NON_NULL_TYPE) return `${this.#typeText(node.type)}!`
    if (node.kind === Kind.LIST_TYPE) return `[${this.#typeText(node.type)}]`
    return this.#remote.types.names.remoteType(node.name.value)
  }

  #inputType(node: TypeNode, { types }: RemoteView): GraphQLInputType {
    let named = node
    while (named.kind !== Kind.NAMED_TYPE) named = named.type
    const type = types.schema.getType(types.names.remoteType(named.name.value))
    if (!isInputType(type)) throw internalError(`"${named.name.value}" is no type of a variable`)
    return type
  }
}

/** What is asked with one request. */
interface Asked {
  readonly fields: readonly AskedField[]
  readonly questions: readonly Question[]
}

interface BatchAnswer {
  readonly fields: ReadonlyMap<AskedField, FieldAnswer>
  readonly errors: readonly RemoteError[]
  readonly cookies: readonly string[]
}

/** What a call gives when errors of the server leave nothing of the answer. */
function ended({ rows }: Call, errors: readonly RemoteError[], index: number): unknown {
  if (rows !== null) throw badRequest('unexpected', 'Errors from remote server', { internal: { errors } })
  return answered(null, { errors: index === 0 ? errors : [], endsAnswer: true })
}

/** Whether the field is called in the answer as the server calls it. */
const isNamedSo = ({ alias, text, isNumbered }: AskedField): boolean =>
  !isNumbered && text.startsWith(alias) && !/^\w/.test(text.slice(alias.length, alias.length + 1))

/** The fields with a name of its own for each. */
function uniquelyNamed(fields: readonly AskedField[]): AskedField[] {
  const taken = new Set<string>()
  let numbered = 0
  return fields.map((field) => {
    let alias = field.isNumbered ? `${field.alias}__${numbered++}` : field.alias
    for (let n = 1; taken.has(alias); n++) alias = `${field.alias}__${n}`
    taken.add(alias)
    return alias === field.alias ? field : { ...field, alias }
  })
}

const cookiesOf = ({ headers }: OutgoingResponse): { 'set-cookie'?: string | string[] } => {
  const cookies = headers['set-cookie']
  return cookies === undefined ? {} : { 'set-cookie': cookies }
}

function withHeaders(result: unknown, headers: AnswerExtras['headers']): unknown {
  if (result instanceof Error) return result
  const { value, extras } = result instanceof Answered ? result : { value: result, extras: {} }
  return answered(value, { ...extras, headers })
}
