// The sender of a data operation, and the printer of its statements.

import type { Engine, QualifiedName } from '../../sdk/index.ts'
import { type OperationContext, sourceName } from '../../sdk/metadata.ts'
import type { PrinterOptions } from '../../sdk/sql.ts'
import { Caller } from './caller.ts'
import type { TableOffers } from './offered-tables.ts'

export interface DataOptions {
  readonly access: Engine['access']
  /** The tables beside the tracked ones. */
  readonly offers: TableOffers
}

/** The sender of a request about a table. Offered tables may show the metadata, earlier members of a bulk included. */
export async function callerOf(
  context: OperationContext,
  table: QualifiedName,
  { access, offers }: DataOptions,
): Promise<Caller> {
  const { session, model, dialect, settings } = context
  const offered = offers.modelFor(table, session, model)
  if (offered) await context.storeEdits()
  const served = offered ?? model
  return new Caller({
    session,
    dialect,
    settings,
    source: sourceName(model.slices),
    access: access.of(served, session),
  })
}

export const printerOptions = ({ catalog, settings }: OperationContext): PrinterOptions => ({
  stringifyNumbers: settings.stringifyNumericTypes,
  serverVersion: catalog.serverVersion,
})
