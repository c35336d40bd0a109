// Certificates for tests, made by the program `openssl`.

import { execFileSync, spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** Whether the program is installed. */
export const hasOpenssl = spawnSync('openssl', ['version']).status === 0

export interface Certificate {
  readonly cert: string
  readonly key: string
}

const newKey = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes']
const run = (args: readonly string[]) => execFileSync('openssl', args, { stdio: 'pipe' })

/** Creates an authority that signs certificates. */
export function makeAuthority(directory: string, name: string): Certificate {
  const [cert, key] = [join(directory, `${name}.crt`), join(directory, `${name}.key`)]
  run(['req', '-x509', ...newKey, '-days', '30', '-subj', `/CN=${name}`, '-keyout', key, '-out', cert])
  return { cert, key }
}

/** Creates a certificate for a host or a user, signed by an authority. */
export function makeCertificate(directory: string, name: string, authority: Certificate): Certificate {
  const [cert, key, request, extensions] = ['crt', 'key', 'csr', 'ext'].map((end) => join(directory, `${name}.${end}`))
  run(['req', ...newKey, '-subj', `/CN=${name}`, '-keyout', key!, '-out', request!])
  writeFileSync(extensions!, `subjectAltName=DNS:${name}\n`)
  const signed = ['-CA', authority.cert, '-CAkey', authority.key, '-CAcreateserial', '-extfile', extensions!]
  run(['x509', '-req', '-in', request!, ...signed, '-days', '30', '-out', cert!])
  return { cert: cert!, key: key! }
}
