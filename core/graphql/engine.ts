// GraphQL requests: parse, plan, run. Documents, role schemas and plans are cached; a plan serves all requests of a role
// whose variables have the same shape.

import { LRUCache } from 'lru-cache'
import { bindParams, requireSessionVariables } from '../compiler/bind.ts'
import type { Database } from '../database/database.ts'
import type { Dialect } from '../dialect.ts'
import type { Model } from '../metadata/model.ts'
import type { QueryLog } from '../observe.ts'
import type { Settings } from '../options.ts'
import type { Session } from '../session.ts'
import type { Contribution, SchemaKind } from './contribution.ts'
import { chooseOperation, DocumentCache, type Operation, type ParsedDocument } from './document.ts'
import { type ExecutionContext, runOperation } from './execute.ts'
import { type InspectedOperation, inspectOperation } from './inspect.ts'
import { type Dependence, PlanContext, type Variables } from './plan-context.ts'
import { type PreparedOperation, prepareOperation } from './prepared.ts'
import type { GraphQLRequest } from './request.ts'
import { RoleSchema } from './role-schema.ts'
import { checkUnused, readVariables, variablesShape } from './variables.ts'

/** Plans that one operation may have for different shapes of variables. */
const plansPerOperation = 64

/** Roles whose schemas are kept at once. */
const maxSchemas = 200

/** A shape longer than this is not worth remembering. */
const maxShape = 4096

/** Refuses documents by throwing; asked for each request when its document is parsed, before the role's schema counts. */
export type RequestGuard = (document: ParsedDocument, session: Session) => void

/** The plans of one operation for one role. */
interface PlanGroup {
  readonly operation: Operation
  /** Grows while shapes are planned; a shape is always worked out with all that is known. */
  dependences: ReadonlyMap<string, Dependence>
  readonly plans: Map<string, PreparedOperation>
}

export interface GraphQLEngineOptions {
  readonly settings: Settings
  readonly dialect: Dialect
  readonly database: Database
  readonly contributions: readonly Contribution[]
  readonly guards: readonly RequestGuard[]
  /** The model being served. */
  readonly model: () => Model
  /** Told of fields that two contributions give. */
  readonly report: (conflict: string) => void
}

/** What a transport adds to a request. */
export interface RequestExtras extends Pick<PlanOptions, 'schema'> {
  /** The client's headers, lower-case names. */
  readonly headers: Readonly<Record<string, string>>
  /** Told what will run, for the log: SQL by response name; null for what is no query of the database. */
  readonly onPlanned?: (generatedSql: QueryLog['generated_sql']) => void
}

/** How a request is planned. */
export interface PlanOptions {
  /** Absent: the usual one. */
  readonly schema?: SchemaKind
}

/** An operation together with what this request gives it. */
export interface PlannedRequest {
  readonly schema: RoleSchema
  readonly prepared: PreparedOperation
  readonly variables: Variables
}

function generatedSql({ prepared, variables }: PlannedRequest, session: Session): QueryLog['generated_sql'] {
  if (prepared.operation.kind !== 'query') return null
  const statements = [...prepared.answeredBy].map(([key, statement]) => {
    if (!statement) return [key, null] as const
    const values = bindParams(statement.params, { variables, session })
    return [key, { query: statement.text, prepared_arguments: values }] as const
  })
  return Object.fromEntries(statements)
}

export class GraphQLEngine {
  readonly #options: GraphQLEngineOptions
  readonly #documents: DocumentCache
  readonly #cachePlans: boolean
  #schemas = new LRUCache<string, RoleSchema>({ max: maxSchemas })
  #schemaModel: Model | null = null
  readonly #groups = new WeakMap<RoleSchema, WeakMap<ParsedDocument, Map<string | null, PlanGroup>>>()

  constructor(options: GraphQLEngineOptions) {
    this.#options = options
    this.#documents = new DocumentCache(options.settings.queryPlanCacheSize)
    this.#cachePlans = options.settings.queryPlanCacheSize > 0
  }

  /** Runs a request; the answer's bytes. Throws a TrellisError. */
  async execute(request: GraphQLRequest, session: Session, extras: RequestExtras): Promise<Buffer | string> {
    const planned = this.plan(request, session, extras)
    requireSessionVariables(planned.prepared.sessionVariables, session)
    extras.onPlanned?.(generatedSql(planned, session))
    const context: ExecutionContext = {
      database: this.#options.database,
      dialect: this.#options.dialect,
      session,
      headers: extras.headers,
      ...planned,
    }
    return runOperation(context)
  }

  /** Validates and plans a request without running it. */
  plan(request: GraphQLRequest, session: Session, { schema: kind }: PlanOptions = {}): PlannedRequest {
    const document = this.#documents.get(request.query)
    for (const guard of this.#options.guards) guard(document, session)
    const schema = this.schema(session.role, session.backendOnly, kind)
    const group = this.#group(schema, document, request.operationName)
    const variables = readVariables(group.operation, request.variables)
    const shape = variablesShape(group.operation, variables, group.dependences)
    let prepared = group.plans.get(shape)
    if (!prepared) prepared = this.#prepare(schema, group, variables)
    return { schema, prepared, variables }
  }

  /** The operation that a request asks for. */
  operation({ query, operationName }: Pick<GraphQLRequest, 'query' | 'operationName'>): Operation {
    return chooseOperation(this.#documents.get(query), operationName)
  }

  /** Plans a query or subscription field by field, for those who look at plans and run nothing. */
  inspect(request: GraphQLRequest, session: Session, kind?: SchemaKind): InspectedOperation {
    const operation = this.operation(request)
    const schema = this.schema(session.role, session.backendOnly, kind)
    const variables = readVariables(operation, request.variables)
    const context = new PlanContext(schema, operation, variables, new Map())
    const inspected = inspectOperation(context)
    checkUnused(variables, context.used, operation)
    return inspected
  }

  /** The schema that a role sees now. */
  schema(role: string, backendOnly: boolean, kind: SchemaKind = 'standard'): RoleSchema {
    const model = this.#options.model()
    if (model !== this.#schemaModel) {
      this.#schemas = new LRUCache({ max: maxSchemas })
      this.#schemaModel = model
    }
    const key = `${kind} ${backendOnly ? 'b' : '-'} ${role}`
    let schema = this.#schemas.get(key)
    if (!schema) {
      const { settings, dialect, contributions, database, report } = this.#options
      const { serverVersion } = database
      const given = { settings, dialect, contributions, serverVersion, report }
      schema = new RoleSchema({ kind, model, role, backendOnly, ...given })
      this.#schemas.set(key, schema)
    }
    return schema
  }

  #group(schema: RoleSchema, document: ParsedDocument, operationName: string | null): PlanGroup {
    let byDocument = this.#groups.get(schema)
    if (!byDocument) {
      byDocument = new WeakMap()
      this.#groups.set(schema, byDocument)
    }
    let byName = byDocument.get(document)
    if (!byName) {
      byName = new Map()
      byDocument.set(document, byName)
    }
    let group = byName.get(operationName)
    if (!group) {
      const operation = chooseOperation(document, operationName)
      group = { operation, dependences: new Map(), plans: new Map() }
      byName.set(operationName, group)
    }
    return group
  }

  #prepare(schema: RoleSchema, group: PlanGroup, variables: Variables): PreparedOperation {
    const context = new PlanContext(schema, group.operation, variables, group.dependences)
    const prepared = prepareOperation(context)
    checkUnused(variables, context.used, group.operation)
    group.dependences = context.dependences
    const shape = variablesShape(group.operation, variables, group.dependences)
    if (this.#cachePlans && shape.length <= maxShape) {
      if (group.plans.size >= plansPerOperation) group.plans.delete(group.plans.keys().next().value!)
      group.plans.set(shape, prepared)
    }
    return prepared
  }
}
