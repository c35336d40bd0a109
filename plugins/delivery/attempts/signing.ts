// The option with the secrets that sign deliveries.

import { signingKey } from '../../../sdk/services.ts'

const secretsIn = (text: string): string[] => text.split(/[\s,]+/).filter((each) => each !== '')

/** The reason to refuse the secrets; null: they are valid. */
export function signingRefusal(text: string): string | null {
  const secrets = secretsIn(text)
  if (secrets.length > 0 && secrets.every((each) => signingKey(each) !== null)) return null
  return 'Only expecting secrets of 24 to 64 bytes in base64, each behind whsec_, separated by spaces'
}

/** The keys of valid secrets; empty without any. */
export const signingKeys = (text: string | null): readonly Buffer[] =>
  secretsIn(text ?? '').flatMap((each) => signingKey(each) ?? [])
