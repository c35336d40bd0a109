// The plan of a subscription, run for many subscribers at once.

import { bindInputs, bindParams, requireSessionVariables } from '../../compiler/run/bind.ts'
import { encodeArray } from '../../compiler/types/codecs.ts'
import type { Database, ManyOptions } from '../../database/database.ts'
import type { Session } from '../../session/session.ts'
import type { PlannedRequest, PreparedBatch, PreparedOperation } from '../plan/prepared.ts'

/** A subscriber of a batch, with its own values for the statement. */
export interface BatchMember {
  /** A UUID. */
  readonly id: string
  /** The result of {@link batchValues}. */
  readonly values: string
}

/** The values of one subscriber as a JSON array; refuses wrong values. Equal values lead to equal answers. */
export function batchValues({ prepared, variables }: PlannedRequest, session: Session): string {
  const bound = bindInputs(prepared.inputs, { variables, session })
  requireSessionVariables(prepared.sessionVariables, session)
  return JSON.stringify(bindParams(batchOf(prepared).memberParams, { variables, session, bound }))
}

/** The answers of subscribers with the same plan, `{"data":{…}}`, by id; one statement serves all. */
export async function answerBatch(
  database: Pick<Database, 'answerMany'>,
  prepared: PreparedOperation,
  members: readonly BatchMember[],
  options: ManyOptions = {},
): Promise<ReadonlyMap<string, Buffer | string>> {
  const batch = batchOf(prepared)
  const slots = [[encodeArray(members.map(({ id }) => id)), encodeArray(members.map(({ values }) => values))]]
  const values = batch.params.map((source) => (source.from === 'slot' ? slots[source.slot]![source.column]! : null))
  const rows = await database.answerMany(batch, values, options)
  return new Map(rows.map(([id, answer]) => [String(id), answer ?? batch.whenEmpty]))
}

function batchOf({ batch }: PreparedOperation): PreparedBatch {
  if (!batch) throw new Error('only subscriptions can be answered in batches')
  return batch
}
