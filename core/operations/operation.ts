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
import type { WantedSource } from '../metadata/slices/sources.ts'
import type { Dialect } from '../names/dialect.ts'
import type { QualifiedName } from '../names/names.ts'
import type { Session } from '../session/session.ts'

/** Requirement on the request's transaction; `any` puts none. */
export type AccessMode = 'READ WRITE' | 'READ ONLY' | 'any'

/** A property that may depend on the call's arguments. */
export type ByArguments<S extends TSchema, T> = T | { of(args: Static<S>): T }['of']

/** What an operation may look at whatever it does. */
export interface OperationEnvironment {
  readonly dialect: Dialect
  readonly settings: RequestSettings
  /** Between the document and its wire form. */
  readonly format: DocumentFormat
}

export interface OperationContext extends OperationEnvironment {
  /** A draft of the document: edit it in place; core rebuilds, checks, stores and publishes it. */
  readonly metadata: MetadataDocument
  /** The model before this operation, earlier members of a bulk included. */
  readonly model: Model
  readonly catalog: Catalog
  readonly session: Session
  /** The transaction that the metadata is saved in, for operations that also touch the database. */
  readonly transaction: Transaction
  /** Takes an object out of the draft, through the slice or facet that owns it; false when there is no such object. */
  remove(object: ObjectRef): boolean
  /** Rewrites a name wherever the draft mentions it, through the slices and facets that own the places. */
  rename(rename: Rename): void
  /** Has the tables and functions of these names, or all, read from the database again before the model is rebuilt. */
  refreshCatalog(names: readonly QualifiedName[] | 'all'): void
  /** Stores the edits of earlier members of a bulk, for statements that read the metadata in the database. */
  storeEdits(): Promise<void>
  /** Overwrites the draft with the stored document, which holds the edits of earlier members of a bulk. */
  refreshDocument(): Promise<void>
  /** Makes the settings that tell PostgreSQL who asks, in case that SQL of the request has changed them. */
  applySession(): Promise<void>
  /**
   * Refuses a GraphQL document that a role could not ask for, whatever its variables, once the draft is saved as it is now:
   * what earlier members of a bulk, and the operation itself, have done to it counts. Absent: the role `admin`.
   */
  validateDocument(text: string, options?: ValidationOptions): Promise<void>
  /** Runs the request of {@link Operation.members} at that index; throws its error, located at its place. */
  runMember(index: number): Promise<unknown>
  /** Runs when the transaction has committed and the new model is served. */
  afterCommit(run: () => void | Promise<void>): void
}

/** A source that an operation has fetched. */
export interface SourceRequest {
  readonly key: string
  readonly id: string
  /** As the source's `wanted` will give it; absent: as it does of the document before the request. */
  readonly definition?: unknown
  /** Whether the operation goes on when fetching fails; the objects that need it are inconsistent then. */
  readonly isOptional?: boolean
}

/** What an operation may look at to tell which sources it has fetched. */
export interface SourcesContext {
  /** The document before the request. */
  readonly metadata: MetadataDocument
  /** The sources that a document needs. */
  wanted(document: MetadataDocument): readonly WantedSource[]
  /** Whether what a source holds is known already, by that definition, and could be fetched when it was last. */
  isKnown(source: WantedSource): boolean
}

/** A request within the arguments of another one. */
export interface MemberRequest {
  /** Where it stands in the arguments. */
  readonly at: readonly PathKey[]
  /** As it was given: `{type, args, version?}`. */
  readonly envelope: unknown
}

export interface Operation<S extends TSchema = TSchema> {
  /** The wire's `type`. */
  readonly type: string
  /** Which envelope version finds it; absent: 1. */
  readonly version?: 1 | 2
  readonly args: S
  /** Whether only `admin` may call it; absent: yes. */
  readonly adminOnly?: boolean
  /** Absent: READ WRITE. */
  readonly access?: ByArguments<S, AccessMode>
  /** Whether the handler edits the metadata or changes the catalog, and so the model is rebuilt; absent: yes. */
  readonly editsMetadata?: ByArguments<S, boolean>
  /** Whether it changes nothing, although its transaction could: then no version of the metadata is expected of it. Absent: no. */
  readonly onlyReads?: boolean
  /**
   * Whether it may write rows, and so has to find the database as the metadata of earlier members of a bulk wants it: their
   * effects come before it. Absent: no.
   */
  readonly writesRows?: boolean
  /** Absent: none. */
  readonly check?: ByArguments<S, ConsistencyCheck>
  /** The object that `check: 'object'` is about. */
  object?(args: Static<S>): ObjectRef
  /** Objects that are written with it, whose faults count as its own. */
  parts?(args: Static<S>): readonly ObjectRef[]
  /** Wording and path of decoding errors that the schema alone cannot give; runs before the schema check. */
  decode?(args: unknown, environment: OperationEnvironment): Static<S> | Promise<Static<S>>
  /**
   * The requests that `handle` runs with `runMember`, in its transaction. They are decoded with it; whoever calls it must be
   * allowed to call them, and what it needs of the transaction they all must. Such an operation edits nothing itself.
   */
  members?(args: Static<S>): readonly MemberRequest[]
  /**
   * What to fetch before anything is locked; a failure is the error of the operation. Whatever else the document comes to
   * need is fetched after it was saved.
   */
  sources?(args: Static<S>, context: SourcesContext): readonly SourceRequest[]
  /** The result; `undefined` answers `{"message":"success"}`. */
  handle(context: OperationContext, args: Static<S>): unknown | Promise<unknown>
  /** What helps with an object that turned out inconsistent, as far as the database has to be asked for it. */
  help?(context: Pick<OperationContext, 'transaction'>, args: Static<S>): Promise<ErrorHelp>
  /** What descriptions of the API say of it. */
  readonly about?: OperationDescription
  /** The result of an editing operation when it depends on the model that comes out; replaces what `handle` returns. */
  respond?(context: Pick<OperationContext, 'model' | 'dialect'>, args: Static<S>): unknown
}

/** An operation as readers of the API's description see it. */
export interface OperationDescription {
  /** One line. */
  readonly summary: string
  /** The shape of the arguments where only all plugins together know it; absent: that of `args`. */
  args?(environment: DescriptionEnvironment): TSchema
  /** The shape of the result; absent: `{"message":"success"}`. */
  readonly result?: TSchema | ((environment: DescriptionEnvironment) => TSchema)
}

/** What a description may depend on. */
export type DescriptionEnvironment = Pick<OperationEnvironment, 'dialect' | 'format'>

/** Declares an operation; the arguments' type follows from the schema. */
export const operation = <S extends TSchema>(definition: Operation<S>): Operation<S> => definition
