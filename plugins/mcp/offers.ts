// The tools of each role, kept for as long as the same model is served.

import { createHash } from 'node:crypto'
import type { GraphQLRequest } from '../../sdk/graphql.ts'
import { type Session, TrellisError } from '../../sdk/index.ts'
import type { Model } from '../../sdk/metadata.ts'
import { TurnTaker } from '../../sdk/services.ts'
import { namesOf } from './names.ts'
import type { McpEngine } from './options.ts'
import { type StoredOperation, storedOperations } from './stored-queries.ts'
import { type ArgumentsSchema, destructive, readOnly, runRequest, type Tool } from './tool.ts'
import { keptRoles } from './tuning.ts'

/** The tools of a session, by name. */
export type Tools = ReadonlyMap<string, Tool>

/** Tools that are not stored queries, for one session; null: the session does not get it. */
export type ToolMaker = (session: Session) => Tool | null

interface Kept {
  readonly tools: Promise<Tools>
  digest: Promise<string> | null
}

export class Offers {
  readonly #engine: McpEngine
  readonly #makers: readonly ToolMaker[]
  #model: Model | null = null
  readonly #kept = new Map<string, Kept>()

  constructor(engine: McpEngine, makers: readonly ToolMaker[]) {
    this.#engine = engine
    this.#makers = makers
  }

  /** The tools that the role of a session has. */
  of(session: Session): Promise<Tools> {
    return this.#of(session).tools
  }

  /** A text that changes with the tools of a session. */
  digest(session: Session): Promise<string> {
    const kept = this.#of(session)
    kept.digest ??= kept.tools.then((tools) => {
      const described = [...tools.values()].map(({ description }) => description)
      return createHash('sha256').update(JSON.stringify(described)).digest('base64')
    })
    return kept.digest
  }

  #of(session: Session): Kept {
    if (this.#model !== this.#engine.model) {
      this.#model = this.#engine.model
      this.#kept.clear()
    }
    const { role, backendOnly, readOnly: onlyReads = false } = session
    const key = JSON.stringify([role, backendOnly, onlyReads])
    const known = this.#kept.get(key)
    this.#kept.delete(key)
    const kept = known ?? { tools: this.#make(session), digest: null }
    // A failure is not kept.
    if (!known) kept.tools.catch(() => this.#kept.delete(key))
    this.#kept.set(key, kept)
    if (this.#kept.size > keptRoles) this.#kept.delete(this.#kept.keys().next().value!)
    return kept
  }

  async #make(session: Session): Promise<Tools> {
    const others = this.#makers.flatMap((make) => make(session) ?? [])
    const reserved = new Set(others.map(({ description }) => description.name))
    const tools = new Map<string, Tool>()
    const turns = new TurnTaker()
    for (const [name, operation] of namesOf(storedOperations(this.#engine, session), reserved)) {
      const tool = this.#storedTool(name, operation, session)
      if (tool) tools.set(name, tool)
      await turns.next()
    }
    for (const tool of others) tools.set(tool.description.name, tool)
    return tools
  }

  /** Null for an operation with fields that the role does not have. */
  #storedTool(name: string, operation: StoredOperation, session: Session): Tool | null {
    const inputSchema = this.#argumentsOf(operation, session)
    if (inputSchema === null) return null
    const { title, description, query, operationName, kind } = operation
    const annotations = kind === 'query' ? readOnly : destructive
    const answer = kind === 'query' ? this.#engine.options.mcpMaxAnswer : null
    return {
      description: { name, title, description, inputSchema, annotations },
      run: (variables, call) => {
        const request: GraphQLRequest = { query, operationName, variables }
        return runRequest(this.#engine, request, call, { time: null, answer })
      },
    }
  }

  #argumentsOf({ query, operationName, variables }: StoredOperation, session: Session): ArgumentsSchema | null {
    const { graphql } = this.#engine
    try {
      const schema = graphql.variablesSchema(graphql.operation({ query, operationName }), session)
      const properties = Object.entries(Object(schema['properties'])).map(([name, property]) => {
        const description = variables.get(name)
        return [name, description === undefined ? property : { ...Object(property), description }]
      })
      return { ...schema, type: 'object', properties: Object.fromEntries(properties) }
    } catch (error) {
      if (error instanceof TrellisError) return null
      throw error
    }
  }
}
