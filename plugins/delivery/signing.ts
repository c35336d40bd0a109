// The secrets that deliveries are signed with, as an option has them.

import { signingKey } from '../../sdk/services.ts'

const secretsIn = (text: string): string[] => text.split(/[\s,]+/).filter((each) => each !== '')

/** What is wrong with the secrets; null: nothing. */
export function signingRefusal(text: string): string | null {
  const secrets = secretsIn(text)
  if (secrets.length > 0 && secrets.every((each) => signingKey(each) !== null)) return null
  return 'Only expecting secrets of 24 to 64 bytes in base64, each behind whsec_, separated by spaces'
}

/** The keys of secrets that were found to be some; null: there are none. */
export const signingKeys = (text: string | null): readonly Buffer[] =>
  secretsIn(text ?? '').flatMap((each) => signingKey(each) ?? [])
