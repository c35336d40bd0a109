// Root fields of the source, under the names that it gives them, and in its namespace if it has one.

import { namespaceType, type SourceNaming, withAffixes, withoutAffixes } from '../../metadata/naming/source-naming.ts'
import type { RootFieldMaker, RootFields, SchemaScope } from '../read/schema-scope.ts'
import type { Contribution } from './contribution.ts'
import type { FieldsOf } from './made-field.ts'
import { type RootKind, type RootOptions, RootType } from './root-type.ts'
import { spelledField } from './spelling.ts'

/** The same fields with arguments in camel case. */
function spelled(fields: RootFields): RootFields {
  const spell =
    (make: RootFieldMaker): RootFieldMaker =>
    () =>
      spelledField(make())
  return {
    get(name) {
      const make = fields.get(name)
      return make && spell(make)
    },
    ...(fields.near && { near: (name: string) => fields.near!(name) }),
    *[Symbol.iterator](): Iterator<readonly [name: string, make: RootFieldMaker]> {
      for (const [name, make] of fields) yield [name, spell(make)]
    },
  }
}

/** The same fields under names with the prefix and suffix. */
function named(given: RootFields, { rootFields: affixes, isCamel }: SourceNaming): RootFields {
  const fields = isCamel ? spelled(given) : given
  if (affixes.prefix === '' && affixes.suffix === '') return fields
  const inner = (name: string) => withoutAffixes(name, affixes)
  return {
    get(name) {
      const own = inner(name)
      return own === null ? undefined : fields.get(own)
    },
    *near(name) {
      const near = fields.near?.(inner(name) ?? name) ?? Array.from(fields, ([own]) => own)
      for (const own of near) yield withAffixes(own, affixes)
    },
    *[Symbol.iterator](): Iterator<readonly [name: string, make: RootFieldMaker]> {
      for (const [own, make] of fields) yield [withAffixes(own, affixes), make]
    },
  }
}

const namespaceContribution: Contribution = { name: 'the namespace of the source' }

/** The schema that gets the fields, and the names of its source. */
interface SourceSchema {
  readonly scope: Pick<SchemaScope, 'type'>
  readonly naming: SourceNaming
  readonly options: Omit<RootOptions, 'namespace'>
}

/** The fields of a root: those of the source have its names, and stand in its namespace. */
export function inSource(
  kind: RootKind,
  all: readonly FieldsOf<RootFields>[],
  { scope, naming, options }: SourceSchema,
): readonly FieldsOf<RootFields>[] {
  const isOwn = ([{ isOfSource = false }]: FieldsOf<RootFields>) => isOfSource
  const placed = all.map((each): FieldsOf<RootFields> => (isOwn(each) ? [each[0], named(each[1], naming)] : each))
  const { namespace } = naming
  if (namespace === null) return placed
  const name = namespaceType(namespace, kind, naming)
  const inside = new RootType(kind, placed.filter(isOwn), { ...options, namespace: name })
  const others = placed.filter((each) => !isOwn(each))
  if (inside.isAbsent) return others
  const field: RootFieldMaker = () => ({
    type: scope.type(name, () => inside.objectType()),
    extensions: { root: { kind: 'namespace' } },
  })
  return [[namespaceContribution, new Map([[namespace, field]])], ...others]
}
