// A diagram as an SVG file.

import { box, type Place } from './layout.ts'
import type { Diagram } from './model.ts'

const escaped = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;')

/** Characters of a line in a box. */
const lineCharacters = 30

const line = (text: string): string =>
  escaped(text.length > lineCharacters ? `${text.slice(0, lineCharacters - 1)}…` : text)

/** The SVG of a diagram. */
export function svgOf({ tables, links }: Diagram, places: readonly Place[]): string {
  const at = new Map(places.map((place) => [place.key, place]))
  const width = Math.max(0, ...places.map(({ x }) => x)) + box.width + 16
  const height = Math.max(0, ...places.map(({ y }) => y)) + box.height + 16
  const lines = links.flatMap(({ from, to, names }) => {
    const [one, other] = [at.get(from), at.get(to)]
    if (!one || !other) return []
    const ends = [one.x + box.width / 2, one.y + box.height / 2, other.x + box.width / 2, other.y + box.height / 2]
    const [x1, y1, x2, y2] = ends
    return `<line x1="${x1}" y1="${y1}" x2="${x2}" y2="${y2}"><title>${escaped(names.join(', '))}</title></line>`
  })
  const boxes = tables.flatMap(({ key, label, rule }) => {
    const place = at.get(key)
    if (!place) return []
    const { x, y } = place
    return `<g><rect x="${x}" y="${y}" width="${box.width}" height="${box.height}" rx="4"/><text x="${x + 12}" y="${y + 24}" font-weight="600">${line(label)}</text><text x="${x + 12}" y="${y + 43}" fill="#5c5f57">${line(rule)}</text></g>`
  })
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" font-family="sans-serif" font-size="12"><g stroke="#85887e" fill="none">${lines.join('')}</g><g stroke="#85887e" fill="#ffffff">${boxes.map((each) => each.replaceAll('<text ', '<text stroke="none" ').replaceAll('font-weight="600"', 'font-weight="600" fill="#1d1f1b"')).join('')}</g></svg>\n`
}
