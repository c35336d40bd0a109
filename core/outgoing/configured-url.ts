// Where other servers are, as people configure it.

import { Type } from '@sinclair/typebox'
import { parseFailed } from '../errors/errors.ts'
import { isHttpUrl } from './url.ts'

/** The variable of the server's environment that holds a URL. */
export interface UrlFromEnv {
  from_env: string
}

/** A URL, in which names between `{{` and `}}` are variables of the server's environment, or the variable that holds it. */
export type ConfiguredUrl = string | UrlFromEnv

const variable = /\{\{[^{}]*\}\}/g

/** Before the first colon: what the scheme is, only the variable's value tells. */
const openScheme = /^[^:]*?\{\{[^{}]*\}\}/

/** Whether a text is an HTTP URL, or may become one when its variables are filled in. */
export const mayBeUrl = (text: string): boolean => openScheme.test(text) || isHttpUrl(text.replaceAll(variable, '1'))

/** The text; refuses one that can never be an HTTP URL. */
export function checkUrl(text: string): string {
  if (mayBeUrl(text)) return text
  throw parseFailed('not a valid URI')
}

/** The schema of a URL that is configured, whose text is checked by `check`. */
export const urlSchema = (example: string, check: (text: string) => string = checkUrl) =>
  Type.Unsafe<ConfiguredUrl>(
    Type.Union([
      Type.String({ convert: check, examples: [example] }),
      Type.Object({ from_env: Type.String({ minLength: 1 }) }, { missingKey: 'A' }),
    ]),
  )
