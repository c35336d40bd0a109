// The URLs of other servers as metadata configures them.

import { Type } from '@sinclair/typebox'
import { parseFailed } from '../errors/errors.ts'
import { isHttpUrl } from './url.ts'

/** The variable of the server's environment that holds a URL. */
export interface UrlFromEnv {
  from_env: string
}

/** A URL, which may hold variables of the environment as `{{NAME}}`, or the variable that holds the URL. */
export type ConfiguredUrl = string | UrlFromEnv

const variable = /\{\{[^{}]*\}\}/g

/** A variable before the first colon, so that the scheme is known only from its value. */
const openScheme = /^[^:]*?\{\{[^{}]*\}\}/

/** Whether a text is an HTTP URL, or may become one when its variables are replaced. */
export const mayBeUrl = (text: string): boolean => openScheme.test(text) || isHttpUrl(text.replaceAll(variable, '1'))

/** Returns the text; refuses one that can never be an HTTP URL. */
export function checkUrl(text: string): string {
  if (mayBeUrl(text)) return text
  throw parseFailed('not a valid URI')
}

/** The schema of a configured URL; `check` validates its text. */
export const urlSchema = (example: string, check: (text: string) => string = checkUrl) =>
  Type.Unsafe<ConfiguredUrl>(
    Type.Union([
      Type.String({ convert: check, examples: [example] }),
      Type.Object({ from_env: Type.String({ minLength: 1 }) }, { missingKey: 'A' }),
    ]),
  )
