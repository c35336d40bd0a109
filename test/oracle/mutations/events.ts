// The events that a run of mutations must contain to be meaningful.

import type { Outcome } from './execute.ts'
import type { Mutation, MutationRoot } from './mutation.ts'

const kinds: readonly MutationRoot['kind'][] = [
  'typename',
  'insert',
  'insertOne',
  'update',
  'updateByKey',
  'delete',
  'deleteByKey',
]

/** The beginnings of messages. */
const refusals = [
  'Uniqueness violation.',
  'Foreign key violation. insert or update',
  'Foreign key violation. update or delete',
  'Not-NULL violation.',
  'Check constraint violation. new row',
  'Check constraint violation. insert check',
  'Check constraint violation. update check',
  'cannot proceed to insert',
  'cannot delete',
  'column found in multiple operators',
  'at least any one of',
]

export const expectedEvents: readonly string[] = [
  ...kinds.map((kind) => `done: ${kind}`),
  ...refusals.map((beginning) => `refused: ${beginning}`),
  'a row was inserted',
  'on_conflict had no conflict',
  'on_conflict updated a row',
  'on_conflict skipped a row',
  'on_conflict left a row alone',
  'a row came along that is referred to',
  'a row came along after the one that it is the object of',
  'rows came along that refer to theirs',
  'presets of an insert',
  'presets of an update',
  'a default by constant',
  'a default by sequence',
  'a default by double',
  'on delete cascade',
  'on delete set null',
  'on update cascade',
  'on update set null',
  'several fields',
  'several updates in one field',
  'a deferred check',
  'a row was returned that is gone or hidden',
  'a row was hidden in the place of being deleted',
  'on_conflict left a hidden row alone',
]

/** The events of an outcome. */
export function outcomeEvents({ roots }: Mutation, outcome: Outcome): readonly string[] {
  if (outcome.kind === 'done') return roots.map(({ kind }) => `done: ${kind}`)
  const { message } = outcome.refusals[0]!
  return [`refused: ${refusals.find((beginning) => message.startsWith(beginning)) ?? message}`]
}
