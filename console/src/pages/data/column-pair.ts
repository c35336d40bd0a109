/** A column, and the one in the other table that equals it. An empty name is not chosen yet. */
export type ColumnPair = readonly [from: string, to: string]
