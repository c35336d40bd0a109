// Archives of text files in the format of tar, as far as folders of metadata need it.

const blockBytes = 512

const encoder = new TextEncoder()

function put(block: Uint8Array, at: number, text: string): void {
  block.set(encoder.encode(text), at)
}

const octal = (value: number, digits: number): string => value.toString(8).padStart(digits, '0')

/** A name in the two fields of a header: at most 155 and 100 bytes. */
function nameFields(name: string): readonly [prefix: string, name: string] {
  if (encoder.encode(name).length <= 100) return ['', name]
  for (let at = name.indexOf('/'); at >= 0; at = name.indexOf('/', at + 1)) {
    const [prefix, rest] = [name.slice(0, at), name.slice(at + 1)]
    if (encoder.encode(rest).length <= 100 && encoder.encode(prefix).length <= 155) return [prefix, rest]
  }
  throw new Error(`the name of a file is too long for an archive: ${name}`)
}

function header(path: string, bytes: number): Uint8Array {
  const block = new Uint8Array(blockBytes)
  const [prefix, name] = nameFields(path)
  put(block, 0, name)
  put(block, 100, `${octal(0o644, 7)}\0${octal(0, 7)}\0${octal(0, 7)}\0${octal(bytes, 11)}\0${octal(0, 11)}\0        0`)
  put(block, 257, 'ustar\u000000')
  put(block, 345, prefix)
  const sum = block.reduce((total, byte) => total + byte, 0)
  put(block, 148, `${octal(sum, 6)}\0 `)
  return block
}

/** The archive of files by their paths. */
export function packTar(files: ReadonlyMap<string, string>): Uint8Array<ArrayBuffer> {
  const blocks = [...files].flatMap(([path, text]) => {
    const content = encoder.encode(text)
    const padded = new Uint8Array(Math.ceil(content.length / blockBytes) * blockBytes)
    padded.set(content)
    return [header(path, content.length), padded]
  })
  const bytes = new Uint8Array(blocks.reduce((total, block) => total + block.length, 2 * blockBytes))
  let at = 0
  for (const block of blocks) {
    bytes.set(block, at)
    at += block.length
  }
  return bytes
}

/** The text of a field up to its end. */
const field = (block: Uint8Array, from: number, length: number): string =>
  new TextDecoder().decode(block.subarray(from, from + length)).replace(/\0.*$/s, '')

/** The files of an archive by their paths. Throws where the bytes are not an archive. */
export function readTar(bytes: Uint8Array): ReadonlyMap<string, string> {
  const files = new Map<string, string>()
  for (let at = 0; at + blockBytes <= bytes.length && bytes[at] !== 0; ) {
    const block = bytes.subarray(at, at + blockBytes)
    const size = Number.parseInt(field(block, 124, 12).trim(), 8)
    if (!field(block, 257, 6).startsWith('ustar') || Number.isNaN(size))
      throw new Error('this is not an archive of tar')
    const prefix = field(block, 345, 155)
    const path = (prefix === '' ? '' : `${prefix}/`) + field(block, 0, 100)
    const content = bytes.subarray(at + blockBytes, at + blockBytes + size)
    if (/^[0\0]?$/.test(field(block, 156, 1)))
      files.set(path, new TextDecoder('utf-8', { fatal: true }).decode(content))
    at += blockBytes + Math.ceil(size / blockBytes) * blockBytes
  }
  return files
}
