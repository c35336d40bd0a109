// Sizes and times of remote schemas that were chosen by measurement or judgement.

/** Characters up to which a selection is repeated instead of becoming a fragment: servers are faster without fragments. */
export const longestInline = 60

/** Characters of a selection that is printed for each possible type; nested interfaces multiply it with each level. */
export const longestSelection = 2 ** 24

/** Documents that are kept for questions that begin alike. */
export const mostKeptDocuments = 8

/** Characters up to which a document is kept. */
export const longestKeptDocument = 50_000

/** Requests for the fields of rows, the first included, when a failed non-null field leaves `data` null. */
export const mostRounds = 5

/** Bytes up to which an answer that is passed through is parsed to check it: tens of megabytes would block the event loop. */
export const largestChecked = 2 ** 20

/** Events that wait for the client before their source is paused. */
export const mostWaitingEvents = 64

/** Characters in waiting events before their source is paused. */
export const mostWaitingCharacters = 2 ** 20

/** Characters that an event may have. */
export const maxEventSize = 16 * 2 ** 20

/** Milliseconds between keep-alive pings of a WebSocket, and the timeout of each pong. */
export const keepAliveInterval = 15_000

/** Bytes that are read of a response that is not an event stream. */
export const largestRefusal = 65_536

/** The longest timeout of an introspection in milliseconds, whatever the definition says. */
export const longestIntrospection = 600_000

/** Characters of a server's answer that errors quote in `internal`. */
export const excerptLength = 10_000

/** Messages of one answer that a refusal quotes. */
export const mostQuotedMessages = 3

/** Characters of each quoted message. */
export const longestQuotedMessage = 500

/** The default timeout of a remote server in seconds, as in v1.3. */
export const defaultTimeout = 60

/** Characters up to which the JSON of an answer of a schema in this process is sent: as for other servers. */
export const largestLocalAnswer = 64 * 2 ** 20

/** Documents that are kept parsed for each schema in this process. */
export const mostParsedDocuments = 500

/** Characters of the documents that are kept parsed for each schema in this process. */
export const mostParsedCharacters = 2 ** 20
