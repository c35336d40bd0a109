// Limits of the authentication webhook, chosen by judgement.

/** Bytes of a body that is read for the webhook. It is read before its sender is known, so anybody may send many. */
export const longestBody = 1_048_576

/** Bytes of the webhook's answer. */
export const maxAnswerSize = 1_048_576
