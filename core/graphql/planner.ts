// From the text of a request to its plan: parses, finds the role's schema, validates and plans. Documents, schemas and
// plans are cached. A plan serves all requests of a role whose variables have the same shape.

import type { Access } from '../access/access.ts'
import type { Database } from '../database/database.ts'
import type { Model } from '../metadata/document/model.ts'
import type { Dialect } from '../names/dialect.ts'
import type { Session } from '../session/session.ts'
import type { RequestSettings } from './options.ts'
import { type InspectedOperation, inspectOperation } from './plan/inspect.ts'
import { PlanCache, type PlanGroup } from './plan/plan-cache.ts'
import { type PlannedRequest, type PreparedOperation, prepareOperation } from './plan/prepared.ts'
import { validateDocument } from './plan/validate.ts'
import { type JsonSchema, variablesSchema } from './plan/variables-schema.ts'
import {
  chooseOperation,
  DocumentCache,
  type GraphQLOperation,
  type ParsedDocument,
  parseDocument,
} from './read/document.ts'
import { mentionedVariables } from './read/mentioned-variables.ts'
import { PlanContext, type Variables } from './read/plan-context.ts'
import type { GraphQLRequest, ValidationOptions } from './read/request.ts'
import { readVariables } from './read/variables.ts'
import type { Contribution, SchemaKind } from './schema/contribution.ts'
import { RoleSchema } from './schema/role-schema.ts'
import { type RoleSchemaKey, RoleSchemas } from './schema/role-schemas.ts'
import { checkWhole } from './schema/whole-schema.ts'
import type { CachedOperation, PlanOptions, VariablesOptions } from './service.ts'
import { fieldsChecked } from './tuning.ts'
import type { GraphQLHooks, PlanningWork } from './works.ts'

export interface PlannerOptions {
  readonly settings: RequestSettings
  readonly dialect: Dialect
  readonly database: Pick<Database, 'serverVersion'>
  readonly contributions: readonly Contribution[]
  /** The model being served. */
  readonly model: () => Model
  /** Called when two contributions provide the same field. */
  readonly report: (conflict: string) => void
  readonly hooks: Pick<GraphQLHooks, 'planning' | 'document'>
  readonly access: Pick<Access, 'of'>
}

function answeringTexts({ answeredBy }: PreparedOperation): string[] {
  const texts = [...answeredBy.values()].flatMap((statement) => (statement ? [statement.text] : []))
  return [...new Set(texts)]
}

export class GraphQLPlanner {
  readonly #options: PlannerOptions
  readonly #documents: DocumentCache
  readonly #cachePlans: boolean
  #schemas: RoleSchemas | null = null
  #reused = 0
  #made = 0
  readonly #cache = new PlanCache()

  constructor(options: PlannerOptions) {
    this.#options = options
    this.#documents = new DocumentCache(options.settings.queryPlanCacheSize, (document) => {
      for (const schema of this.#schemas?.all ?? []) this.#cache.forget(schema, document)
    })
    this.#cachePlans = options.settings.queryPlanCacheSize > 0
  }

  get plans(): { readonly reused: number; readonly made: number } {
    return { reused: this.#reused, made: this.#made }
  }

  cached(): CachedOperation[] {
    const documents = this.#documents.all
    return (this.#schemas?.all ?? []).flatMap((schema) =>
      documents.flatMap((document) =>
        this.#cache.of(schema, document).flatMap(({ operationName, prepared }) => {
          const plans = prepared.map((each) => ({ statements: answeringTexts(each) }))
          return plans.length > 0 ? [{ schema, document, operationName, plans }] : []
        }),
      ),
    )
  }

  plan(request: GraphQLRequest, session: Session, options: PlanOptions = {}): PlannedRequest {
    const around = this.#options.hooks.planning
    if (!around) return this.#plan(request, session, options)
    const work: PlanningWork = { request, session, cached: null }
    const made = this.#made
    return around(work, () => {
      const planned = this.#plan(request, session, options)
      work.cached = made === this.#made
      return planned
    })
  }

  #plan(request: GraphQLRequest, session: Session, options: PlanOptions): PlannedRequest {
    const document = this.#documents.get(request.query)
    const around = this.#options.hooks.document
    if (!around) return this.#planDocument(document, request, session, options)
    return around({ document, session, request }, () => this.#planDocument(document, request, session, options))
  }

  #planDocument(
    document: ParsedDocument,
    request: GraphQLRequest,
    session: Session,
    { schema: kind, model }: PlanOptions,
  ): PlannedRequest {
    if (model && model !== this.#options.model())
      return this.#planOnce(document, request, session, { schema: kind, model })
    const schema = this.schema(session.role, session.backendOnly, kind)
    const group = this.#cache.group(schema, document, request.operationName)
    const variables = readVariables(group.operation, request.variables, group.mentioned)
    let prepared = this.#cache.find(group, variables)
    if (prepared) this.#reused++
    else prepared = this.#prepare(schema, group, variables)
    return { schema, prepared, variables }
  }

  /** Plans on a model that is not served; nothing of it is kept. */
  #planOnce(
    document: ParsedDocument,
    request: GraphQLRequest,
    session: Session,
    { schema: kind = 'standard', model }: PlanOptions & { readonly model: Model },
  ): PlannedRequest {
    const { role, backendOnly } = session
    const schema = this.#schemaOf(model, { role, backendOnly, kind })
    const operation = chooseOperation(document, request.operationName)
    const variables = readVariables(operation, request.variables, mentionedVariables(operation))
    return { schema, prepared: prepareOperation(new PlanContext(schema, operation, variables)), variables }
  }

  /** Plans a request of the server itself in the served model; nothing of it is kept. */
  planAlone(query: string, session: Session): PlannedRequest {
    const request = { query, operationName: null, variables: {} }
    return this.#planOnce(parseDocument(query), request, session, { model: this.#options.model() })
  }

  operation({ query, operationName }: Pick<GraphQLRequest, 'query' | 'operationName'>): GraphQLOperation {
    return chooseOperation(this.#documents.get(query), operationName)
  }

  inspect(request: GraphQLRequest, session: Session, kind?: SchemaKind, model?: Model): InspectedOperation {
    const operation = this.operation(request)
    const schema = this.schema(session.role, session.backendOnly, kind, model)
    const variables = readVariables(operation, request.variables, mentionedVariables(operation))
    return inspectOperation(new PlanContext(schema, operation, variables))
  }

  validate(text: string, { role = 'admin', backendOnly = false }: ValidationOptions = {}, model?: Model): void {
    validateDocument(
      model ? this.#schemaOf(model, { role, backendOnly, kind: 'standard' }) : this.schema(role, backendOnly),
      text,
    )
  }

  variablesSchema(
    operation: GraphQLOperation,
    { role = 'admin', backendOnly = false, schema }: VariablesOptions = {},
  ): JsonSchema {
    return variablesSchema(this.schema(role, backendOnly, schema), operation)
  }

  /** A name that two types of an administrator's schemas share; null when all names are unique. */
  conflictingType(model: Model): string | null {
    for (const kind of ['standard', 'relay'] as const) {
      const schema = this.#schemaOf(model, { role: 'admin', backendOnly: false, kind }).anew()
      try {
        checkWhole(schema)
      } catch (error) {
        const name = schema.ambiguousTypeName()
        if (name === null) throw error
        return name
      }
    }
    return null
  }

  schema(role: string, backendOnly: boolean, kind: SchemaKind = 'standard', given?: Model): RoleSchema {
    const model = this.#options.model()
    if (given && given !== model) return this.#schemaOf(given, { role, backendOnly, kind })
    if (this.#schemas?.model !== model) {
      this.#schemas = this.#schemasFor(model)
      this.#cache.clear()
    }
    return this.#schemas.of({ role, backendOnly, kind })
  }

  /** Refuses contributed fields that no request can be served by; throws a `FieldFault`. */
  checkFields(): void {
    for (const kind of ['standard', 'relay'] as const) {
      this.#schemaOf(this.#options.model(), { role: 'admin', backendOnly: true, kind }).checkFields(fieldsChecked)
    }
  }

  #schemasFor(model: Model): RoleSchemas {
    const forget = (schema: RoleSchema) => {
      for (const document of this.#documents.all) this.#cache.forget(schema, document)
    }
    return new RoleSchemas(model, (key) => this.#schemaOf(model, key), forget)
  }

  #schemaOf(model: Model, of: RoleSchemaKey): RoleSchema {
    const { settings, dialect, contributions, database, report } = this.#options
    const { serverVersion } = database
    const access = this.#options.access.of(model, of)
    return new RoleSchema({ model, ...of, access, settings, dialect, contributions, serverVersion, report })
  }

  #prepare(schema: RoleSchema, group: PlanGroup, variables: Variables): PreparedOperation {
    this.#made++
    const context = new PlanContext(schema, group.operation, variables)
    const prepared = prepareOperation(context)
    if (this.#cachePlans && this.#documents.has(group.operation.text)) this.#cache.remember(group, prepared, context)
    return prepared
  }
}
