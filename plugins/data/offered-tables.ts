// Tables that data operations serve beside the tracked ones, as plugins offer them.

import type { QualifiedName, Session } from '../../sdk/index.ts'
import type { Model } from '../../sdk/metadata.ts'

/** The tables that a plugin offers. */
export interface TableOffer {
  /** The model to serve a request about the table with; null if the plugin does not offer the table. */
  modelFor(table: QualifiedName, session: Session, model: Model): Model | null
}

/** Where other plugins offer tables. */
export interface OfferedTables {
  add(offer: TableOffer): void
}

export class TableOffers implements OfferedTables {
  readonly #offers: TableOffer[] = []

  add(offer: TableOffer): void {
    this.#offers.push(offer)
  }

  /** The model of the first offer that has the table; null: the request is about the served model. */
  modelFor(table: QualifiedName, session: Session, model: Model): Model | null {
    for (const offer of this.#offers) {
      const offered = offer.modelFor(table, session, model)
      if (offered) return offered
    }
    return null
  }
}
