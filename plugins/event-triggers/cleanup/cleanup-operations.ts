// Operations that clean up the event log, and that pause and resume scheduled clean-up.

import { type Static, Type } from '../../../sdk/index.ts'
import { type MetadataDocument, operation, requireSource } from '../../../sdk/metadata.ts'
import { requireEventTrigger, requireKnownTrigger } from '../lookup.ts'
import type { EventTrigger } from '../schema.ts'
import { cleanUp } from './cleanup.ts'
import { CleanupArgs, CleanupTriggersArgs, cleanupOf } from './cleanup-schema.ts'

export const cleanupEventTriggerLogs = operation({
  type: 'cleanup_event_trigger_logs',
  about: {
    summary: 'Deletes old events of an event trigger from the log.',
    result: Type.Object({
      message: Type.String(),
      deleted_event_logs: Type.Integer(),
      deleted_invocation_logs: Type.Integer(),
    }),
  },
  args: CleanupArgs,
  editsMetadata: false,
  async handle(context, { event_trigger_name: name, ...given }) {
    const { transaction } = context
    requireKnownTrigger(context, name)
    const { events, invocations } = await cleanUp(name, cleanupOf(given), {
      inTransaction: (work) => work(transaction),
    })
    return { message: 'success', deleted_event_logs: events, deleted_invocation_logs: invocations }
  },
})

type Chosen = Static<typeof CleanupTriggersArgs>['event_triggers']

/** Runs work on the selected configurations. If all triggers are selected, those without clean-up are skipped. */
function withCleanups(metadata: MetadataDocument, chosen: Chosen, work: (trigger: EventTrigger) => void): void {
  const names = chosenNames(chosen, metadata)
  if (names) for (const name of names) requireEventTrigger(metadata, name)
  for (const { event_triggers: triggers = [] } of metadata.tables) {
    for (const trigger of triggers) {
      if (trigger.cleanup_config && (!names || names.includes(trigger.name))) work(trigger)
    }
  }
}

/** Null: all. */
function chosenNames(chosen: Chosen, metadata: MetadataDocument): readonly string[] | null {
  if (Array.isArray(chosen)) {
    for (const { source_name: source } of chosen) requireSource(metadata, source)
    return chosen.flatMap(({ event_triggers }) => event_triggers)
  }
  if (chosen.sources !== '*') for (const source of chosen.sources) requireSource(metadata, source)
  return chosen.sources === '*' || chosen.sources.length > 0 ? null : []
}

export const pauseCleanups = operation({
  type: 'pause_event_trigger_cleanups',
  about: { summary: 'Pauses the clean-up of event triggers: their events stay in the log.' },
  args: CleanupTriggersArgs,
  check: 'new',
  handle({ metadata }, { event_triggers }) {
    withCleanups(metadata, event_triggers, ({ cleanup_config: cleanup }) => {
      if (cleanup) cleanup.paused = true
    })
  },
})

export const resumeCleanups = operation({
  type: 'resume_event_trigger_cleanups',
  about: { summary: 'Resumes the clean-up of event triggers, which deletes old events from the log.' },
  args: CleanupTriggersArgs,
  check: 'new',
  handle({ metadata }, { event_triggers }) {
    withCleanups(metadata, event_triggers, ({ cleanup_config: cleanup }) => {
      if (cleanup) delete cleanup.paused
    })
  },
})
