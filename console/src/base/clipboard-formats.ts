// Rows as texts for other programs.

/** Cells as the server printed them; null is SQL's null. */
export interface TextRows {
  readonly columns: readonly string[]
  readonly rows: readonly (readonly (string | null)[])[]
}

/** Spreadsheets run cells that begin so as formulas, except numbers. */
const isFormula = (text: string): boolean => /^[=+\-@\t\r]/.test(text) && !/^[+-]?\d[\d.eE+-]*$/.test(text)

const csvCell = (cell: string | null): string => {
  if (cell === null) return ''
  const guarded = isFormula(cell) ? `'${cell}` : cell
  return guarded === '' || /[",\r\n]/.test(guarded) ? `"${guarded.replaceAll('"', '""')}"` : guarded
}

/** Rows as CSV: null is nothing, an empty text `""`, and formulas begin with an apostrophe. */
export const asCsv = ({ columns, rows }: TextRows): string =>
  [columns, ...rows].map((row) => row.map(csvCell).join(',')).join('\r\n')

/** Rows as a JSON array of objects; columns of one name get numbers. */
export function asJson({ columns, rows }: TextRows): string {
  const names = columns.map((name, index) => {
    const before = columns.slice(0, index).filter((other) => other === name).length
    return before === 0 ? name : `${name}_${before + 1}`
  })
  const objects = rows.map((row) => Object.fromEntries(row.map((cell, index) => [names[index], cell])))
  return JSON.stringify(objects, null, 2)
}

const markdownCell = (cell: string | null): string =>
  cell === null ? '*null*' : cell.replaceAll(/[\\|*_`<>[\]]/g, '\\$&').replaceAll(/\r?\n/g, '<br>')

/** Rows as a table of Markdown. */
export const asMarkdown = ({ columns, rows }: TextRows): string =>
  [columns, columns.map(() => '---'), ...rows]
    .map((row, index) => `| ${row.map((cell) => (index === 1 ? cell : markdownCell(cell))).join(' | ')} |`)
    .join('\n')
