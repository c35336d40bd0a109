// Texts as PostgreSQL can hold them.

/** The text with U+FFFD in the places of the character U+0000 and of halves of characters; what has none is the same. */
export const storableText = (text: string): string => text.toWellFormed().replaceAll('\0', '\ufffd')
