// A document that cannot be read is refused with everything that is wrong with it: its faults, and the objects of the
// rest that would be inconsistent.

import { TrellisError } from '../errors/errors.ts'
import type { MetadataDocument } from '../metadata/document/document.ts'
import type { Inconsistency } from '../metadata/document/objects.ts'
import { inconsistencyJson } from '../metadata/resolving/consistency.ts'
import type { MetadataEdit } from '../metadata/serving/edit.ts'
import type { ServedMetadata } from '../metadata/serving/served.ts'
import type { SourceFetcher } from '../metadata/serving/source-fetcher.ts'
import { FaultyDocument } from '../metadata/slices/faults.ts'
import { sourceName } from '../metadata/slices/given-source.ts'
import type { MetadataRegistry } from '../metadata/slices/registry.ts'
import { isKnown, wantedSources } from '../metadata/slices/sources.ts'
import type { InterfaceName } from '../names/version.ts'
import { isAdmin, type Session } from '../session/session.ts'
import type { OperationEnvironment } from './operation.ts'

/** The metadata that a document would replace. */
interface Surroundings {
  readonly served: ServedMetadata
  readonly fetcher: Pick<SourceFetcher, 'fetch'>
  readonly registry: MetadataRegistry
  readonly environment: Pick<OperationEnvironment, 'dialect'>
}

/** An error about a document, with its other faults and the inconsistencies of the rest; any other error unchanged. */
export async function withAllFaults(
  error: unknown,
  { session, interfaceName }: { readonly session: Session; readonly interfaceName: InterfaceName },
  options: Surroundings,
): Promise<unknown> {
  if (!(error instanceof TrellisError && error.cause instanceof FaultyDocument)) return error
  const { cause: document } = error
  // If the rest cannot be tried, the faults are listed alone.
  const isTried = isAdmin(session) && document.content !== null
  const inconsistencies = isTried ? await inconsistenciesOf(document.content, options).catch(() => []) : []
  const form = {
    ...options.environment,
    wording: { interface: interfaceName, source: sourceName(options.served.document) },
  }
  const all = [...document.listed(error), ...inconsistencies.map((each) => inconsistencyJson(each, form))]
  return error.with({ cause: undefined, ...(all.length > 1 && { internal: all }) })
}

/** The inconsistencies that a document would have if it replaced the metadata. */
async function inconsistenciesOf(
  document: MetadataDocument,
  { served, fetcher, registry }: Surroundings,
): Promise<readonly Inconsistency[]> {
  const wanted = wantedSources(registry.sources.values(), document)
  const missing = wanted.filter((each) => !isKnown(each, served.state.contents))
  const fetched = await fetcher.fetch(missing, null)
  const rehearse = async (edit: MetadataEdit) => {
    await edit.open()
    const step = edit.begin()
    served.format.fill(step.draft, document)
    step.refreshCatalog('all')
    const { model } = await edit.rehearse(step)
    return model.inconsistencies.filter(({ isTolerated }) => isTolerated !== 'in documents')
  }
  return served.edit(rehearse, { fetched: () => fetched })
}
