// Numbers of the metadata that were chosen by judgement or measurement.

/** Milliseconds that a start waits for concurrent changes of the metadata; later it reconciles in the background. */
export const startLockTimeout = 2000

/** Milliseconds that a request waits for newer metadata that its plan may need. */
export const renewalTimeout = 2000

/** Milliseconds that the answer of a change waits until the other workers of the server serve it. */
export const workerTimeout = 5_000

/** Milliseconds between attempts to reconcile the database. */
export const reconciliationInterval = 1000

/**
 * Milliseconds between polls for changes of other instances, doubled while notifications arrive, and between attempts
 * to connect.
 */
export const syncInterval = 1000

/** Milliseconds for one fetch of a source, unless the source has its own timeout. */
export const defaultFetchTimeout = 60_000

/** Milliseconds before the first retry of a fetch; each retry doubles them. */
export const firstFetchPause = 1000
/** Milliseconds between retries of a fetch, at most. */
export const longestFetchPause = 60_000

/** Milliseconds that a start waits for sources that were never fetched. */
export const startFetchTimeout = 10_000

/** Bytes of a notification, with a margin: PostgreSQL refuses payloads of 8000 bytes. */
export const longestPayload = 4000

/** Characters per statement, roughly: a longer one would block requests while it is sent. */
export const statementSize = 200_000

/** Rows read at a time, for the same reason. */
export const rowsAtATime = 100

/** Batches of prefetched tables per request. A request that keeps changing the database then reads table by table. */
export const mostBatches = 4

/** Searches for a table by name in one generation of the document, after which an index costs less than they do. */
export const searchesBeforeIndex = 8

/** Entries of a change between generations that is kept for the steps of an edit; a larger one would hold much memory. */
export const rememberedSize = 100

/** Faults of one document that the answer lists; reading ends after them. */
export const mostFaults = 100

/**
 * JSON values of one entry of a document, or of the arguments of one operation on the metadata, which are read and
 * resolved in one go. `bench --only hostile` has the wait of other requests at this size.
 */
export const mostValues = 200_000

/** Times that a value is decoded while keys are unknown in it: each time without those of one more object. */
export const mostDecodings = 4

/** Characters of a stored key. An entry of a PostgreSQL index holds some 2,700 bytes at most. */
export const longestKey = 500

/** Tables with the most similar names; only their root fields are candidates for a hint about an unknown field. */
export const mostNear = 10
/** Number of tables up to which every table is a candidate for a hint. */
export const fewTables = 100
