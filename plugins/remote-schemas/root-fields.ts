// Root fields of remote schemas in roles' schemas, and their plans.

import {
  type GraphQLFieldConfig,
  type GraphQLObjectType,
  isNonNullType,
  GraphQLObjectType as ObjectType,
} from 'graphql'
import {
  answered,
  type CallGroup,
  type Contribution,
  type FeedPlanner,
  type FieldSelection,
  type GroupedCall,
  type PlanContext,
  type ResolvedPlanner,
  type RootFields,
  type SchemaScope,
} from '../../sdk/graphql.ts'
import { renamedOf } from './ask/answer-shape.ts'
import { type FieldAnswer, prefixBeside, presetVariable, type Question, type RemotePlan } from './ask/questions.ts'
import { RequestText } from './ask/request-text.ts'
import { restored } from './ask/restored.ts'
import type { RemoteSchemaModel } from './metadata.ts'
import { namespaceType, type RootKind, rootFieldNames } from './types/remote-types.ts'
import { RoleTypes } from './types/role-types.ts'
import type { RemoteView } from './types/view.ts'

type Field = GraphQLFieldConfig<unknown, unknown>

/** Plans a root field. */
export type PlanField = (field: FieldSelection, context: PlanContext) => RemotePlan

/** The services that fields of remote schemas need. */
export interface RemoteFieldsOptions {
  /** The part of a remote schema that a role sees; null if it sees none of it. */
  viewOf(remote: RemoteSchemaModel, scope: SchemaScope): RemoteView | null
  groupOf(remote: RemoteSchemaModel): CallGroup<RemotePlan>
  /** The feed of a subscription field; `plan` plans its text. */
  feedOf(remote: RemoteSchemaModel, plan: PlanField): FeedPlanner<RemotePlan>
  readonly isPartial: boolean
  readonly skipsNulls: boolean
}

/** Contribution: the root fields of all remote schemas that the role sees. */
export function remoteContribution(options: RemoteFieldsOptions): Contribution {
  const fieldsOf = (scope: SchemaScope, kind: RootKind): RootFields => {
    const fields = new Map<string, () => Field>()
    for (const remote of scope.model.slices.remote_schemas?.values() ?? []) {
      const view = options.viewOf(remote, scope)
      if (view && !remote.isHidden) addFields(fields, { scope, remote, view, kind, options })
    }
    return fields
  }
  return {
    name: 'remote-schemas',
    schemas: ['standard'],
    mayRepeatRows: ({ model }) => (model.slices.remote_schemas?.size ?? 0) > 0,
    query: (scope) => fieldsOf(scope, 'query'),
    mutation: (scope) => fieldsOf(scope, 'mutation'),
    subscription: (scope) => fieldsOf(scope, 'subscription'),
  }
}

interface Adding {
  readonly scope: SchemaScope
  readonly remote: RemoteSchemaModel
  readonly view: RemoteView
  readonly kind: RootKind
  readonly options: RemoteFieldsOptions
}

function addFields(fields: Map<string, () => Field>, { scope, remote, view, kind, options }: Adding): void {
  const root = view.root(kind)
  if (!root) return
  const { names, schema } = view.types
  const types = new RoleTypes(scope, view)
  const served = new Set(rootFieldNames(schema, kind))
  const visible = view.fields(root).filter(({ name }) => served.has(name))
  const made = visible.map(
    (field) => [names.localField(root.name, field.name), () => types.field(root, field)] as const,
  )
  const asking = { view, root, skipsNulls: options.skipsNulls }
  const planner =
    kind === 'subscription'
      ? options.feedOf(remote, (field, context) => rootPlan(field, asking, context))
      : rootPlanner(options.groupOf(remote), { ...asking, isPartial: options.isPartial })
  if (names.namespace === null) {
    for (const [name, make] of made) {
      // Subscription fields of the same name: the older schema's is served. Other names are unique.
      if (!fields.has(name)) fields.set(name, () => ({ ...make(), extensions: { root: planner } }))
    }
    return
  }
  if (made.length === 0) return
  const typeName = namespaceType(names, kind)
  fields.set(names.namespace, () => ({
    type: scope.type(typeName, () => {
      const all = () => Object.fromEntries(made.map(([name, make]) => [name, make()]))
      return new ObjectType({ name: typeName, fields: all })
    }),
    extensions: { root: planner },
  }))
}

interface Asking {
  readonly view: RemoteView
  readonly skipsNulls: boolean
  readonly root: GraphQLObjectType
}

const rootPlanner = (
  group: CallGroup<RemotePlan>,
  { isPartial, ...asking }: Asking & { readonly isPartial: boolean },
): ResolvedPlanner => ({
  kind: 'resolved',
  membersBy: 'response name',
  partial: isPartial,
  group,
  plan: (field, context) => rootPlan(field, asking, context),
})

/** The plan of a root field, whose texts are made once for all requests that share it. */
function rootPlan(field: FieldSelection, { view, root, skipsNulls }: Asking, { operation }: PlanContext): RemotePlan {
  const prefix = prefixBeside(operation.variables.keys(), 'preset_')
  const isHolder = view.types.names.namespace !== null
  const asked = (isHolder ? field.fields() : [field]).filter(({ definition }) => definition !== null)
  const textsOf = (tellTypes: boolean, index: number) => {
    const prefixes = { presetPrefix: `${prefix}${index}_`, fragmentPrefix: `selected_${index}_` }
    const text = new RequestText(view, { tellTypes, ...prefixes, skipsNulls })
    const written = asked.map((each) => text.field(each, root))
    const fields = asked.map(({ responseName: alias }, i) => ({ alias, text: written[i]!.text, variables: [] }))
    const renamed = written.map(({ shape }) => renamedOf(shape.members))
    return { text, fields, renamed, values: fields.map(() => []) }
  }
  const made = new Map<string, ReturnType<typeof textsOf>>()
  // Printing knows the fields of the role, so hidden ones are refused at planning time.
  made.set('whole 0', textsOf(false, 0))
  return {
    view,
    skipsNulls,
    fields: asked.length,
    ask({ session }: GroupedCall, { index, isWhole }): Question {
      const key = `${isWhole ? 'whole' : 'part'} ${index}`
      let texts = made.get(key)
      if (!texts) {
        texts = textsOf(!isWhole, index)
        made.set(key, texts)
      }
      const { text, fields, renamed, values } = texts
      return {
        fields,
        values,
        texts,
        own: text.arguments.presets.map((preset) => presetVariable(preset, session)),
        variables: text.arguments.variables,
        fragments: text.fragments,
        isExact: text.isExact,
        result(given) {
          const answers = given.map((answer, i) => restored(answer, renamed[i]!))
          return isHolder ? heldResult(asked, answers) : fieldResult(field, answers[0]!)
        },
      }
    },
  }
}

function fieldResult({ definition }: FieldSelection, { value, errors, isDataLost }: FieldAnswer): unknown {
  if (errors.length > 0) return answered(value, { errors })
  // The failed field is another one; being non-null, this field has to end the answer as well.
  return isDataLost && isNonNullType(definition?.type) ? answered(null, { endsAnswer: true }) : value
}

/** The object of a namespace, made of the answers to its fields. */
function heldResult(asked: readonly FieldSelection[], answers: readonly FieldAnswer[]): unknown {
  const members = asked.map(({ responseName }, i) => [responseName, answers[i]!.value] as const)
  const errors = answers.flatMap((answer, i) =>
    answer.errors.map((error) => (error.path ? { ...error, path: [asked[i]!.responseName, ...error.path] } : error)),
  )
  // A failed non-null field makes its siblings null, and the object of the namespace.
  const isLost =
    errors.length > 0 &&
    answers.every(({ value }) => value === null) &&
    asked.some(({ definition }) => isNonNullType(definition?.type))
  return answered(isLost ? null : Object.fromEntries(members), { errors })
}
