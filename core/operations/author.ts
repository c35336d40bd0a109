// The cause of a change of the metadata, for the record of changes.

import { shortName } from '../errors/shortened.ts'
import type { Author } from '../metadata/slices/recorder.ts'
import type { Session } from '../session/session.ts'
import { type Call, editsMetadata, withMembers } from './envelope.ts'
import type { MetadataService, RequestOptions } from './service.ts'

/** Types of operations that are named; a bulk may have thousands of members, but there are few types. */
const mostTypes = 20

/** The author of a request. Texts that clients make up are shortened. */
export function authorOf(
  call: Call,
  { role, identity }: Session,
  { origin, plugin }: Pick<RequestOptions, 'origin' | 'plugin'>,
): Author {
  const edits = withMembers(call).filter((each) => !each.members && editsMetadata(each))
  const operations = [...new Set(edits.map(({ operation }) => operation.type))].slice(0, mostTypes)
  const subject = identity?.subject
  return {
    role: shortName(role),
    identity: subject === undefined ? identity : { ...identity, subject: shortName(subject) },
    requestId: origin && shortName(origin.requestId),
    agent: origin?.agent && shortName(origin.agent),
    plugin: origin ? undefined : plugin,
    operations,
  }
}

/** The service for a plugin: its requests are recorded as those of the plugin, unless a client asked. */
export const serviceOf = (service: MetadataService, plugin: string): MetadataService =>
  Object.create(service, {
    run: {
      value: (envelope: unknown, session: Session, options?: RequestOptions) =>
        service.run(envelope, session, { plugin, ...options }),
    },
  })
