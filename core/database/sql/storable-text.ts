// Texts that PostgreSQL can store.

/** Replaces U+0000 and lone surrogates by U+FFFD; returns other texts as they are. */
export const storableText = (text: string): string => text.toWellFormed().replaceAll('\0', '\ufffd')
