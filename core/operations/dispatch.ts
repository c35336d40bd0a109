// Running decoded calls inside one transaction, members of a bulk one after another.

import type { Transaction } from '../database/transaction.ts'
import { type ErrorHelp, TrellisError, toTrellisError } from '../errors/errors.ts'
import type { MetadataState, Workspace } from '../metadata/workspace.ts'
import type { Session } from '../session/session.ts'
import { type Call, editsMetadata } from './envelope.ts'
import type { OperationContext } from './operation.ts'

/** What the calls of one request share. */
export interface Run {
  readonly session: Session
  readonly transaction: Transaction
  /** What editing operations work on; null when none of the request edits. */
  readonly workspace: Workspace | null
  /** What is read while nothing was edited. */
  readonly state: MetadataState
  /** Filled by handlers. */
  readonly afterCommit: (() => void | Promise<void>)[]
}

const success = { message: 'success' } as const

/** The result of a call; errors carry the path of the wire. */
export async function runCall(call: Call, run: Run): Promise<unknown> {
  if (call.members) return runMembers(call.members, run)
  try {
    return (await runOperation(call, run)) ?? success
  } catch (error) {
    throw toTrellisError(error).at('args')
  }
}

async function runMembers(members: readonly Call[], run: Run): Promise<unknown[]> {
  const results: unknown[] = []
  for (const [i, member] of members.entries()) {
    try {
      results.push(await runCall(member, run))
    } catch (error) {
      throw toTrellisError(error).at('args', i)
    }
  }
  return results
}

async function runOperation(call: Call, run: Run): Promise<unknown> {
  const { operation, args } = call
  const { workspace } = run
  if (!workspace || !editsMetadata(call)) return operation.handle(readContext(run), args)
  const { check = 'none' } = operation
  const edited = workspace.edit(
    ({ draft, ...tools }) => operation.handle({ ...readContext(run), ...tools, metadata: draft }, args),
    { check: typeof check === 'function' ? check(args) : check, object: operation.object?.(args) },
  )
  const result = operation.help ? await edited.catch((error) => refuseWithHelp(error, call, run)) : await edited
  return operation.respond ? operation.respond(workspace.state.model, args) : result
}

/** Throws the error of an operation, with its help when it is one of an inconsistent object. */
async function refuseWithHelp(error: unknown, { operation, args }: Call, { transaction }: Run): Promise<never> {
  if (!(error instanceof TrellisError) || error.code !== 'constraint-violation' || error.help) throw error
  const help = await operation.help!({ transaction }, args).catch((): ErrorHelp => ({}))
  throw error.with({ help: () => help })
}

/** The context of an operation that does not edit: the document is the frozen one. */
function readContext(run: Run): OperationContext {
  const { session, transaction, afterCommit } = run
  const { document, model, catalog } = run.workspace?.state ?? run.state
  return {
    ...{ metadata: document, model, catalog, session, transaction },
    remove: refuseEdit,
    rename: refuseEdit,
    refreshCatalog: refuseEdit,
    afterCommit: (callback) => afterCommit.push(callback),
  }
}

function refuseEdit(): never {
  throw new TypeError('the operation declares that it does not edit the metadata')
}
