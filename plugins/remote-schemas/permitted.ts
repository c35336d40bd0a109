// The part of remote schemas that a role sees: by its own permission, or by those of its parents, if they agree where
// they overlap.

import type { SharedObject } from '../../sdk/access.ts'
import type { SchemaScope } from '../../sdk/graphql.ts'
import type { Model } from '../../sdk/metadata.ts'
import type { RemoteSchemaModel } from './metadata.ts'
import { shownOtherwise } from './types/shared-types.ts'
import { unitedView } from './types/united-view.ts'
import type { RemoteView } from './types/view.ts'

const viewsOf = new WeakMap<SchemaScope, ReadonlyMap<RemoteSchemaModel, RemoteView>>()

/** The part of a remote schema that a role sees; null if it sees none of it. */
export function permittedTo(scope: SchemaScope, remote: RemoteSchemaModel): RemoteView | null {
  let views = viewsOf.get(scope)
  if (!views) {
    views = permittedViews(scope)
    viewsOf.set(scope, views)
  }
  return views.get(remote) ?? null
}

/**
 * Permissions of one role show the same members of a type that several remote schemas have. Those of several parents may
 * differ, and the first remote schema then wins.
 */
function permittedViews(scope: SchemaScope): ReadonlyMap<RemoteSchemaModel, RemoteView> {
  const views = new Map<RemoteSchemaModel, RemoteView>()
  for (const remote of scope.model.slices.remote_schemas?.values() ?? []) {
    const roles = scope.grantors((role) => remote.permitted.has(role))
    const view = viewOf(remote, roles)
    if (!view) continue
    const isOwn = roles.includes(scope.role)
    const differs = ([other, shown]: [RemoteSchemaModel, RemoteView]) =>
      !other.isHidden && shownOtherwise([...remote.types.definitions.keys()], view, shown) !== null
    if (isOwn || remote.isHidden || ![...views].some(differs)) views.set(remote, view)
  }
  return views
}

/** The part that roles with a permission see together; null if their permissions differ where they overlap. */
function viewOf({ permitted, permissionTexts }: RemoteSchemaModel, roles: readonly string[]): RemoteView | null {
  const byText = new Map(roles.map((role) => [permissionTexts.get(role), permitted.get(role)!]))
  return unitedView([...byText.values()])
}

/** The remote schemas of a model, as composed roles share them. */
export function* sharedSchemas({ slices }: Model): Iterable<SharedObject> {
  for (const remote of slices.remote_schemas?.values() ?? []) {
    const { name } = remote
    yield {
      ref: { kind: 'inherited permission', name, detail: 'remote schema' },
      text: () => `remote schema: ${name}`,
      listed: () => ({ remote_schema: name }),
      isGranted: (role) => remote.permitted.has(role),
      agree: (roles) => viewOf(remote, roles) !== null,
    }
  }
}
