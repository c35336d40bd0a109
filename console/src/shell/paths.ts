// Paths below the console.

/** The path for names, which may have any characters. */
export const pathOf = (...parts: readonly string[]): string => parts.map(encodeURIComponent).join('/')
