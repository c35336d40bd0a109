// Limits and intervals of the HTTP server, found by judgement or measurement.

import type { JsonLimits } from '../json/json-steps.ts'

/** Milliseconds that the headers of a request may take to arrive. */
export const headersTimeout = 60_000

/** Milliseconds that an idle connection is kept. This is the default of Fastify. */
export const keepAliveTimeout = 72_000

/** Milliseconds between two checks for requests that have not arrived in time, at most. */
export const checkInterval = 30_000

/** Milliseconds between two checks for responses that clients do not read, at most. */
export const stallCheckInterval = 5000

/** Pipelined requests that may wait on one connection. The server then stops reading from it, since a response may be an endless stream. */
export const mostPipelined = 100

/** Bytes up to which a body is sent in one piece with the headers, which costs less than two pieces. */
export const smallBody = 4096
/** Bytes of a large body that are handed to the system at once: about a millisecond (bench `scale`, introspection). */
export const largePart = 524_288

/** Milliseconds that a request may still take to arrive whole after the server begins to stop. */
export const arrivalMillis = 500

/** Milliseconds between two checks for connections that can be closed while the server stops. */
export const closingInterval = 20

/** Request ids that are generated at once: one by one they would cost more than finding the route. */
export const idsAtOnce = 64

/** Seconds after which a client should retry a request that was answered with 503. */
export const retryAfter = 1

/** Bytes of a failed request's body that are logged. Clients choose the size, and longer bodies make the log unreadable. */
export const longestLoggedBody = 65_536

/** Items of each list in the error of a log line. */
export const longestLoggedList = 100

/** Characters of one text in a logged error. An error may quote a statement of megabytes. */
export const longestLoggedText = 4096

/** Limits of JSON bodies. Deeper bodies are refused, because recursion over them must end; those with more values would exhaust the memory. */
export const bodyLimits: JsonLimits = { depth: 1000, values: 2_000_000, members: 100_000 }

/** Bytes from which on a body is parsed in turns with other work. */
export const longestAtOnce = 262_144

/** Bytes below which a piece of a body is copied to a block. */
export const shortPiece = 1024

/** Bytes of a block of copied pieces. */
export const blockSize = 16_384
