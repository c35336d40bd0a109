// Texts of JSON paths.

import type { Draw } from './draw.ts'

/** One of the notations for a path of keys. */
export function jsonPathText(draw: Draw, keys: readonly string[]): string {
  if (keys.length === 0) return '$'
  const steps = keys.map((key, i) => stepText(draw, key, i === 0))
  const text = steps.join('')
  return draw.chance(0.5) ? `$${text.startsWith('[') ? '' : '.'}${text.replace(/^\./, '')}` : text
}

function stepText(draw: Draw, key: string, isFirst: boolean): string {
  if (/^\d+$/.test(key)) return `[${key}]`
  if (/^[\p{L}_][\p{L}\p{N}_-]*$/u.test(key) && draw.chance(0.6)) return isFirst ? key : `.${key}`
  const quote = draw.pick([`'`, '"'])
  return `[${quote}${key.replace(/['"\\]/g, '\\$&')}${quote}]`
}
