// Limits of templates. They come with the metadata, but what they are applied to comes from clients and webhooks.

/** Characters of one template. */
export const mostTemplateCharacters = 100_000

/** Levels of values within each other, in a template and in its value. */
export const mostTemplateLevels = 200

/** Values that the evaluation of one template may make: some tens of milliseconds. */
export const mostEvaluations = 500_000

/** Characters of the texts that the evaluation of one template may make, and of its value as JSON. */
export const mostCharacters = 10_000_000
