// Reading the history, and reverting a version.

import { badRequest, nameText, type Static, TrellisError, type TSchema, Type } from '../../sdk/index.ts'
import {
  type InterfaceName,
  ObjectName,
  type OperationContext,
  operation,
  type PartChange,
  type PartPlace,
  TableName,
} from '../../sdk/metadata.ts'
import { inTurns, mapSteps } from '../../sdk/services.ts'
import type { Transaction } from '../../sdk/sql.ts'
import { readPatches, readVersion, readVersions, type StoredVersion } from './read.ts'
import { searchablePlace } from './record.ts'
import { largestPage, usualPage } from './tuning.ts'

const optionalText = Type.Optional(ObjectName)

/** The place of a part; the members that are given have to be equal. */
const Place = Type.Object(
  { part: optionalText, table: Type.Optional(TableName), member: optionalText, name: optionalText },
  { title: 'MetadataPart' },
)

const HistoryArgs = Type.Object({
  before: Type.Optional(Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER })),
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: largestPage })),
  object: Type.Optional(Place),
})

const nullable = (schema: TSchema) => Type.Union([schema, Type.Null()])

const Change = Type.Object(
  {
    part: Type.String(),
    table: Type.Optional(Type.Object({ schema: Type.String(), name: Type.String() })),
    member: Type.Optional(Type.String()),
    name: Type.Optional(Type.String()),
    before: Type.Optional(Type.Unknown()),
    after: Type.Optional(Type.Unknown()),
  },
  { title: 'MetadataChange' },
)

const Version = Type.Object(
  {
    version: Type.Integer(),
    at: Type.String(),
    by: Type.Object({
      role: nullable(Type.String()),
      secret: Type.Optional(Type.String()),
      subject: Type.Optional(Type.String()),
      agent: Type.Optional(Type.String()),
      plugin: Type.Optional(Type.String()),
    }),
    request_id: nullable(Type.String()),
    operations: Type.Array(Type.String()),
    patch: nullable(Type.Array(Change)),
  },
  { title: 'MetadataVersion' },
)

/** The format of documents in an interface. */
const formatOf = (answers: InterfaceName) => (answers === '2' ? 3 : 2)

/** A change with values in the form of exported documents; a member that is missing was absent. */
const shownChange =
  ({ format, interface: answers }: OperationContext) =>
  ({ place, before, after }: PartChange) => {
    const written = (value: unknown) => format.writePart(place, value, formatOf(answers))
    return { ...place, before: written(before), after: written(after) }
  }

export const getMetadataHistory = operation({
  type: 'get_metadata_history',
  about: {
    summary: 'Lists the versions of the metadata, the newest first: who made them, when, and their changes.',
    result: Type.Object({ versions: Type.Array(Version), next: nullable(Type.Integer()) }),
  },
  args: HistoryArgs,
  editsMetadata: false,
  onlyReads: true,
  async handle(context, { before = null, limit = usualPage, object }) {
    const { transaction } = context
    const place = object ? searchablePlace(object as Static<typeof Place>) : null
    const { versions, hasMore } = await readVersions(transaction, { before, limit, place })
    const patches = await readPatches(
      transaction,
      versions.map(({ id }) => id),
    )
    const shown = []
    for (const version of versions) {
      const patch = await inTurns(mapSteps(patches.get(version.id)!, shownChange(context)))
      shown.push(shownVersion(version, version.isComplete ? patch : null))
    }
    return { versions: shown, next: hasMore ? (versions.at(-1)?.version ?? null) : null }
  },
})

const shownVersion = ({ version, at, author, requestId, operations }: StoredVersion, patch: unknown) => ({
  ...{ version, at, by: author, request_id: requestId, operations, patch },
})

/** The patch of a version; refuses a version without one. */
async function patchOf(reader: Pick<Transaction, 'rows'>, version: number): Promise<readonly PartChange[]> {
  const path = ['version']
  const stored = await readVersion(reader, version)
  if (!stored) throw badRequest('not-exists', `the history of the metadata has no version ${version}`, { path })
  if (!stored.isComplete) {
    throw badRequest('not-supported', `the changes of version ${version} were too large to be kept`, { path })
  }
  return (await readPatches(reader, [stored.id])).get(stored.id)!
}

/** Parts that an error names. */
const mostNamed = 10

/** A part as an error names it: `tables artist select_permissions user`. */
const placeText = ({ part, table, member, name }: PartPlace): string =>
  [part, table && nameText(table), member, name].filter((each) => each !== undefined).join(' ')

function refuseOverlaps(version: number, overlapped: readonly PartChange[]): void {
  if (overlapped.length === 0) return
  const named = overlapped.slice(0, mostNamed).map(({ place }) => placeText(place))
  const more = overlapped.length > named.length ? ` and ${overlapped.length - named.length} more` : ''
  const places = `${named.join(', ')}${more}`
  const message = `later edits have changed parts of version ${version}: ${places}`
  throw new TrellisError(409, 'conflict', message, { path: ['version'] })
}

/** `reader`: the database outside of the request's transaction, for the sources that a revert needs. */
export const revertMetadata = (reader: Pick<Transaction, 'rows'>) =>
  operation({
    type: 'revert_metadata',
    about: { summary: 'Undoes the changes of one version, unless later edits overlap with them.' },
    args: Type.Object({ version: Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER }) }),
    check: 'object',
    object: ({ version }) => ({ kind: 'version', name: String(version) }),
    async sources({ version }, { metadata, wanted, isKnown, parts }) {
      const patch = await patchOf(reader, version).catch(() => [])
      if (patch.length === 0 || (await inTurns(parts.overlapped(metadata, patch))).length > 0) return []
      const former = await inTurns(parts.undone(metadata, patch))
      return wanted(former)
        .filter((each) => !isKnown(each))
        .map((each) => ({ ...each, isOptional: true }))
    },
    async handle({ metadata, format, parts, transaction }, { version }) {
      const patch = await patchOf(transaction, version)
      refuseOverlaps(version, await inTurns(parts.overlapped(metadata, patch)))
      format.overwrite(metadata, await inTurns(parts.undone(metadata, patch)))
    },
  })
