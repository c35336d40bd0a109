// The keys that move in the grid.

/** A cell by its place. */
export interface Place {
  readonly row: number
  readonly column: number
}

/** The place that a key leads to; null: it moves nothing. `page`: rows that are visible. */
export function placeAfter(
  { key, ctrlKey, altKey }: Pick<KeyboardEvent, 'key' | 'ctrlKey' | 'altKey'>,
  { row, column }: Place,
  { rows, columns, page }: { readonly rows: number; readonly columns: number; readonly page: number },
): Place | null {
  if (altKey) return null
  const moves: Readonly<Record<string, readonly [number, number]>> = {
    ArrowUp: [row - 1, column],
    ArrowDown: [row + 1, column],
    ArrowLeft: [row, column - 1],
    ArrowRight: [row, column + 1],
    PageUp: [row - page, column],
    PageDown: [row + page, column],
    Home: [ctrlKey ? 0 : row, 0],
    End: [ctrlKey ? rows - 1 : row, columns - 1],
  }
  const move = moves[key]
  return (
    (move && { row: Math.max(0, Math.min(rows - 1, move[0])), column: Math.max(0, Math.min(columns - 1, move[1])) }) ??
    null
  )
}
