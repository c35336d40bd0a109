// Limits of templates. They come with the metadata, but their input comes from clients and webhooks.

/** Characters of one template. */
export const mostTemplateCharacters = 100_000

/** Levels of values within each other in a template. */
export const mostTemplateLevels = 200

/** Values that the templates of one transform may make and look up: up to 100 ms, in which no other request runs. */
export const mostEvaluations = 250_000

/** Characters that the templates of one transform may read and make, and those of a value as JSON: up to 100 ms each. */
export const mostCharacters = 10_000_000

/** Characters that one character costs in a function: some take it apart and put it together again. */
export const functionCost = 5

/** Members from which on V8 keeps an object as a table. Listing such members is slow, so each costs `memberCost` characters. */
export const manyMembers = 1000
export const memberCost = 40

/** Characters of a template that a syntax error quotes. */
export const longestQuote = 40
