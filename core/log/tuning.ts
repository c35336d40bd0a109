// Sizes and timeouts of the log, found by measurement or judgement.

/** Milliseconds that a line waits for a batch, at most. */
export const longestWait = 100

/** Lines of one batch. */
export const batchLines = 64

/** Characters of formatted lines in one batch. */
export const batchSize = 16_384

/** Bytes of one write to stdout. With fewer, lines wait for long, since each write takes a turn of the event loop. */
export const mostAtOnce = 65_536

/** Bytes that are buffered for a slow reader: the lines of about 50,000 requests. */
export const mostBuffered = 32 * 2 ** 20

/** Milliseconds to wait at the end for a reader that reads nothing. */
export const longestPause = 1_500

/** Milliseconds to wait at the end for a slow reader. */
export const longestDrain = 10_000

/** Inconsistent objects that the pretty format lists. There may be thousands. */
export const mostListed = 20
