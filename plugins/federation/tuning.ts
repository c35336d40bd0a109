// Limits of requests for entities, chosen by judgement.

/** Representations in one field. Gateways send each entity once. */
export const mostRepresentations = 50_000
