// GraphQL requests: parse, plan, run. Documents, role schemas and plans are cached; a plan serves all requests of a role
// whose variables have the same shape.

import { isDeepStrictEqual } from 'node:util'
import type { GraphQLInputType } from 'graphql'
import type { Access } from '../access/access.ts'
import { type BoundInputs, bindInputs, bindParams, requireSessionVariables } from '../compiler/bind.ts'
import type { Database, ReadOptions } from '../database/database.ts'
import { badRequest, type TrellisError } from '../errors/errors.ts'
import type { QueryLog } from '../log/observe.ts'
import type { Model } from '../metadata/document/model.ts'
import type { Dialect } from '../names/dialect.ts'
import type { Session } from '../session/session.ts'
import type { SessionSettings } from '../session/session-settings.ts'
import type { RequestSettings } from './options.ts'
import { type InspectedOperation, inspectOperation } from './plan/inspect.ts'
import { KeptPlans, type PlansByShape } from './plan/kept-plans.ts'
import { type PlannedRequest, type PreparedOperation, prepareOperation } from './plan/prepared.ts'
import { checkRoot, validateDocument } from './plan/validate.ts'
import { chooseOperation, DocumentCache, type GraphQLOperation, type ParsedDocument } from './read/document.ts'
import { type Dependence, PlanContext, type Variables } from './read/plan-context.ts'
import type { GraphQLRequest, ValidationOptions } from './read/request.ts'
import {
  mentionedVariables,
  readVariables,
  type VariableAspect,
  variableAspects,
  variablesShape,
} from './read/variables.ts'
import { answerBatch, type BatchMember, batchValues } from './run/batch.ts'
import { runOperation } from './run/execute.ts'
import type { ExecutionContext } from './run/execution-context.ts'
import { type SubscriptionRun, SubscriptionRunner } from './run/run-subscription.ts'
import { withinTransaction } from './run/within-transaction.ts'
import type { Contribution, SchemaKind } from './schema/contribution.ts'
import { wholeSchema } from './schema/introspection.ts'
import { RoleSchema } from './schema/role-schema.ts'
import { type RoleSchemaKey, RoleSchemas } from './schema/role-schemas.ts'
import type { CachedOperation, GraphQLService, PlanOptions, RequestExtras, SubscriptionExtras } from './service.ts'
import type { GraphQLHooks, OperationWork, PlanningWork } from './works.ts'

/** Plans that one operation may have for shapes of variables that differ in the same respects. */
const plansPerVariant = 64

/** So often a request is planned and run again because the metadata, and the database, have changed. */
const mostRenewals = 3

/** Sets of respects in which the shapes of one operation's variables may differ. */
const variantsPerOperation = 8

/** A shape longer than this is not worth remembering. */
const maxShape = 4096

/** Plans that depend on the same about the variables. */
interface PlanVariant {
  readonly dependences: ReadonlyMap<string, Dependence>
  /** They follow from these, and from the types of the group. */
  aspects: readonly VariableAspect[]
  readonly plans: PlansByShape
}

/** The plans of one operation for one role. */
interface PlanGroup {
  readonly operation: GraphQLOperation
  /** Names of the variables in its text. */
  readonly mentioned: ReadonlySet<string>
  /** Of the variables that were planned with. */
  readonly types: Map<string, GraphQLInputType>
  readonly variants: PlanVariant[]
}

export interface GraphQLEngineOptions {
  readonly settings: RequestSettings
  readonly dialect: Dialect
  readonly database: Database
  readonly contributions: readonly Contribution[]
  /** The model being served. */
  readonly model: () => Model
  /** Whether a statement of a model failed because another model fits the database by now; that is served then. */
  readonly isOutdated: (model: Model, error: unknown) => Promise<boolean>
  /** Told of fields that two contributions give. */
  readonly report: (conflict: string) => void
  readonly sessionSettings: Pick<SessionSettings, 'of'>
  readonly hooks: GraphQLHooks
  readonly access: Pick<Access, 'of'>
  /** An error as clients may see it; what nobody foresaw is logged. */
  readonly toAnswerable: (error: unknown) => TrellisError
}

interface Given {
  readonly session: Session
  readonly signal: AbortSignal | null
  readonly extras: RequestExtras
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

/** An answer is sent once: whoever serves more than one asks by {@link GraphQLEngine.answerBatch}. */
const subscriptionRefused = () =>
  badRequest('unexpected-payload', 'subscriptions are not supported over HTTP, use websockets instead')

/** Refuses wrong values and missing session variables, in this order; a lone statement looks at its values itself. */
function bindAhead({ prepared, variables }: PlannedRequest, session: Session): BoundInputs | undefined {
  const { sessionVariables, inputs, whole, direct } = prepared
  const isLacking = sessionVariables.some((name) => !Object.hasOwn(session.variables, name))
  const bound = (whole || direct) && !isLacking ? undefined : bindInputs(inputs, { variables, session })
  if (isLacking) requireSessionVariables(sessionVariables, session)
  return bound
}

/** Whether all that a failed run has done is undone: what a mutation has other servers do is not. */
const mayRunAgain = ({ operation, calls }: PreparedOperation): boolean => operation.kind === 'query' || calls === null

function answeringTexts({ answeredBy }: PreparedOperation): string[] {
  const texts = [...answeredBy.values()].flatMap((statement) => (statement ? [statement.text] : []))
  return [...new Set(texts)]
}

export class GraphQLEngine implements GraphQLService {
  readonly #options: GraphQLEngineOptions
  readonly #documents: DocumentCache
  readonly #cachePlans: boolean
  #schemas: RoleSchemas | null = null
  #reused = 0
  #made = 0
  readonly #kept = new KeptPlans()
  readonly #groups = new WeakMap<RoleSchema, WeakMap<ParsedDocument, Map<string | null, PlanGroup>>>()

  constructor(options: GraphQLEngineOptions) {
    this.#options = options
    this.#documents = new DocumentCache(options.settings.queryPlanCacheSize, (document) => {
      for (const schema of this.#schemas?.all ?? []) this.#forgetPlans(schema, document)
    })
    this.#cachePlans = options.settings.queryPlanCacheSize > 0
  }

  get plans(): { readonly reused: number; readonly made: number } {
    return { reused: this.#reused, made: this.#made }
  }

  cached(): CachedOperation[] {
    const schemas = this.#schemas?.all ?? []
    const documents = this.#documents.all
    return schemas.flatMap((schema) =>
      documents.flatMap((document) => {
        const groups = [...(this.#groups.get(schema)?.get(document) ?? [])]
        return groups.flatMap(([operationName, group]) => {
          const kept = group.variants.flatMap(({ plans }) => [...plans.values()])
          const plans = kept.map(({ prepared }) => ({ statements: answeringTexts(prepared) }))
          return plans.length > 0 ? [{ schema, document, operationName, plans }] : []
        })
      }),
    )
  }

  execute(request: GraphQLRequest, session: Session, extras: RequestExtras): Promise<Buffer | string> {
    return this.operate({ request, session }, (work) => this.#execute(work, extras))
  }

  operate<T>(
    { request, session }: Pick<OperationWork, 'request' | 'session'>,
    run: (work: OperationWork) => Promise<T>,
  ): Promise<T> {
    const work: OperationWork = { request, session, operation: null, prepared: null, signal: null }
    const around = this.#options.hooks.operation
    if (!around) return run(work)
    try {
      return around(work, () => run(work))
    } catch (error) {
      return Promise.reject(error)
    }
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

  /** What fails at once is heard of by the promise, too. It is not async itself: each promise that hands an answer on costs a microsecond. */
  #execute(work: OperationWork, extras: RequestExtras, left = mostRenewals): Promise<Buffer | string> {
    try {
      const { request, session } = work
      const planned = this.plan(request, session, extras)
      work.prepared = planned.prepared
      work.operation = planned.prepared.operation
      if (planned.prepared.operation.kind === 'subscription') throw subscriptionRefused()
      const context = this.#context(planned, { session, signal: work.signal, extras })
      extras.onPlanned?.(generatedSql(planned, session))
      return runOperation(context, async (error) => {
        if (left === 0 || extras.transaction || !mayRunAgain(planned.prepared)) throw error
        if (!(await this.#options.isOutdated(planned.schema.model, error))) throw error
        return this.#execute(work, extras, left - 1)
      })
    } catch (error) {
      return Promise.reject(error)
    }
  }

  #context(planned: PlannedRequest, { session, signal, extras }: Given): ExecutionContext {
    const { database, dialect, sessionSettings, toAnswerable } = this.#options
    const { headers, whenUnwanted = null, response = null, showInternal = false } = extras
    return {
      database: extras.transaction ? withinTransaction(extras.transaction) : database,
      dialect,
      session,
      sessionSettings,
      // Of all headers only `set-cookie` can be a list, which no request has.
      headers: headers as ExecutionContext['headers'],
      signal,
      whenUnwanted,
      bound: bindAhead(planned, session),
      callArguments: planned.prepared.calls?.bind(planned.variables) ?? null,
      toAnswerable,
      showInternal,
      response,
      schema: planned.schema,
      prepared: planned.prepared,
      variables: planned.variables,
    }
  }

  subscriptionRun(planned: PlannedRequest, session: Session, { headers, signal }: SubscriptionExtras): SubscriptionRun {
    return new SubscriptionRunner(this.#context(planned, { session, signal, extras: { headers } }))
  }

  batchValues(planned: PlannedRequest, session: Session): string {
    return batchValues(planned, session)
  }

  async answerBatch(
    prepared: PreparedOperation,
    members: readonly BatchMember[],
    options: ReadOptions = {},
  ): Promise<ReadonlyMap<string, Buffer | string>> {
    const { database, model, isOutdated } = this.#options
    const before = model()
    try {
      return await answerBatch(database, prepared, members, options)
    } catch (error) {
      // By the model, whoever asked sees then that its plan is an old one.
      await isOutdated(before, error)
      throw error
    }
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
    { schema: kind }: PlanOptions,
  ): PlannedRequest {
    const schema = this.schema(session.role, session.backendOnly, kind)
    const group = this.#group(schema, document, request.operationName)
    const variables = readVariables(group.operation, request.variables, group.mentioned)
    let prepared = findPlan(group, variables)
    if (prepared) this.#reused++
    else prepared = this.#prepare(schema, group, variables)
    return { schema, prepared, variables }
  }

  operation({ query, operationName }: Pick<GraphQLRequest, 'query' | 'operationName'>): GraphQLOperation {
    return chooseOperation(this.#documents.get(query), operationName)
  }

  inspect(request: GraphQLRequest, session: Session, kind?: SchemaKind): InspectedOperation {
    const operation = this.operation(request)
    const schema = this.schema(session.role, session.backendOnly, kind)
    const variables = readVariables(operation, request.variables, mentionedVariables(operation))
    return inspectOperation(new PlanContext(schema, operation, variables))
  }

  validate(text: string, { role = 'admin', backendOnly = false }: ValidationOptions = {}, model?: Model): void {
    validateDocument(
      model ? this.#schemaOf(model, { role, backendOnly, kind: 'standard' }) : this.schema(role, backendOnly),
      text,
    )
  }

  /** A name that several types of an administrator's schemas have; null: there is none. */
  conflictingType(model: Model): string | null {
    for (const kind of ['standard', 'relay'] as const) {
      const schema = this.#schemaOf(model, { role: 'admin', backendOnly: false, kind })
      try {
        wholeSchema(schema)
      } catch (error) {
        const name = schema.ambiguousTypeName()
        if (name === null) throw error
        return name
      }
    }
    return null
  }

  schema(role: string, backendOnly: boolean, kind: SchemaKind = 'standard'): RoleSchema {
    const model = this.#options.model()
    if (this.#schemas?.model !== model) {
      this.#schemas = this.#schemasFor(model)
      this.#kept.clear()
    }
    return this.#schemas.of({ role, backendOnly, kind })
  }

  #schemasFor(model: Model): RoleSchemas {
    const forget = (schema: RoleSchema) => {
      for (const document of this.#documents.all) this.#forgetPlans(schema, document)
    }
    return new RoleSchemas(model, (key) => this.#schemaOf(model, key), forget)
  }

  #schemaOf(model: Model, of: RoleSchemaKey): RoleSchema {
    const { settings, dialect, contributions, database, report } = this.#options
    const { serverVersion } = database
    const access = this.#options.access.of(model, of)
    return new RoleSchema({ model, ...of, access, settings, dialect, contributions, serverVersion, report })
  }

  /** Nobody finds plans by a schema or a document that gave way to others. */
  #forgetPlans(schema: RoleSchema, document: ParsedDocument): void {
    for (const { variants } of this.#groups.get(schema)?.get(document)?.values() ?? []) {
      for (const { plans } of variants) this.#kept.removeAll(plans)
    }
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
      checkRoot(schema, operation)
      group = { operation, mentioned: mentionedVariables(operation), types: new Map(), variants: [] }
      byName.set(operationName, group)
    }
    return group
  }

  #prepare(schema: RoleSchema, group: PlanGroup, variables: Variables): PreparedOperation {
    this.#made++
    const context = new PlanContext(schema, group.operation, variables)
    const prepared = prepareOperation(context)
    if (this.#cachePlans && this.#documents.has(group.operation.text))
      rememberPlan(group, prepared, context, this.#kept)
    return prepared
  }
}

function findPlan({ variants }: PlanGroup, variables: Variables): PreparedOperation | undefined {
  for (const { aspects, plans } of variants) {
    const kept = plans.get(variablesShape(aspects, variables))
    if (kept) return kept.prepared
  }
  return undefined
}

function rememberPlan(group: PlanGroup, prepared: PreparedOperation, context: PlanContext, kept: KeptPlans): void {
  const { operation, types, variants } = group
  const { dependences, variableTypes, variables } = context
  for (const [name, type] of variableTypes) types.set(name, type)
  for (const each of variants) each.aspects = variableAspects(operation, { dependences: each.dependences, types })
  const aspects = variableAspects(operation, { dependences, types })
  const shape = variablesShape(aspects, variables)
  if (shape.length > maxShape) return
  let variant = variants.find((each) => isDeepStrictEqual(each.dependences, dependences))
  if (!variant) {
    variant = { dependences, aspects, plans: new Map() }
    if (variants.length >= variantsPerOperation) kept.removeAll(variants.shift()!.plans)
    variants.push(variant)
  }
  kept.add({ plans: variant.plans, shape, prepared }, plansPerVariant)
}
