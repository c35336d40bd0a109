// Reading CSV, and the cells that spreadsheets put into the clipboard.

/** A text that is not CSV. */
export class CsvFault extends Error {}

const separators = [',', ';', '\t']

/** The separator of a text: the one that its first line has most often outside of quotes. */
function separatorOf(text: string): string {
  const [line = ''] = text.replaceAll(/"(?:[^"]|"")*"/g, '').split(/\r?\n/, 1)
  const counts = separators.map((separator) => line.split(separator).length)
  return separators[counts.indexOf(Math.max(...counts))]!
}

/** Reads lines of cells. An empty cell is null, and `""` the empty text. Throws `CsvFault`. */
export function readCsv(text: string): readonly (readonly (string | null)[])[] {
  const separator = separatorOf(text)
  const cell = new RegExp(
    `(?:"((?:[^"]|"")*)"|([^"${separator}\\r\\n][^${separator}\\r\\n]*)?)(${separator}|\\r?\\n|$)`,
    'y',
  )
  const lines: (string | null)[][] = []
  let line: (string | null)[] = []
  while (cell.lastIndex < text.length || line.length > 0) {
    const at = cell.lastIndex
    const found = cell.exec(text)
    if (!found)
      throw new CsvFault(`line ${lines.length + 1}: a quote has no end, or something follows it (character ${at + 1})`)
    const [, quoted, plain, end] = found
    line.push(quoted === undefined ? (plain ?? null) : quoted.replaceAll('""', '"'))
    if (end === separator) continue
    // A line without anything is not a row.
    if (line.length > 1 || line[0] !== null) lines.push(line)
    line = []
    if (cell.lastIndex >= text.length) break
  }
  return lines
}
