// Limits and sizes of GraphQL requests and caches that were chosen by judgement or measurement.

/** Retries of a request whose plan a change of the metadata and the database made invalid. */
export const maxReplans = 3

/** Characters of a document. Longer texts are not parsed: values of that size belong in variables. */
export const maxDocumentLength = 2_000_000

/** Tokens of a document: far more than people or client libraries write. */
export const maxTokens = 100_000

/** Bytes of all cached documents. */
export const maxCachedBytes = 64_000_000
/** Bytes of a cached document per token, by measurement. */
export const bytesPerToken = 110
/** The share of `maxCachedBytes` from which the cache counts as full. */
export const almostFull = 0.9
/** A full cache admits one of this many new documents. */
export const newcomersPerPlace = 8

/** Characters of a hint about a syntax error: the parser's message may quote a token as long as the text. */
export const longestHint = 200

/** Levels of selections. Real queries stay far below. */
export const maxDepth = 100

/**
 * Levels of selection sets in a document, counted with fragments expanded. Recursive walks must end; real queries stay
 * far below.
 */
export const maxNesting = 1000

/** Selections of an operation after its fragments are expanded; a text without fragments cannot contain more. */
export const maxSelections = 100_000

/** Levels of a value that is read against its type; recursion must end. */
export const maxValueDepth = 200

/** Levels of the raw variables; the parser limits literals in the same way. */
export const maxVariablesDepth = 1000

/** Names listed in an error about unexpected variables. */
export const mostListed = 100

/** Characters of SQL of all cached plans. The memory of a plan is several times the size of its SQL. */
export const maxPlansText = 8_000_000
/** Characters of SQL of one cached plan. */
export const maxPlanText = 500_000

/** Cached plans of one operation for shapes of variables that differ in the same aspects. */
export const plansPerVariant = 64

/** Cached sets of aspects in which the shapes of one operation's variables may differ. */
export const variantsPerOperation = 8

/** Characters of a shape; a plan with a longer one is not cached. */
export const maxShape = 4096

/** Roles whose schemas are cached at once. */
export const maxRoles = 200

/** Values of an introspection's answer for each part of the schema; queries of tools need about ten. */
export const valuesPerPart = 40
/** Values of an introspection's answer that are allowed for any schema, however small. */
export const leastValues = 200_000

/** Bytes of cached answers to introspections, compressed: the whole schema of 1,000 tables takes 300,000 of 46 million. */
export const maxIntrospections = 32_000_000
/** Characters of a selection whose answer is cached; tools ask for about 2,000. */
export const longestIntrospectionKey = 20_000
/** The level of their compression by zstd: the lowest, since the text repeats itself and the time is the server's. */
export const introspectionLevel = 1

/** Tables of a model whose introspection is worth a warm-up: a smaller one takes a few tenths of a second at most. */
export const largeModel = 300
/** Milliseconds after the start, or after a change of the metadata, before the warm-up. */
export const warmUpAfterMillis = 500
/** Values of an introspection that the warm-up writes, of the ten million of 2,000 tables. */
export const warmUpValues = 700_000

/** Fields of each contribution that are made at the start, to find faults of plugins: more than most plugins have. */
export const fieldsChecked = 20

/** Input types and enums in the JSON Schema of variables. A condition of one table may lead to all tables. */
export const typesDescribed = 300

/** Characters of a name in the comment of a statement; longer names are cut. */
export const longestComment = 200

/** Bytes of the block of a part that many objects of an introspection share. */
export const partBlock = 256
/** Bytes of the first block of an introspection; each further one is twice as large. */
export const firstBlock = 4096
/** Bytes of its largest blocks. */
export const largestBlock = 1_048_576
/** Bytes of an introspection that are copied at once: some tenths of a millisecond. */
export const copiedAtOnce = 262_144
/** Bytes that are copied one by one: a call would cost more. */
export const fewBytes = 12
/** Characters of a text that is turned into bytes one by one. */
export const shortText = 200
/** Values of an introspection that are written between two pauses: some tenths of a millisecond. */
export const valuesAtOnce = 1024
/** Members of a type that is written without a pause: some tenths of a millisecond. */
export const membersAtOnce = 250
/** Types that are added at once to those that are found by their names. */
export const typesIndexedAtOnce = 1000
/** Fields of a root type that are created at once. */
export const fieldsAtOnce = 32
/** Items of a list that is sorted by insertion. */
export const sortedByInsertion = 20
/** Items of a sorted run from which on a search costs less than a comparison with each. */
export const longRun = 64
/** Items that a sort moves between two pauses: some tenths of a millisecond. */
export const sortedAtOnce = 4096
/** Wrappers of a type whose texts are kept, as a number: more are never written by people. */
export const mostWrappers = 1024
