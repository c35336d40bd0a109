// Objects that are stored but not served.

import { Type } from '../../sdk/index.ts'
import {
  inconsistencyJson,
  inconsistentObjects,
  NoArguments,
  type OperationContext,
  operation,
  wordingOf,
} from '../../sdk/metadata.ts'
import { namedValues, shownState } from './shown-state.ts'

const InconsistentObject = Type.Union(
  [
    Type.Object({ type: Type.String(), definition: Type.Unknown(), reason: Type.String() }),
    Type.Object({
      reason: Type.String(),
      objects: Type.Array(Type.Object({ type: Type.String(), definition: Type.Unknown() })),
    }),
  ],
  { title: 'InconsistentObject' },
)

const InconsistentObjects = Type.Array(InconsistentObject)

export const ConsistencyReport = Type.Object(
  { is_consistent: Type.Boolean(), inconsistent_objects: InconsistentObjects },
  { title: 'ConsistencyReport' },
)

/** `{is_consistent, inconsistent_objects}`: the state of the metadata. */
export const consistencyReport = (context: Pick<OperationContext, 'model' | 'dialect' | 'interface'>) => ({
  is_consistent: context.model.inconsistencies.length === 0,
  inconsistent_objects: context.model.inconsistencies.map((each) => inconsistencyJson(each, listingForm(context))),
})

/** The form in which an answer lists inconsistent objects. */
export const listingForm = (context: Pick<OperationContext, 'model' | 'dialect' | 'interface'>) => ({
  dialect: context.dialect,
  wording: wordingOf(context.model, context),
})

export const getInconsistentMetadata = operation({
  type: 'get_inconsistent_metadata',
  about: {
    summary: 'Lists stored objects that cannot be served, with the reasons.',
    result: ({ dialect }) =>
      dialect.inconsistencies === 'report' ? ConsistencyReport : Type.Union([InconsistentObjects, ConsistencyReport]),
  },
  args: NoArguments,
  editsMetadata: false,
  onlyReads: true,
  handle(context) {
    const report = consistencyReport(context)
    const isReport = context.dialect.inconsistencies === 'report' || context.interface === '2'
    return isReport ? report : report.inconsistent_objects
  },
})

export const dropInconsistentMetadata = operation({
  type: 'drop_inconsistent_metadata',
  about: { summary: 'Removes all inconsistent objects from the metadata.' },
  args: NoArguments,
  check: 'strict',
  handle({ model, remove }) {
    // The list puts objects that others depend on first.
    const objects = model.inconsistencies.flatMap(inconsistentObjects)
    for (const { ref } of objects.toReversed()) remove(ref)
  },
})

/** The inspection of the served state; `environment` returns the variables that the metadata refers to. */
export const dumpInternalState = (environment: (name: string) => string | undefined) =>
  operation({
    type: 'dump_internal_state',
    about: {
      summary: 'Shows the served state for inspection; its shape may change.',
      result: Type.Object({}, { additionalProperties: true }),
    },
    args: NoArguments,
    editsMetadata: false,
    onlyReads: true,
    handle: ({ model, catalog, metadata }) =>
      shownState({ ...model, serverVersion: catalog.serverVersion }, namedValues(metadata, environment)),
  })
