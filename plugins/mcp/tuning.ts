// Numbers of MCP, chosen by judgement. Those that servers may need to change are options.

/** Tools of one answer to `tools/list`; clients ask for further pages. */
export const toolsPerPage = 100

/** Characters of a tool's name: the longest that all common clients take. */
export const longestName = 64

/** Characters of a query's text in the description of its tool. */
export const longestQueryShown = 2000

/** Roles whose tools are kept for the served model. Clients with tokens may have any role. */
export const keptRoles = 100

/** Bytes of one message; clients send the arguments of one tool. */
export const largestMessage = 1_048_576

/** Open streams of notifications: of the whole server, and of one session. */
export const mostStreams = 1000
export const mostStreamsOfSession = 10

/** Milliseconds between two looks whether another model is served, while streams are open. */
export const modelCheckMillis = 1000

/** Milliseconds between two keep-alive comments; proxies often close a connection after a silent minute. */
export const keepAliveMillis = 15_000

/** Bytes that a client has not read yet, at which its stream ends: it has the choice to open another one. */
export const mostUnreadBytes = 65_536

/** Bytes of introspection that `describe_type` and `search_schema` read: some thousand root fields, or hundreds of tables. */
export const largestIntrospection = 8_388_608

/** Characters of a client's name that a message repeats. */
export const longestNameShown = 100

/** Matches in one answer of `search_schema`: at most, and when the caller gives no limit. */
export const mostFound = 200
export const usuallyFound = 40

/** Characters of a searched text. */
export const longestSearch = 200
