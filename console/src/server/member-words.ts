// Members of the metadata in words.

/** `remote_schemas` as `remote schemas`. */
export const wordsOf = (member: string): string => member.replaceAll('_', ' ')

/** One object of a list: `remote_schemas` as `remote schema`. */
export const singularOf = (member: string): string => wordsOf(member).replace(/ies$/, 'y').replace(/s$/, '')
