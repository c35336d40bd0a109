// The interface between the machinery of queues and the tables that hold the items of a queue.

/** An item that a worker holds a lease on. */
export interface Leased {
  readonly id: string
  /** Whether other items may wait for this one; absent: no. */
  readonly is_awaited?: boolean
  /** Characters that it keeps in memory; absent: negligible. */
  readonly size?: number
}

/** An item with its outcome. */
export interface Settled<Item, Outcome> {
  readonly item: Item
  readonly outcome: Outcome
}

/** The table of a queue, as far as it concerns claimed items. */
export interface LeaseTable<Item, Outcome> {
  /**
   * Records outcomes and ends the leases. Items that another worker holds by then, and outcomes recorded before, stay unchanged.
   * Gives the items that it claimed because these outcomes made them due.
   */
  record(settled: readonly Settled<Item, Outcome>[]): Promise<readonly Item[]>
  /** Renews leases; gives the ids of those that this worker still holds. */
  renew(ids: readonly string[]): Promise<readonly string[]>
  /** Releases leases, and notifies other workers. */
  release(ids: readonly string[]): Promise<void>
  /**
   * Releases the leases of this worker except for these ids: claims whose answer was lost left leases that it does not know.
   * Absent: they expire.
   */
  releaseUnknown?(known: readonly string[]): Promise<void>
}

/** The table of a queue whose worker claims batches of due items. */
export interface QueueLedger<Item, Outcome> extends LeaseTable<Item, Outcome> {
  /** Claims at most `limit` due items for the length of a lease; `held` are the items that the worker holds already. */
  claim(limit: number, held: Iterable<Item>): Promise<readonly Item[]>
  /** Milliseconds until the next poll, unless a notification comes first. */
  pause(): number | Promise<number>
  /**
   * Announces for how many milliseconds writers need not notify, and notifies the other workers; 0: writers have to notify from
   * now on. Absent: writers always notify.
   */
  watch?(millis: number): Promise<void>
}

/** The argument of a run, beside its item. */
export interface RunCall {
  /** Aborts when the worker stops; for queues that say so, also when the lease is lost. */
  readonly signal: AbortSignal
  /** Seconds since the claim. */
  readonly waited: number
}

/** How a queue's items are run. */
export interface Handler<Item, Outcome> {
  /** Runs an item; null: its outcome is recorded already. A rejection after an abort leaves the item to a later claim. */
  run(item: Item, call: RunCall): Promise<Outcome | null>
  /** The group of an item; groups take turns. Absent: all items are in one. */
  groupOf?(item: Item): string | undefined
  /**
   * Whether the run of a claimed item may begin; otherwise it waits until another one ends. It must be true for some item of each
   * group while nothing runs. Absent: always.
   */
  mayBegin?(item: Item): boolean
  /** The outcome of an unexpected error. */
  failed(item: Item, error: unknown): Outcome
  /** Another form of an outcome whose content the database refused; null: it has no other form. Absent: outcomes have one form. */
  rewritten?(outcome: Outcome, error: unknown): Outcome | null
  /** Seconds until an item with this outcome is due again; null: never. Absent: never. */
  dueIn?(outcome: Outcome): number | null
  /** When a run is aborted before the worker stops: never, once its lease is lost, or as soon as its lease may be lost. */
  readonly aborts: 'never' | 'lost' | 'unsure'
  /** Seconds that a lease lasts without being renewed. */
  readonly leaseSeconds: number
}
