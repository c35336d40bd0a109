import type { ParsedDocument } from '../../sdk/graphql.ts'
import { badRequest, isAdmin } from '../../sdk/index.ts'
import type { Model } from '../../sdk/metadata.ts'
import type { AroundSync, DocumentWork } from '../../sdk/services.ts'
import { fingerprint } from './fingerprint.ts'

/** Refuses the documents of roles that are in no collection of the allow-list. */
export function allowListCheck(model: () => Model): AroundSync<DocumentWork> {
  const fingerprints = new WeakMap<ParsedDocument, string>()
  return ({ document, session }, run) => {
    if (isAdmin(session)) return run()
    let known = fingerprints.get(document)
    if (known === undefined) {
      known = fingerprint(document.node)
      fingerprints.set(document, known)
    }
    const roles = model().slices.allowlist?.get(known)
    if (roles === 'all' || roles?.has(session.role)) return run()
    const internal = { message: 'query is not in any of the allowlists' }
    throw badRequest('validation-failed', 'query is not allowed', { internal })
  }
}
