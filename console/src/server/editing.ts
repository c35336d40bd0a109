// Which operations edit: those are hidden and refused in read-only mode, and recorded.

/** An operation as the server takes it. */
export interface Operation {
  readonly type: string
  readonly args: unknown
  readonly version?: number
}

/** Operations that only read, as far as the page needs them before the server has told. */
const reading = /^(?:pg_)?(?:export|get|suggest|browse|select|count|search|diff|explain|introspect|simulate)(?:_|$)/

/** Whether operations edit, as the server tells: by type and version. */
const told = new Map<string, boolean | null>()

/** Takes the server's word on which operations edit. */
export function learnEditing(
  operations: readonly { readonly type: string; readonly version: number; readonly edits: boolean | null }[],
): void {
  for (const { type, version, edits } of operations) told.set(`${type} ${version}`, edits)
}

/** Whether an operation may change something. */
export function isEditing({ type, args, version = 1 }: Operation): boolean {
  if (type === 'bulk' || type.endsWith('_bulk') || type.startsWith('bulk_')) {
    return !Array.isArray(args) || args.some(isEditing)
  }
  const given = (args ?? {}) as Record<string, unknown>
  if (type === 'run_sql' || type === 'pg_run_sql') return given['read_only'] !== true
  if (type.endsWith('suggest_relationships')) return given['apply'] === true
  if (type === 'replace_metadata') return given['dry_run'] !== true
  return told.get(`${type} ${version}`) ?? !reading.test(type)
}

/** Operations on events, statements and versions of one server, which another one does not have. */
const ofOneServer = /^(?:pg_)?(?:redeliver_events?|test_webhook|cancel_sql|revert_metadata)$/

/** Whether an edit can be repeated on another server: a recording has these alone. */
export const isRepeatable = ({ type, args }: Operation): boolean =>
  type === 'bulk' && Array.isArray(args) ? args.every(isRepeatable) : !ofOneServer.test(type)
