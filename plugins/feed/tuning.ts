// Numbers chosen by judgement; none of them is an option.

/** Clients of an instance's feed: each is a connection and a timer. */
export const mostClients = 100

/** Milliseconds between two comments that keep a silent stream open: proxies close connections after 30 seconds or more. */
export const keepAliveMillis = 15_000

/** Milliseconds between two looks at the states of jobs and event triggers. */
export const leastPauseMillis = 1000

/** The pause as a multiple of the time that a look took, so that thousands of triggers cost the database little. */
export const pausePerLook = 20

/** Bytes that a client has not taken after which its stream ends. */
export const mostBuffered = 65_536

/** Milliseconds after which clients of a stopping server come back: the least, and how far they are spread. */
export const leastReconnectMillis = 500
export const reconnectSpreadMillis = 2000
