// The part of a remote schema that several permissions show together, for a role that is composed of parents.

import { isInterfaceType, isIntrospectionType } from 'graphql'
import { type RootKind, rootTypeOf } from './remote-types.ts'
import { shown } from './shared-types.ts'
import { type Presets, placeOf, RemoteView, type VisibleType } from './view.ts'

type Known = WeakMap<RemoteView, RemoteView | null>

const united = new WeakMap<RemoteView, Known>()

/** The union of views of one remote schema; null if they differ where they overlap. */
export function unitedView([first, ...others]: readonly RemoteView[]): RemoteView | null {
  return others.reduce<RemoteView | null>((all, each) => all && unitedWith(all, each), first ?? null)
}

function unitedWith(one: RemoteView, other: RemoteView): RemoteView | null {
  const known: Known = united.get(one) ?? new WeakMap()
  united.set(one, known)
  let view = known.get(other)
  if (view === undefined) {
    view = agree(one, other) ? union(one, other) : null
    known.set(other, view)
  }
  return view
}

const rootKinds: readonly RootKind[] = ['query', 'mutation', 'subscription']

/**
 * Whether two views show the same of each type that both show. Only the fields of the roots may differ: below them, the
 * union would show a role members that none of its parents may reach.
 */
function agree(one: RemoteView, other: RemoteView): boolean {
  const { schema } = one.types
  const roots = new Set(rootKinds.flatMap((kind) => rootTypeOf(schema, kind)?.name ?? []))
  return (
    Object.values(schema.getTypeMap()).every((type) => {
      if (isIntrospectionType(type) || roots.has(type.name) || !one.sees(type) || !other.sees(type)) return true
      return shownWithPresets(type.name, one) === shownWithPresets(type.name, other)
    }) && rootKinds.every((kind) => agreeAtRoot(kind, one, other))
  )
}

function shownWithPresets(name: string, view: RemoteView): string {
  const { schema, names } = view.types
  const type = schema.getType(name)!
  const possible = isInterfaceType(type) ? view.possibleTypes(type).map((each) => each.name) : []
  const fields = 'getFields' in type ? Object.keys(type.getFields()) : []
  const presets = fields.map((field) => presetsText(view.argumentPresets(name, field)))
  return JSON.stringify([shown(names.localType(name), view), possible, presetsText(view.inputPresets(name)), presets])
}

const presetsText = (presets: Presets): string => JSON.stringify([...presets].sort(([a], [b]) => (a < b ? -1 : 1)))

function agreeAtRoot(kind: RootKind, one: RemoteView, other: RemoteView): boolean {
  const type = one.root(kind)
  if (!type || !other.root(kind)) return true
  return one.fields(type).every((field) => {
    if (!other.seesMember(type, field.name)) return true
    const [here, there] = [one, other].map((view) =>
      JSON.stringify([
        view.arguments(type, field).map(({ name }) => name),
        presetsText(view.argumentPresets(type.name, field.name)),
      ]),
    )
    return here === there
  })
}

/** The union of two views that agree. */
function union(one: RemoteView, other: RemoteView): RemoteView {
  if (one.isWhole || other.isWhole) return one.isWhole ? one : other
  const { schema } = one.types
  const visible = new Map<string, VisibleType>()
  const presets = new Map<string, Presets>()
  for (const type of Object.values(schema.getTypeMap())) {
    const { name } = type
    const parts = [one, other].flatMap((view) => view.visibleType(name) ?? [])
    if (parts.length === 0) continue
    visible.set(name, {
      members: new Map(parts.flatMap(({ members }) => [...members])),
      interfaces: new Set(parts.flatMap(({ interfaces }) => [...interfaces])),
    })
    const fields = 'getFields' in type ? Object.keys(type.getFields()) : []
    for (const view of [one, other]) {
      const given = view.inputPresets(name)
      if (given.size > 0) presets.set(name, given)
      for (const field of fields) {
        const ofField = view.argumentPresets(name, field)
        if (ofField.size > 0) presets.set(placeOf(name, field), ofField)
      }
    }
  }
  return new RemoteView(one.types, visible, presets)
}
