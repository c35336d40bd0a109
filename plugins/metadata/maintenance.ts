// `--enable-maintenance-mode`: the document stays as it is, while the server goes on serving it.

import { badRequest } from '../../sdk/index.ts'
import type { ChangeRecorder } from '../../sdk/metadata.ts'

/**
 * Refuses each change of the document, in the transaction that would store it. The request is refused for its effect, so
 * SQL that leaves the metadata as they are, and reading the database again, still work.
 */
export const refuseChanges: ChangeRecorder = async () => {
  throw badRequest('not-supported', 'metadata cannot be modified in maintenance mode')
}
