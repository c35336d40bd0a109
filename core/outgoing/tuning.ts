// Limits of requests to other servers, found by judgement or measurement.

/** Parsed URLs that are cached. When there are more, the cache is cleared. */
export const mostPlaces = 1000

/** Bytes of a response body, unless the request has a limit of its own. */
export const defaultMaxResponseSize = 64 * 2 ** 20

/** Content codings that one response may have. More are an attack: each can multiply the size. */
export const mostCodings = 5

/** Bytes that the head of an interim response may have. */
export const mostInterimHead = 16_384

/** Milliseconds within which a lost connection means a lost request: later, the receiver may have read the request before it closed. */
export const crossingMillis = 1000

/** Hosts whose limit of connections is remembered. */
export const mostHosts = 1000

/** Connections that any host can accept at once: fewer than the shortest common accept queue. */
export const firstLimit = 4

/** The rate of opening, as a multiple of the limit per response time. It keeps a burst of responses from causing a burst of openings. */
export const openingRate = 2

/** Milliseconds of that rate that may be saved for a burst. */
export const burstMillis = 4

/** Milliseconds after which an open connection counts as accepted without a response, because handlers may be slow. */
export const acceptMillis = 50

/** Milliseconds after which a connection that is not open counts as dropped: the kernel retries after a second. */
export const stallMillis = 900

/** Milliseconds within which several stalls count as one. */
export const oneStall = 500
