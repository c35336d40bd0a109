// Encryption of columns: a text column whose comment holds `@encrypted` stores AES-GCM. One with `@encrypted
// searchable` stores equal texts as equal ciphertexts, so that readers may compare them for equality. The option's
// roles read the clear text under the column's own name; all others read null. Presets of session variables are
// encrypted too. `SERVICE_GRAPHQL_ENCRYPTION_KEY=$(openssl rand -base64 32) npm start -- --plugin
// ./examples/encryption.ts --encryption-readers admin,clerk`

import { createCipheriv, createDecipheriv, createHmac, randomBytes } from 'node:crypto'
import { type ColumnPlace, type ColumnTransform, definePlugin, option, StartError } from 'trellis'

const algorithm = 'aes-256-gcm'
const ivSize = 12
const tagSize = 16

/** The place is authenticated: a ciphertext that was copied into another column is not read. */
const authenticated = ({ table, column }: ColumnPlace) =>
  Buffer.from(JSON.stringify([table.schema, table.name, column]))

function seal(key: Buffer, iv: Buffer, text: string, place: ColumnPlace): string {
  const cipher = createCipheriv(algorithm, key, iv).setAAD(authenticated(place))
  const sealed = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()])
  return Buffer.concat([iv, cipher.getAuthTag(), sealed]).toString('base64')
}

function unseal(key: Buffer, stored: string, place: ColumnPlace): string {
  const bytes = Buffer.from(stored, 'base64')
  const decipher = createDecipheriv(algorithm, key, bytes.subarray(0, ivSize)).setAAD(authenticated(place))
  decipher.setAuthTag(bytes.subarray(ivSize, ivSize + tagSize))
  return Buffer.concat([decipher.update(bytes.subarray(ivSize + tagSize)), decipher.final()]).toString('utf8')
}

/** An initialization vector that depends on the text, so that equal texts of a column have equal ciphertexts. */
const vectorOf = (key: Buffer, text: string, place: ColumnPlace) =>
  createHmac('sha256', key).update(authenticated(place)).update('\0').update(text).digest().subarray(0, ivSize)

function transforms(key: Buffer, readers: ReadonlySet<string>): readonly ColumnTransform[] {
  const vectorKey = createHmac('sha256', key).update('initialization vectors').digest()
  const searchable = (text: string, place: ColumnPlace) => seal(key, vectorOf(vectorKey, text, place), text, place)
  const value = (stored: string, place: ColumnPlace) => unseal(key, stored, place)
  return [
    {
      name: 'encryption',
      applies: (_, { comment }) => /@encrypted(?! searchable)/.test(comment ?? ''),
      write: (text, place) => seal(key, randomBytes(ivSize), text, place),
      read: ({ role }) => (readers.has(role) ? { value } : 'hidden'),
    },
    {
      name: 'searchable encryption',
      applies: (_, { comment }) => /@encrypted searchable/.test(comment ?? ''),
      write: searchable,
      compareAs: searchable,
      read: ({ role }) => (readers.has(role) ? { value, comparable: true } : 'hidden'),
    },
  ]
}

export default definePlugin({
  name: 'encryption',
  options: {
    encryptionKey: option.text({
      secret: true,
      flag: 'encryption-key',
      variable: 'ENCRYPTION_KEY',
      description: 'key of encrypted columns: 32 bytes in base64',
    }),
    encryptionReaders: option.list(['admin'], {
      flag: 'encryption-readers',
      variable: 'ENCRYPTION_READERS',
      description: 'roles that read encrypted columns',
    }),
  },
  register(engine) {
    const key = Buffer.from(engine.options.encryptionKey ?? '', 'base64')
    if (key.length !== 32) throw new StartError('--encryption-key: 32 bytes in base64 are required')
    const readers = new Set(engine.options.encryptionReaders)
    for (const transform of transforms(key, readers)) engine.columns.transform(transform)
  },
})
