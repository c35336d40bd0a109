// Numbers of tracing, found by measurement or judgement; none of them is an option.

/** Ids that are generated at once. One by one they would cost several times as much. */
export const idsAtOnce = 128

/** Milliseconds for sending a batch of spans to the collector of the metadata; OpenTelemetry's default. */
export const sendTimeout = 10_000

/** Bytes of the collector's answer that are read; it says nothing of use. */
export const mostAnswer = 65_536

/** Spans in a batch that the metadata may ask for; a queue holds fewer by default. */
export const mostSpans = 100_000

/** Characters of an attribute's value. */
export const maxValue = 256
