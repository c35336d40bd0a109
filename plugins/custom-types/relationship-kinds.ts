// Object relationships that other plugins answer. Each kind reads, resolves, and writes its own entries.

import { TrellisError } from '../../sdk/index.ts'
import type { ObjectDescription, SliceContext } from '../../sdk/metadata.ts'
import type { ModelSlices } from '../../sdk/registry.ts'
import type { ObjectMember, ObjectModel } from './model.ts'
import { type AnyRelationship, type CustomObject, leadsToTable, type OtherRelationship } from './schema.ts'

/** A kind of object relationships besides those to tables. */
export interface ObjectRelationshipKind {
  /** Whether an entry is of this kind, in its given or stored form. */
  owns(entry: object): boolean
  /** The stored form of a given entry; throws with a path relative to the entry. */
  read(given: object): OtherRelationship
  /** The form of documents. */
  write(entry: OtherRelationship): OtherRelationship
  /** The slices whose results `resolve` may read. */
  readonly after: readonly (string & keyof ModelSlices)[]
  /** Its description in lists of inconsistencies; `object` is the owner's name. */
  describe(object: string, entry: OtherRelationship): ObjectDescription
  /** Throws a TrellisError if the entry is broken: then only this entry is left out, and listed. */
  resolve(entry: OtherRelationship, object: ObjectModel, context: SliceContext): ObjectMember
}

/** Registers kinds of object relationships. */
export interface ObjectRelationships {
  add(kind: ObjectRelationshipKind): void
}

/** An entry of a kind, with its object. */
export interface PlacedRelationship {
  readonly object: CustomObject
  readonly entry: OtherRelationship
  readonly description: ObjectDescription
}

const isOther = (entry: AnyRelationship): entry is OtherRelationship => !leadsToTable(entry)

/** The kinds that plugins have added. */
export class RelationshipKinds implements ObjectRelationships {
  readonly #kinds: ObjectRelationshipKind[] = []
  /** The slices that all kinds read; it grows as kinds are added. */
  readonly after: (string & keyof ModelSlices)[] = []

  add(kind: ObjectRelationshipKind): void {
    this.#kinds.push(kind)
    this.after.push(...kind.after)
  }

  /** The kind of an entry, in its given or stored form. */
  of(entry: object): ObjectRelationshipKind | undefined {
    return this.#kinds.find((kind) => kind.owns(entry))
  }

  /** The object in the form of documents. */
  write(object: CustomObject): CustomObject {
    const { relationships } = object
    if (!relationships) return object
    const written = relationships.map((entry) => (isOther(entry) ? (this.of(entry)?.write(entry) ?? entry) : entry))
    return { ...object, relationships: written }
  }

  /** The entries that belong to a registered kind. */
  entriesOf(objects: readonly CustomObject[]): PlacedRelationship[] {
    return objects.flatMap((object) =>
      (object.relationships ?? []).filter(isOther).flatMap((entry) => {
        const kind = this.of(entry)
        return kind ? [{ object, entry, description: kind.describe(object.name, entry) }] : []
      }),
    )
  }

  /** Resolves an entry; reports a broken one, and returns null then. */
  resolve(entry: OtherRelationship, object: ObjectModel, context: SliceContext): ObjectMember | null {
    const kind = this.of(entry)
    if (!kind) return null
    try {
      return kind.resolve(entry, object, context)
    } catch (error) {
      if (!(error instanceof TrellisError)) throw error
      context.report(kind.describe(object.name, entry), error.message)
      return null
    }
  }
}
