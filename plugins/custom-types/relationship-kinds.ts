// Relationships of objects that other plugins answer: each kind reads, resolves and writes its own entries.

import { TrellisError } from '../../sdk/index.ts'
import type { ObjectDescription, SliceContext } from '../../sdk/metadata.ts'
import type { ModelSlices } from '../../sdk/registry.ts'
import type { ObjectMember, ObjectModel } from './model.ts'
import { type AnyRelationship, type CustomObject, leadsToTable, type OtherRelationship } from './schema.ts'

/** A kind of relationships of objects beside those to tables. */
export interface ObjectRelationshipKind {
  /** Whether an entry is one of the kind, as it was given or as it is stored. */
  owns(entry: object): boolean
  /** What was given to what is stored; throws with a path relative to the entry. */
  read(given: object): OtherRelationship
  /** As documents have it. */
  write(entry: OtherRelationship): OtherRelationship
  /** The slices whose results `resolve` may look at. */
  readonly after: readonly (string & keyof ModelSlices)[]
  /** How it is listed and named; `object` is the name of the object that has it. */
  describe(object: string, entry: OtherRelationship): ObjectDescription
  /** Throws a TrellisError when the entry is broken: it alone is left out then, and listed. */
  resolve(entry: OtherRelationship, object: ObjectModel, context: SliceContext): ObjectMember
}

/** Takes kinds of relationships. */
export interface ObjectRelationships {
  add(kind: ObjectRelationshipKind): void
}

/** An entry of a kind, with where it stands. */
export interface PlacedRelationship {
  readonly object: CustomObject
  readonly entry: OtherRelationship
  readonly description: ObjectDescription
}

const isOther = (entry: AnyRelationship): entry is OtherRelationship => !leadsToTable(entry)

/** The kinds that plugins have added. */
export class RelationshipKinds implements ObjectRelationships {
  readonly #kinds: ObjectRelationshipKind[] = []
  /** Of all kinds; grows as they are added. */
  readonly after: (string & keyof ModelSlices)[] = []

  add(kind: ObjectRelationshipKind): void {
    this.#kinds.push(kind)
    this.after.push(...kind.after)
  }

  /** The kind of an entry, as it was given or as it is stored. */
  of(entry: object): ObjectRelationshipKind | undefined {
    return this.#kinds.find((kind) => kind.owns(entry))
  }

  /** The object as documents have it. */
  write(object: CustomObject): CustomObject {
    const { relationships } = object
    if (!relationships) return object
    const written = relationships.map((entry) => (isOther(entry) ? (this.of(entry)?.write(entry) ?? entry) : entry))
    return { ...object, relationships: written }
  }

  /** The entries of objects that are of a kind. */
  entriesOf(objects: readonly CustomObject[]): PlacedRelationship[] {
    return objects.flatMap((object) =>
      (object.relationships ?? []).filter(isOther).flatMap((entry) => {
        const kind = this.of(entry)
        return kind ? [{ object, entry, description: kind.describe(object.name, entry) }] : []
      }),
    )
  }

  /** What an entry comes to; null when it is broken, which is reported. */
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
