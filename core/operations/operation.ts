// An operation of the metadata API: a value with its wire name, argument schema and handler.

import type { Static, TSchema } from '@sinclair/typebox'
import type { Catalog } from '../catalog/types.ts'
import type { Transaction } from '../database/transaction.ts'
import type { ErrorHelp } from '../errors/errors.ts'
import type { PathKey } from '../errors/path.ts'
import type { RequestSettings } from '../graphql/options.ts'
import type { ValidationOptions } from '../graphql/read/request.ts'
import type { MetadataDocument } from '../metadata/document/document.ts'
import type { Model } from '../metadata/document/model.ts'
import type { ObjectRef, Rename } from '../metadata/document/objects.ts'
import type { ConsistencyCheck } from '../metadata/resolving/consistency.ts'
import type { DocumentFormat } from '../metadata/slices/document-format.ts'
import type { DocumentParts } from '../metadata/slices/parts.ts'
import type { WantedSource } from '../metadata/slices/sources.ts'
import type { Dialect } from '../names/dialect.ts'
import type { QualifiedName } from '../names/names.ts'
import type { InterfaceName } from '../names/version.ts'
import type { Session } from '../session/session.ts'
import type { MemberOutcome } from './members.ts'
import type { Trial } from './trial.ts'

/**
 * Requirement on the request's transaction. `any` requires nothing of it. `none`: there is no transaction, so the request
 * holds no connection while it waits for other servers, and it cannot be a member of another request.
 */
export type AccessMode = 'READ WRITE' | 'READ ONLY' | 'any' | 'none'

/** A value that may depend on the call's arguments. */
export type ByArguments<S extends TSchema, T> = T | { of(args: Static<S>): T }['of']

/** The environment of all operations. */
export interface OperationEnvironment {
  readonly dialect: Dialect
  readonly settings: RequestSettings
  /** The interface of the request's endpoint, which decides the form of answers and errors. */
  readonly interface: InterfaceName
  /** Converts between the document and its wire form. */
  readonly format: DocumentFormat
  /** The parts of documents, whose changes are recorded and undone. */
  readonly parts: DocumentParts
}

/** The model that a draft would make. */
export interface Preview {
  readonly model: Model
  /** A name that several GraphQL types share; null: there is no such name. */
  readonly conflictingType: string | null
}

/** The request that an operation runs in. */
export interface OperationContext extends OperationEnvironment {
  /** A draft of the document. Edit it in place; core resolves, checks, stores and publishes it. */
  readonly metadata: MetadataDocument
  /** The model before this operation; it includes earlier members of a bulk. */
  readonly model: Model
  readonly catalog: Catalog
  readonly session: Session
  /** The id of the HTTP request; null if no client asked. */
  readonly requestId: string | null
  /** The transaction that saves the metadata, for operations that also change the database. */
  readonly transaction: Transaction
  /** Removes an object from the draft through the slice or facet that owns it; false when there is no such object. */
  remove(object: ObjectRef): boolean
  /** Replaces a name everywhere in the draft, through the slices and facets that own the places. */
  rename(rename: Rename): void
  /** Requests a fresh read of these tables and functions, or of all, before the model is rebuilt. */
  refreshCatalog(names: readonly QualifiedName[] | 'all'): void
  /** Stores the edits of earlier members of a bulk, for statements that read the metadata in the database. */
  storeEdits(): Promise<void>
  /** Overwrites the draft with the stored document, which holds the edits of earlier members of a bulk. */
  refreshDocument(): Promise<void>
  /** Applies the session's PostgreSQL settings again, in case SQL of the request has changed them. */
  applySession(): Promise<void>
  /**
   * Refuses a GraphQL document that a role could not use with any variables, given the draft in its current state. So
   * edits of this operation and of earlier members of a bulk count. Absent role: `admin`.
   */
  validateDocument(text: string, options?: ValidationOptions): Promise<void>
  /**
   * The model that the draft in its current state would make, and a name that several of its GraphQL types would share.
   */
  preview(): Promise<Preview>
  /** Runs the member at that index of {@link Operation.members}; its errors carry the member's path. */
  runMember(index: number): Promise<unknown>
  /** The same for an operation that {@link Operation.keepsGoing}: a failing member is undone, and its error returned. */
  tryMember(index: number): Promise<MemberOutcome>
  /**
   * Tries something as a session on the state that the request has reached. The effects of earlier members have run.
   * All its changes of the database are undone.
   */
  trial(session: Session, work: (trial: Trial) => Promise<unknown>): Promise<MemberOutcome>
  /** Aborts when nobody waits for the answer any more; null: the operation runs to its end. */
  readonly signal: AbortSignal | null
  /** Runs after the commit, when the new model is served. */
  afterCommit(run: () => void | Promise<void>): void
}

/** A source that an operation needs fetched. */
export interface SourceRequest {
  readonly key: string
  readonly id: string
  /** The definition that the source's `wanted` will return; absent: the one of the document before the request. */
  readonly definition?: unknown
  /** Whether the operation continues when the fetch fails; the objects that need the source are then inconsistent. */
  readonly isOptional?: boolean
}

/** The context of an operation that lists its sources. */
export interface SourcesContext {
  /** The document before the request. */
  readonly metadata: MetadataDocument
  /** The sources that a document needs. */
  wanted(document: MetadataDocument): readonly WantedSource[]
  /** Whether the source's content is known for this definition, and its last fetch succeeded. */
  isKnown(source: WantedSource): boolean
  readonly parts: DocumentParts
}

/** A request within the arguments of another request. */
export interface MemberRequest {
  /** Its path in the arguments. */
  readonly at: readonly PathKey[]
  /** As received: `{type, args, version?}`. */
  readonly envelope: unknown
}

/** An operation of the metadata API. */
export interface Operation<S extends TSchema = TSchema> {
  /** The wire's `type`. */
  readonly type: string
  /** The envelope version that selects it; absent: 1. */
  readonly version?: 1 | 2
  readonly args: S
  /** Whether errors of its arguments have `args` in their paths in interface 2; absent: no. */
  readonly pathsNameArguments?: boolean
  /** Whether only `admin` may call it; absent: yes. */
  readonly adminOnly?: boolean
  /**
   * Whether its arguments have no limit of their own, because they are read in steps. A list names arguments
   * whose elements have the limit one by one. Absent: no.
   */
  readonly mayBeLarge?: boolean | readonly string[]
  /** Absent: READ WRITE. */
  readonly access?: ByArguments<S, AccessMode>
  /** Whether the handler edits the metadata or changes the catalog, so that the model is rebuilt; absent: yes. */
  readonly editsMetadata?: ByArguments<S, boolean>
  /** Whether it changes nothing although its transaction could. No metadata version is then expected. Absent: no. */
  readonly onlyReads?: boolean
  /** Whether a session that may only read can call it. Absent: if the call can change nothing. */
  readonly forReaders?: boolean
  /**
   * Whether it may write rows. The effects of earlier members of a bulk then run first, because the rows need a
   * database that matches the metadata. Absent: no.
   */
  readonly writesRows?: boolean
  /**
   * The group of operations whose consecutive edits in a bulk are resolved together, so that the model is built once for
   * all of them. No operation of a group may repair a fault of another one. The handler edits the draft alone, and its
   * `model` lacks the edits of its neighbours. If a group fails, the bulk runs again with each edit resolved by itself,
   * for its exact error. Null or absent: the edit is always resolved by itself.
   */
  readonly group?: ByArguments<S, string | null>
  /** Absent: none. */
  readonly check?: ByArguments<S, ConsistencyCheck>
  /** Whether the edit is only tried: {@link respond} gets the model that it would make, and nothing changes. Absent: no. */
  isDryRun?(args: Static<S>): boolean
  /** The object that `check: 'object'` is about. */
  object?(args: Static<S>): ObjectRef
  /** Objects that are written together with it; their faults count as its own. */
  parts?(args: Static<S>): readonly ObjectRef[]
  /** Decodes arguments with errors that the schema alone cannot word or locate; runs before the schema check. */
  decode?(args: unknown, environment: OperationEnvironment): Static<S> | Promise<Static<S>>
  /**
   * The requests that `handle` runs with `runMember`, within its transaction. They are decoded together with it. The
   * caller must be allowed to call them, and all of them must share its transaction requirement. Such an operation
   * edits nothing itself.
   */
  members?(args: Static<S>): readonly MemberRequest[]
  /** Whether it answers although a member fails; absent: no. */
  readonly keepsGoing?: boolean
  /**
   * Whether its transaction is rolled back after its answer is made, so that nothing of it or its members stays. It cannot be
   * a member of another request.
   */
  readonly rollsBack?: boolean
  /** Milliseconds after which it is ended; absent: no limit. */
  readonly timeLimit?: ByArguments<S, number>
  /** Whether its members may differ in their requirements on the transaction; absent: no. */
  readonly mixesAccess?: boolean
  /** Whether its members may change nothing, and share a transaction that reads; absent: no. */
  readonly onlyMembersThatRead?: boolean
  /**
   * The sources to fetch before any lock is taken; a failure is the operation's error. Other sources that the document
   * comes to need are fetched after it was saved.
   */
  sources?(args: Static<S>, context: SourcesContext): readonly SourceRequest[] | Promise<readonly SourceRequest[]>
  /** The result; `undefined` answers `{"message":"success"}`. */
  handle(context: OperationContext, args: Static<S>): unknown | Promise<unknown>
  /** Help about an object that became inconsistent, if it needs a query of the database. */
  help?(context: Pick<OperationContext, 'transaction'>, args: Static<S>): Promise<ErrorHelp>
  /** Its part in descriptions of the API. */
  readonly about?: OperationDescription
  /** The result of an editing operation if it depends on the new model; replaces the result of `handle`. */
  respond?(context: Pick<OperationContext, 'model' | 'dialect' | 'interface'>, args: Static<S>): unknown
}

/** An operation in the API's description. */
export interface OperationDescription {
  /** One line. */
  readonly summary: string
  /** The shape of the arguments, if it depends on all plugins together; absent: that of `args`. */
  args?(environment: DescriptionEnvironment): TSchema
  /** The shape of the result; absent: `{"message":"success"}`. */
  readonly result?: TSchema | ((environment: DescriptionEnvironment) => TSchema)
}

/** The environment of a description. */
export type DescriptionEnvironment = Pick<OperationEnvironment, 'dialect' | 'format'>

/** Declares an operation; the arguments' type follows from the schema. */
export const operation = <S extends TSchema>(definition: Operation<S>): Operation<S> => definition

/**
 * Whether requests of an operation may change something, so that sessions that may only read cannot send all of them;
 * null: that depends on its members.
 */
export function mayEdit({ members, forReaders, onlyReads, editsMetadata = true, access }: Operation): boolean | null {
  if (members) return null
  if (forReaders !== undefined) return !forReaders
  const mayWrite = access === undefined || access === 'READ WRITE' || typeof access === 'function'
  return !onlyReads && (editsMetadata !== false || mayWrite)
}

/** An edit by an operation that declares that it edits nothing. */
export function refuseEdit(): never {
  throw new TypeError('the operation declares that it does not edit the metadata')
}
