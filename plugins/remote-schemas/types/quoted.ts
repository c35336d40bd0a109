// The words of a server that refuses to say which schema it has.

import { own } from '../../../sdk/metadata.ts'
import { isJsonObject } from '../../../sdk/services.ts'

/** Messages of one answer that are quoted, and characters of each. */
const mostMessages = 3
const mostCharacters = 500

/** The messages of the errors in an answer, for the end of a sentence; an empty text where it has none. */
export function quotedErrors(answer: unknown): string {
  if (!isJsonObject(answer)) return ''
  const errors = own(answer, 'errors')
  const found = Array.isArray(errors) ? errors : [own(answer, 'error'), answer]
  const messages = found.map(messageIn).filter((message) => message !== '')
  const distinct = [...new Set(messages)].slice(0, Array.isArray(errors) ? mostMessages : 1)
  return distinct.length === 0 ? '' : `: ${distinct.join('; ')}`
}

function messageIn(error: unknown): string {
  const text = isJsonObject(error) ? own(error, 'message') : error
  if (typeof text !== 'string') return ''
  const line = text.replace(/\s+/g, ' ').trim()
  return line.length > mostCharacters ? `${line.slice(0, mostCharacters).toWellFormed()}…` : line
}
