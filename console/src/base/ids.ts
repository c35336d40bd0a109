// Random ids. Pages over plain HTTP have no `crypto.randomUUID`.

/** An id that no other has: 32 hexadecimal digits. */
export const newId = (): string =>
  [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, '0')).join('')
