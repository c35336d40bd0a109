// Limits of requests for entities, chosen by judgement.

/** Representations in one field. Gateways send each entity once. */
export const mostRepresentations = 50_000

/** The cost of a representation: its key costs the event loop a microsecond, and it repeats the row's selection. */
export const representationCost = 0.5

/** Up to this number, representations cost the same. Gateways often send fewer, and such requests share a plan. */
export const fewRepresentations = 64
