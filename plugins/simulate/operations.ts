// `simulate`: the effects of changes of the metadata and the database, without the changes.

import { type Engine, type Static, Type } from '../../sdk/index.ts'
import {
  type Inconsistency,
  type InterfaceName,
  inconsistencyJson,
  inconsistentObjects,
  type Model,
  ObjectName,
  type OperationContext,
  objectKey,
  operation,
  type Trial,
  wordingOf,
} from '../../sdk/metadata.ts'
import { inTurns } from '../../sdk/services.ts'
import { type CompareSchemas, Differences } from '../role-schemas/index.ts'
import { Asked, ask, refuseReaders, refuseUnclear, sessionOf, shownOutcome } from './asking.ts'
import { longestSimulation, mostAsked, mostChanges, mostDifferences, mostRoles } from './tuning.ts'

const SimulateArgs = Type.Object({
  /** Changes that come first: the state before the others has them. */
  given: Type.Optional(Type.Array(Type.Unknown())),
  changes: Type.Array(Type.Unknown()),
  ask: Type.Optional(Type.Array(Asked, { maxItems: mostAsked })),
  timeout: Type.Optional(Type.Number({ minimum: 0.001, maximum: longestSimulation })),
  schemas_of: Type.Optional(Type.Array(ObjectName, { maxItems: mostRoles })),
})

const Outcome = Type.Union(
  [
    Type.Object({ result: Type.Unknown() }),
    Type.Object({ error: Type.Object({ path: Type.String(), error: Type.String(), code: Type.String() }) }),
  ],
  { title: 'SimulatedAnswer' },
)

const Simulation = Type.Object(
  {
    results: Type.Array(Type.Unknown()),
    answers: Type.Array(Type.Object({ before: Outcome, after: Outcome })),
    patch: Type.Array(Type.Object({ part: Type.String() }, { additionalProperties: true })),
    more_changes: Type.Boolean(),
    new_inconsistencies: Type.Array(Type.Object({}, { additionalProperties: true })),
    schemas: Type.Array(Type.Composite([Type.Object({ role: Type.String() }), Differences])),
  },
  { title: 'Simulation' },
)

/** The format of documents in an interface. */
const formatOf = (answers: InterfaceName) => (answers === '2' ? 3 : 2)

type State = Pick<Trial, 'metadata' | 'model'>

/** The state that the request has reached. */
async function stateNow({ session, trial }: OperationContext): Promise<State> {
  const states: State[] = []
  const { error } = await trial(session, async ({ metadata, model }) => {
    states.push({ metadata, model })
  })
  if (error) throw error
  return states[0]!
}

/** The parts that differ, as the history of the metadata shows them. */
async function patchBetween({ parts, format, interface: answers }: OperationContext, before: State, after: State) {
  const changes = await inTurns(parts.changes(before.metadata, after.metadata))
  const version = formatOf(answers)
  const patch = changes.slice(0, mostChanges).map(({ place, before, after }) => ({
    ...place,
    before: format.writePart(place, before, version),
    after: format.writePart(place, after, version),
  }))
  return { patch, more_changes: changes.length > patch.length }
}

const keysOf = (inconsistency: Inconsistency) => inconsistentObjects(inconsistency).map(({ ref }) => objectKey(ref))

/** Objects that are inconsistent after the changes only. */
function newInconsistencies({ dialect, ...context }: OperationContext, before: Model, after: Model) {
  const known = new Set(before.inconsistencies.flatMap(keysOf))
  const found = after.inconsistencies.filter((each) => keysOf(each).some((key) => !known.has(key)))
  const form = { dialect, wording: wordingOf(after, context) }
  return found.map((each) => inconsistencyJson(each, form))
}

/** Tries requests in the state that the request has reached. */
async function answersNow(
  { dialect, trial }: OperationContext,
  asked: NonNullable<Static<typeof SimulateArgs>['ask']>,
  graphql: Engine['graphql'],
): Promise<readonly unknown[]> {
  const answers: unknown[] = []
  for (const [i, request] of asked.entries()) {
    const session = sessionOf(request, dialect, ['ask', i])
    answers.push(shownOutcome(await trial(session, (state) => ask(request, session, state, graphql))))
  }
  return answers
}

export const simulate = ({ graphql }: Pick<Engine, 'graphql'>, compare: CompareSchemas) =>
  operation({
    type: 'simulate',
    about: {
      summary: 'Tries changes, and shows their effects on answers, metadata and schemas; nothing of it stays.',
      result: Simulation,
    },
    args: SimulateArgs,
    access: 'READ WRITE',
    editsMetadata: false,
    mixesAccess: true,
    mayBeLarge: ['given', 'changes'],
    rollsBack: true,
    timeLimit: ({ timeout = longestSimulation }) => timeout * 1000,
    isDryRun: () => true,
    members: ({ given = [], changes }) => [
      ...given.map((envelope, i) => ({ at: ['given', i], envelope })),
      ...changes.map((envelope, i) => ({ at: ['changes', i], envelope })),
    ],
    async handle(context, { given = [], changes, ask: asked = [], schemas_of: roles = [] }) {
      refuseReaders(context.session)
      for (const [i, request] of asked.entries()) refuseUnclear(request, ['ask', i])
      for (const i of given.keys()) await context.runMember(i)
      const before = await stateNow(context)
      const answersBefore = await answersNow(context, asked, graphql)
      const results: unknown[] = []
      for (const i of changes.keys()) results.push(await context.runMember(given.length + i))
      const after = await stateNow(context)
      const answersAfter = await answersNow(context, asked, graphql)
      const schemas = []
      for (const role of roles) {
        const schemaOf = ({ model }: State) => graphql.schema(role, false, 'standard', model)
        schemas.push({ role, ...(await compare(schemaOf(before), schemaOf(after), mostDifferences)) })
      }
      return {
        results,
        answers: answersBefore.map((answer, i) => ({ before: answer, after: answersAfter[i] })),
        ...(await patchBetween(context, before, after)),
        new_inconsistencies: newInconsistencies(context, before.model, after.model),
        schemas,
      }
    },
  })
